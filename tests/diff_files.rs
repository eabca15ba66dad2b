//! Ways to open, read and write files: to exchange one for another is no difference, and what is changed with it shows.

use crate::support::repo::alike_in_place as alike;

#[test]
fn files_are_closed_and_read_in_either_way() {
    alike(
        "def f(path):\n    file = open(path)\n    try:\n        return file.read()\n    finally:\n        file.close()\n",
        "def f(path):\n    with open(path) as file:\n        return file.read()\n",
        ("file.read()", "file.readline()"),
    );
    alike(
        "def f(path):\n    return [line.split(',') for line in open(path)]\n",
        "def f(path):\n    with open(path) as file:\n        return [line.split(',') for line in file]\n",
        ("split(',')", "split(';')"),
    );
    alike(
        "def f(path):\n    with open(path) as file:\n        return [line.strip() for line in file.readlines()]\n",
        "def f(path):\n    with open(path) as file:\n        return [line.strip() for line in file]\n",
        ("strip", "rstrip"),
    );
}

#[test]
fn files_are_opened_by_functions_or_methods_of_paths() {
    alike(
        "def f(path):\n    with open(path, encoding='utf-8') as file:\n        return file.read()\n",
        "from pathlib import Path\ndef f(path):\n    return Path(path).read_text('UTF-8')\n",
        ("read_text('UTF-8')", "read_text('latin-1')"),
    );
    alike(
        "def f(path, data):\n    with open(path, 'wb') as file:\n        file.write(data)\n",
        "from pathlib import Path\ndef f(path, data):\n    Path(path).write_bytes(data)\n",
        ("write_bytes(data)", "write_bytes(data[1:])"),
    );
    alike(
        "import os\ndef f(folder):\n    return [line for line in open(os.path.join(folder, 'a.txt'), 'rt')]\n",
        "from pathlib import Path\ndef f(folder):\n    with (Path(folder) / 'a.txt').open() as file:\n        return list(file)\n",
        ("'a.txt'", "'b.txt'"),
    );
    alike(
        "import codecs\ndef f(path):\n    with codecs.open(path, 'r', 'utf-8') as file:\n        return file.read()\n",
        "def f(path):\n    with open(path, encoding='utf-8') as file:\n        return file.read()\n",
        ("encoding='utf-8'", "mode='rb'"),
    );
}

#[test]
fn files_of_other_paths_are_other_files() {
    alike(
        "from pathlib import Path\ndef f(one, other):\n    return Path(one).read_text()\n",
        "from pathlib import Path\ndef f(one, other):\n    path = Path(one)\n    return path.read_text()\n",
        ("Path(one)", "Path(other)"),
    );
}
