"""Uncaught: error inside code from exec, with and without known source."""
import linecache

source = "def run(x):\n    return helper(x) + 1\n\ndef helper(y):\n    return y['k'] * 2\n"
linecache.cache["<plugin>"] = (len(source), None, source.splitlines(True), "<plugin>")
space = {}
exec(compile(source, "<plugin>", "exec"), space)
print(space["run"]({"k": 4}), sorted(k for k in space if k[0] != "_"))
try:
    exec("1/0")
except ZeroDivisionError as e:
    print(e.__traceback__.tb_next.tb_frame.f_code.co_filename)
try:
    eval("undefined_in_eval + 1", {"__builtins__": {}}, {})
except NameError as e:
    print(e)
print(eval("run({'q': 1})", space))
