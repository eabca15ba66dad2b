"""Threads, asyncio, forks and signals: the workers belong to the process, and answer whoever asks."""

import asyncio
import concurrent.futures
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import surmise

CODE = "print(missing)\nvalue = {number}\nprint(value)\n"


def printed(number):
    return surmise.run(CODE.format(number=number), runs=1).stdout.splitlines()[-1]


def run_python(source, *, timeout=120):
    arguments = [sys.executable, "-c", textwrap.dedent(source)]
    return subprocess.run(arguments, capture_output=True, encoding="utf-8", timeout=timeout, check=False)


def is_running(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    # A process that nobody waits for is a zombie at its end.
    return status.rpartition(")")[2].split()[0] != "Z"


def test_many_threads():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(printed, range(24))) == [str(number) for number in range(24)]


def test_workers_outlive_the_thread_that_asked():
    # A worker process dies with the thread that started it, which must not be the caller's.
    for number in range(3):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            assert pool.submit(printed, number).result() == str(number)


def test_asyncio():
    async def many():
        return await asyncio.gather(*(asyncio.get_running_loop().run_in_executor(None, printed, n) for n in range(6)))

    assert asyncio.run(many()) == [str(number) for number in range(6)]


def test_fork_has_workers_of_its_own():
    assert printed(1) == "1"
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, printed(2).encode())
        finally:
            os._exit(0)
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(reader, 100) == b"2"
    os.close(reader)
    # The child's end has not taken the parent's workers along.
    assert printed(3) == "3"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(printed, range(4)) == ["0", "1", "2", "3"]


def test_interrupt_ends_a_call():
    ended = run_python(
        """
        import os, signal, threading, time, surmise
        surmise.run("x = 1", runs=1)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            surmise.run("while True: pass", runs=1, timeout=60, time=60)
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - begin < 30)
        print(surmise.run("print(1)", runs=1).stdout)
        os._exit(0)
        """
    )
    assert ended.stdout.split() == ["interrupted", "True", "1"] or ended.stdout.startswith("interrupted True"), ended


def test_nothing_is_left_behind():
    ended = run_python(
        """
        import subprocess, os, surmise
        surmise.run("x = y", runs=2)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, text=True)
        print(*[pid for pid in children.stdout.split()])
        """
    )
    assert ended.returncode == 0 and ended.stderr == "", ended
    deadline = time.monotonic() + 20
    while any(is_running(pid) for pid in ended.stdout.split()):
        assert time.monotonic() < deadline, ended.stdout
        time.sleep(0.05)


def test_code_does_not_run_in_this_process():
    surmise.run("import os, sys\nsys.stray = 1\nos.environ['STRAY'] = '1'\nos.kill(os.getppid(), 9)\n", runs=2)
    assert not hasattr(sys, "stray") and "STRAY" not in os.environ


def test_path_with_spaces_and_colons(tmp_path):
    # The dynamic linker splits LD_PRELOAD at both.
    folder = tmp_path / "a b:c"
    package = os.path.dirname(surmise.__file__)
    subprocess.run(["cp", "-r", package, str(tmp_path / "surmise")], check=True)
    folder.mkdir()
    os.rename(tmp_path / "surmise", folder / "surmise")
    source = f"import sys; sys.path.insert(0, {str(folder)!r}); import surmise; print(surmise.__file__); "
    ended = run_python(source + "print(surmise.run('print(unknown)', runs=1).stdout)")
    assert ended.stdout.splitlines() == [str(folder / "surmise" / "__init__.py"), "<unknown>", ""], ended


def test_preloaded_libraries_of_the_user_stay():
    # What the user preloads reaches the workers that inherit the environment.
    source = "import os; print(os.environ.get('LD_PRELOAD'), 'SURMISE_HOST' in os.environ)"
    environment = {**os.environ, "LD_PRELOAD": "libm.so.6"}
    arguments = [sys.executable, "-m", "surmise", "run", "--plain", "-"]
    ended = subprocess.run(arguments, input=source, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert ended.stdout == "libm.so.6 False\n", ended


def test_the_command_is_the_command(tmp_path):
    file = tmp_path / "snippet.py"
    file.write_text("print(undefined.name)\n")
    command = [os.path.join(os.path.dirname(sys.executable), "surmise"), "run", "--runs", "2", str(file)]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 0 and "✓ 1 │ print(undefined.name)" in ended.stdout, ended
    ended = subprocess.run([*command[:2], "--no-such-option"], capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 2 and "--no-such-option" in ended.stderr
    script = tmp_path / "exit.py"
    script.write_text("import sys; sys.exit(7)")
    assert subprocess.run([command[0], "run", "--plain", str(script)], check=False).returncode == 7


def test_interrupting_the_command(tmp_path):
    file = tmp_path / "endless.py"
    file.write_text("while True: pass\n")
    command = [sys.executable, "-m", "surmise", "run", "--timeout", "60", "--time", "60", str(file)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        started.wait(timeout=1.5)
    started.send_signal(signal.SIGINT)
    assert started.wait(timeout=20) != 0
    started.communicate()
