# The marks of lines live in the program's own memory: one that goes for them can mark a line that never ran. This
# pins how far the report can be trusted (docs/sandbox.md); were it `missed`, the page would have to change.
# outcome: completed
# stdout: False
import builtins
ran = False
if ran:
    ran = True
for thing in list(vars(builtins).values()):
    if type(thing) is list:
        for line in range(1, len(thing)):
            thing[line] = 1
print(ran)
