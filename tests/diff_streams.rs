//! Streams that `surmise diff` gives to functions, and those that they return: what is in them counts.

use crate::diff_values::{different, equal};

#[test]
fn what_is_written_to_a_given_stream_counts() {
    let old = "from typing import TextIO\ndef emit(out: TextIO, name: str) -> None:\n    out.write(\"x = \" + name)\n";
    let found = different(old, &old.replace("x = ", "y = "));
    let entry = found["witness"]["new"].as_str().unwrap_or_default();
    assert!(entry.starts_with("state out is now StringIO('y = "), "{found:#}");
    equal(old, &old.replace("\"x = \" + name", "f\"x = {name}\""));
    different(old, &format!("{old}    out.close()\n"));
    let bytes = "from typing import IO\ndef emit(out: IO[bytes]) -> None:\n    out.write(b\"x\")\n";
    different(bytes, &bytes.replace("b\"x\"", "b\"y\""));
    let json = "import json\nfrom typing import TextIO\ndef emit(out: TextIO, data: dict) -> None:\n    json.dump(data, out)\n";
    equal(json, &json.replace("json.dump(data, out)", "out.write(json.dumps(data))"));
}

#[test]
fn a_returned_stream_is_what_is_in_it() {
    let old = "import io\ndef page(title):\n    out = io.StringIO()\n    out.write('# ')\n    print(title, file=out)\n    \
               return out\n";
    different(old, &old.replace("# ", "## "));
    equal(old, &old.replace("    print(title, file=out)\n", "    out.write(str(title) + '\\n')\n"));
}

#[test]
fn given_streams_have_several_lines() {
    let old = "from typing import TextIO\ndef read(file: TextIO):\n    return file.read()\n";
    different(old, &old.replace("file.read()", "file.readline()"));
    let rows = "import io\ndef read(file: io.BytesIO):\n    return [line.strip() for line in file]\n";
    different(rows, &rows.replace("in file", "in list(file)[:2]"));
    equal(rows, &rows.replace("in file", "in file.readlines()"));
}
