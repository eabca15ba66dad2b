//! Time and random numbers of guided runs.

use std::time::Instant;

use crate::support::{Stdin, ended_with, naive_report as report, surmise};
use serde_json::Value;

#[track_caller]
fn output(snippet: &str) -> String {
    let report = report(snippet, &["--runs", "1", "--timeout", "20"]);
    assert_eq!(report["outcome"], "completed", "{report}");
    report["stdout"].as_str().expect("a text").to_owned()
}

#[test]
fn waiting_takes_no_time_and_moves_the_clocks() {
    let begin = Instant::now();
    let snippet = "\
import asyncio, queue, select, socket, threading, time
print(missing)
def waited(wait):
    before = time.monotonic(), time.time()
    wait()
    print(round(time.monotonic() - before[0]), round(time.time() - before[1]))
def empty():
    try:
        queue.Queue().get(timeout=60)
    except queue.Empty:
        print('empty')
async def late():
    try:
        await asyncio.wait_for(asyncio.sleep(1000), 50)
    except asyncio.TimeoutError:
        print('late')
def unheard():
    one, other = socket.socketpair()
    one.settimeout(40)
    try:
        one.recv(1)
    except socket.timeout:
        print('unheard')
waited(lambda: time.sleep(10 ** 9))
waited(lambda: threading.Event().wait(30))
waited(empty)
waited(lambda: asyncio.run(late()))
waited(lambda: select.select([], [], [], 20))
waited(unheard)
";
    let expected = "1000000000 1000000000\n30 30\nempty\n60 60\nlate\n50 50\n20 20\nunheard\n40 40\n";
    assert_eq!(output(snippet), format!("<missing>\n{expected}"));
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

#[test]
fn who_waits_by_looking_at_a_clock_waits_not_long() {
    let spun =
        "import time\nprint(missing)\nend = time.time() + 10 ** 8\nwhile time.time() < end:\n    pass\nprint('done')\n";
    assert_eq!(output(spun), "<missing>\ndone\n");
}

#[test]
fn threads_and_processes_have_their_time() {
    let snippet = "\
import subprocess, threading, time
print(missing)
done = []
def work():
    time.sleep(5)
    done.append(sum(range(200_000)))
thread = threading.Thread(target=work)
thread.start()
thread.join(timeout=30)
print(len(done), thread.is_alive())
print(subprocess.run(['sleep', '0.1'], timeout=30).returncode)
ready = threading.Event()
threading.Thread(target=lambda: (sum(range(300_000)), ready.set())).start()
print(ready.wait(60))
";
    assert_eq!(output(snippet), "<missing>\n1 False\n0\nTrue\n");
}

#[test]
fn waits_of_threads_end_in_their_order() {
    let snippet = "\
import asyncio, queue, threading, time
print(missing)
seconds, stop = [], threading.Event()
def tick():
    while not stop.is_set():
        time.sleep(1)
        seconds.append(round(time.monotonic() - begin))
begin = time.monotonic()
threading.Thread(target=tick, daemon=True).start()
time.sleep(5.5)
stop.set()
print(seconds)
numbers, got = queue.Queue(), 0
def produce():
    for number in range(100):
        time.sleep(0.5)
        numbers.put(number)
threading.Thread(target=produce).start()
try:
    while True:
        numbers.get(timeout=3)
        got += 1
except queue.Empty:
    print(got)
async def main():
    loop = asyncio.get_running_loop()
    print(await asyncio.wait_for(loop.run_in_executor(None, lambda: time.sleep(20) or 'in time'), 30))
    try:
        await asyncio.wait_for(loop.run_in_executor(None, time.sleep, 50), 30)
    except asyncio.TimeoutError:
        print('late')
asyncio.run(main())
";
    assert_eq!(output(snippet), "<missing>\n[1, 2, 3, 4, 5]\n100\nin time\nlate\n");
}

#[test]
fn a_server_gets_connections_and_messages_that_nobody_sends() {
    let snippet = "\
import socket
server = socket.socket()
server.bind(('localhost', port))
server.listen()
while True:
    connection, address = server.accept()
    data = connection.recv(1024)
    if not data:
        break
    connection.sendall(data.upper())
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind(('', 0))
message, sender = datagrams.recvfrom(100)
print(message.decode(), sender[0])
";
    let report = report(snippet, &[]);
    let missed = &report["lines"]["missed_lines"];
    assert_eq!((&report["outcome"], missed), (&"completed".into(), &serde_json::json!([])), "{report}");
}

#[test]
fn messages_of_the_program_itself_arrive() {
    let snippet = "\
import socket, threading
print(missing)
one, other = socket.socketpair()
one.sendall(b'at once')
print(other.recv(100))
threading.Thread(target=lambda: one.sendall(b'later')).start()
print(other.recv(100))
";
    assert_eq!(output(snippet), "<missing>\nb'at once'\nb'later'\n");
}

#[test]
fn who_waits_for_ever_is_interrupted() {
    let endless = [
        "import time\nwhile True:\n    time.sleep(1)\n",
        "import http.server as s\ns.HTTPServer(('', 0), s.BaseHTTPRequestHandler).serve_forever()\n",
        "import select\nselect.select([], [], [])\n",
        "import asyncio\nasync def main():\n    await asyncio.Event().wait()\nasyncio.run(main())\n",
    ];
    for wait in endless {
        let begin = Instant::now();
        let report = report(&format!("print(missing)\n{wait}"), &["--runs", "1", "--timeout", "600"]);
        assert_eq!((&report["outcome"], &report["errors"]), (&"timeout".into(), &serde_json::json!([])), "{wait}");
        assert!(begin.elapsed().as_secs() < 300, "{:?}", begin.elapsed());
    }
    let caught = "import time\nprint(missing)\ntry:\n    while True:\n        time.sleep(1)\nexcept KeyboardInterrupt:\n    print('bye')\n";
    assert_eq!(output(caught), "<missing>\nbye\n");
    let handled = "import signal, time\nprint(missing)\ndone = []\nsignal.signal(signal.SIGINT, lambda *_: done.append(1))\n\
        while not done:\n    time.sleep(1)\nprint(done)\n";
    assert_eq!(output(handled), "<missing>\n[1]\n");
}

#[test]
fn a_snippet_has_the_same_report_each_time() {
    let snippet = "import os, random, time, uuid\nx = missing()\nprint(random.random(), uuid.uuid4(), os.urandom(4))\n\
        if random.random() < 0.5:\n    y = 1\nelse:\n    y = 2\nif x.flag:\n    z = random.choice('abc')\nprint(y)\n";
    let deterministic = |report: Value| (report["stdout"].clone(), report["lines"].clone(), report["unsteady"].clone());
    let first = deterministic(report(snippet, &[]));
    assert_eq!(first, deterministic(report(snippet, &[])));
    assert_eq!(first.2, false);
}

#[test]
fn plain_runs_wait() {
    let begin = Instant::now();
    let mut command = surmise();
    command.args(["run", "--plain", "-"]);
    let ended = ended_with(
        &mut command,
        Stdin::Pipe(b"import time\nt = time.time()\ntime.sleep(0.3)\nprint(time.time() - t < 30)\n"),
    );
    assert_eq!((ended.code(), ended.stdout().as_str()), (0, "True\n"));
    assert!(begin.elapsed().as_millis() >= 300);
}
