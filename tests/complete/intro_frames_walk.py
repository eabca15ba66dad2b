# Whoever walks the frames finds the program's own and no others.
import sys
import traceback


def walk():
    frame, names = sys._getframe(), []
    while frame:
        names.append((frame.f_code.co_name, frame.f_lineno, sorted(name for name in frame.f_globals if "surmise" in name)))
        frame = frame.f_back
    return names


class Reader:
    def __getattr__(self, name):
        return walk()

    def __call__(self):
        return walk()

    @property
    def size(self):
        return len(walk())


print(walk(), Reader().missing, Reader()(), Reader().size)
print(list(map(lambda item: len(walk()), "ab")), sorted("ba", key=lambda item: len(walk())))
print([entry.name for entry in traceback.extract_stack()])
print(sys._current_frames().keys() >= set(), len(sys._current_frames()))
print([name for name in sys.modules if "surmise" in name], [hook for hook in sys.meta_path if "surmise" in repr(hook)])
Reader().size.missing
