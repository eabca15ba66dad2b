"""Files under tempfile: modes, seek, iteration, csv, pathlib, errors, encodings."""
import csv
import io
import os
import pathlib
import shutil
import tempfile

with tempfile.TemporaryDirectory() as tmp:
    p = pathlib.Path(tmp) / "a.txt"
    print(p.write_text("líne 1\nline 2\r\nline 3", encoding="utf-8"), p.read_bytes())
    with open(p, encoding="utf-8") as f:
        print(f.readline(), f.tell() > 0, [l for l in f], f.read() == "")
        f.seek(0); print(sum(1 for _ in f)); f.seek(0); print(next(f).strip(), next(f, None))
    with p.open("a", encoding="utf-8", newline="") as f: f.write("\nappended"); f.writelines(["x", "y"])
    print(p.read_text("utf-8").splitlines()[-1], p.stat().st_size, p.suffix, p.stem, (p.parent / "no").exists())
    with open(p, "r+b") as f:
        f.seek(2); f.write(b"ZZ"); f.seek(-3, os.SEEK_END); print(f.read(), f.seek(0), f.read(4)); f.truncate(5)
    print(p.read_bytes())
    try: p.read_text("ascii")
    except UnicodeDecodeError as e: print("decode", e.reason)
    else: print("ascii ok")
    rows = [["name", "n"], ["a,b", "1"], ['q"q', ""], ["multi\nline", "2"]]
    with open(p, "w", newline="") as f: csv.writer(f).writerows(rows)
    with open(p, newline="") as f: print(list(csv.reader(f)) == rows)
    with open(p, newline="") as f:
        for r in csv.DictReader(f): print(dict(r))
    (p.parent / "d" / "e").mkdir(parents=True); (p.parent / "d" / "f.py").touch()
    print(sorted(str(x.relative_to(tmp)) for x in p.parent.rglob("*")), sorted(os.listdir(tmp)))
    for root, dirs, files in os.walk(tmp): print(os.path.relpath(root, tmp), sorted(dirs), sorted(files))
    shutil.copy(p, p.with_suffix(".bak")); os.rename(p.with_suffix(".bak"), p.with_name("c")); print(sorted(x.name for x in p.parent.iterdir()))
    try: p.joinpath("x").read_text()
    except NotADirectoryError as e: print(type(e).__name__, e.strerror)
    try: (p.parent / "d").unlink()
    except OSError as e: print(isinstance(e, (PermissionError, IsADirectoryError)))
    f = open(p); f.close(); print(f.closed, f.name == str(p))
    try: f.read()
    except ValueError as e: print(e)
print(os.path.exists(tmp))
b = io.BytesIO(b"abc\ndef"); print(b.readlines(), b.getvalue(), b.seek(1), b.read(2)); t = io.TextIOWrapper(io.BytesIO("é\n".encode()), "utf-8"); print(t.readline())
with tempfile.TemporaryFile("w+") as tf: tf.write("temp"); tf.seek(0); print(tf.read())
s = io.StringIO("l1\nl2"); print([*s], s.read(), s.seek(0), s.readline(), s.closed)
