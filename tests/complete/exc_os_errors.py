"""OSError subclasses with errno, strerror and filename."""
import errno
import os
import tempfile


def show(label, f, *a, **k):
    try:
        r = f(*a, **k)
    except OSError as e:
        name = os.path.basename(e.filename) if isinstance(e.filename, str) else e.filename
        print(label, type(e).__name__, errno.errorcode.get(e.errno), e.strerror, name)
    except ValueError as e:
        print(label, type(e).__name__, e)
    else:
        print(label, "ok", r)


with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, "file.txt")
    with open(path, "w") as fh:
        fh.write("line one\nline two\n")
    show("missing", open, os.path.join(tmp, "missing.txt"))
    os.mkdir(os.path.join(tmp, "folder"))
    show("isdir", open, os.path.join(tmp, "folder"), "w")
    show("exists", os.mkdir, os.path.join(tmp, "folder"))
    show("excl", open, path, "x")
    show("notdir", os.listdir, path)
    show("rmdir", os.rmdir, os.path.join(tmp, "none"))
    os.mkdir(os.path.join(tmp, "sub"))
    open(os.path.join(tmp, "sub", "inner"), "w").close()
    show("notempty", os.rmdir, os.path.join(tmp, "sub"))
    show("badmode", open, path, "q")
    show("rename", os.rename, os.path.join(tmp, "a"), os.path.join(tmp, "b"))
    show("nul", open, "a\0b")
    f = open(path)
    print(f.readline().rstrip())
    f.close()
    show("closed", f.read)
    with open(path, "rb") as fh:
        show("not writable", fh.write, b"x")
    with open(path) as fh:
        for number, line in enumerate(fh, 1):
            print(number, line.strip())

show("bad fd", os.close, 9999)
show("kill", os.kill, 2 ** 22 + 12345, 0)
for code in (errno.ENOENT, errno.EPERM, errno.EAGAIN, errno.EPIPE, errno.ETIMEDOUT,
             errno.ECONNREFUSED, errno.EINTR, errno.ECHILD, errno.ENOSPC):
    e = OSError(code, "msg", "name")
    print(type(e).__name__, str(e).replace(str(code), "N"), e.args[1:], e.filename)
try:
    raise FileNotFoundError("only message")
except OSError as e:
    print(e, e.errno, e.filename, e.args)
print(IOError is OSError, EnvironmentError is OSError)
