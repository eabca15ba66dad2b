import os
import sys
import tempfile

folder = tempfile.mkdtemp()
sys.path.insert(0, folder)
with open(os.path.join(folder, "failing_module.py"), "w") as file:
    file.write('print("side effect")\nraise ValueError("no")\n')
try:
    from failing_module import name
except ValueError as error:
    print("caught", error, error.__context__)
try:
    from failing_module import name
except Exception as error:
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        print(os.path.basename(code.co_filename), trace.tb_lineno, code.co_name)
        trace = trace.tb_next
with open(os.path.join(folder, "leaving_module.py"), "w") as file:
    file.write('print("left once")\nimport sys\nsys.exit(3)\n')
try:
    from leaving_module import name
except SystemExit as leaving:
    print("left with", leaving.code)
