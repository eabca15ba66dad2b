"""Where the program is: which of its frames runs, what instruction, what its handlers would catch."""

import opcode
import sys

OPNAMES = opcode.opname
RECORDING = ("<surmise recording>", "<surmise nodes>")  # frames in between while a run is recorded


class Situation:
    """Needs `filename`, `own_files`, `tries`, `choices` and `native`."""

    def frame(self):
        """The innermost running frame of the snippet, or None."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename not in self.own_files:
            frame = frame.f_back
        return frame

    def place(self):
        """What identifies the running instruction of the snippet."""
        frame = self.frame()
        return (frame.f_code, frame.f_lasti) if frame is not None else None

    def opcode_at(self, frame):
        code, at = frame.f_code.co_code, frame.f_lasti
        if not 0 <= at < len(code):
            return "", 0
        return OPNAMES[code[at]], code[at + 1]

    def caller_opcode(self):
        """The instruction that the calling frame of the snippet is at."""
        frame = sys._getframe(2)
        while frame.f_code.co_filename in RECORDING:
            frame = frame.f_back
        return self.opcode_at(frame)[0] if frame.f_code.co_filename in self.own_files else ""

    def expected(self, kind):
        """True if a handler of the snippet would catch an exception of this class."""
        if not self.tries:
            return False
        frame = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            if code.co_filename in self.own_files:
                scope = 0 if code.co_name == "<module>" else code.co_firstlineno
                for first, last, scope_line, catches in self.tries.get(code.co_filename, ()):
                    if first <= frame.f_lineno <= last and scope_line == scope:
                        if any(self.catches(frame, name, kind) for name in catches):
                            return True
            frame = frame.f_back
        return False

    def expects(self, kind, what):
        """The same for a site (a number) or an import (a text): tells the parent, whose search may decide otherwise."""
        if not self.expected(kind):
            return False
        key = f"expected:{what}"
        if self.choices.get(key) is False:
            return False
        frame = self.frame()
        self.native.expected(key, frame.f_lineno if frame is not None else 0)
        return True

    def catches(self, frame, dotted, kind):
        if dotted is None:
            return True
        value = look_up(frame, dotted)
        for candidate in value if type(value) is tuple else (value,):
            if isinstance(candidate, type) and issubclass(candidate, BaseException) and issubclass(kind, candidate):
                return True
        return False

    def from_snippet(self, error):
        """True if the exception passed through a frame of the snippet."""
        traceback = error.__traceback__
        while traceback is not None:
            frame = traceback.tb_frame
            if frame.f_code.co_filename in self.own_files and frame is not self.frame():
                return True
            traceback = traceback.tb_next
        return False


def look_up(frame, dotted):
    """What a dotted name of modules and classes means in a frame, or None."""
    root, *rest = dotted.split(".")
    for namespace in (frame.f_locals, frame.f_globals, frame.f_builtins):
        if root in namespace:
            value = namespace[root]
            break
    else:
        return None
    for part in rest:
        if not isinstance(value, (type, type(sys))):
            return None
        value = getattr(value, part, None)
    return value
