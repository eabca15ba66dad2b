//! Further idioms of objects and texts that are made up: comparisons with constants, conversions, matches, methods that need no
//! object.

use crate::support::repo::alike_in_place as alike;

#[test]
fn constants_are_compared_or_looked_up() {
    alike(
        "def f(event):\n    if event.kind == 'start':\n        return event.begin()\n    if event.kind == 'stop':\n        return \
         event.end()\n    raise ValueError(event.kind)\n",
        "def f(event):\n    calls = {'start': event.begin, 'stop': event.end}\n    if event.kind not in calls:\n        raise \
         ValueError(event.kind)\n    return calls[event.kind]()\n",
        ("'stop': event.end", "'stop': event.begin"),
    );
    alike(
        "def f(reply):\n    return reply.code == 200 or reply.code == 404\n",
        "KNOWN = {200, 404}\ndef f(reply):\n    return reply.code in KNOWN\n",
        ("404", "405"),
    );
    alike(
        "def f(event):\n    return event['kind'] != 'a' and event['kind'] != 'b'\n",
        "def f(event):\n    return event['kind'] not in ('a', 'b')\n",
        ("('a', 'b')", "('a',)"),
    );
}

#[test]
fn the_least_is_compared_or_asked_for() {
    alike(
        "def f(job, other):\n    if job.size < other.size:\n        return job.size\n    return other.size\n",
        "def f(job, other):\n    return min(job.size, other.size)\n",
        ("min", "max"),
    );
}

#[test]
fn what_has_a_length_is_measured_or_true() {
    alike(
        "def f(job, done):\n    if len(job.tasks) > 0:\n        done.append(job.tasks[0])\n",
        "def f(job, done):\n    if job.tasks:\n        done.append(job.tasks[0])\n",
        ("if job.tasks", "if not job.tasks"),
    );
}

#[test]
fn flags_are_true_or_equal_to_it() {
    alike(
        "def f(jobs):\n    return [job for job in jobs if job.done == True]\n",
        "def f(jobs):\n    return [job for job in jobs if job.done]\n",
        ("if job.done", "if not job.done"),
    );
}

#[test]
fn texts_are_parted_in_either_way() {
    alike(
        "def f(node):\n    parts = node.spec.split(':')\n    return parts[0], parts[1:]\n",
        "def f(node):\n    first, *others = node.spec.split(':')\n    return first, others\n",
        ("split(':')", "split(';')"),
    );
    alike(
        "def f(line):\n    at = line.find('=')\n    if at == -1:\n        return line, ''\n    return line[:at], line[at + 1:]\n",
        "def f(line):\n    key, _, value = line.partition('=')\n    return key, value\n",
        ("partition", "rpartition"),
    );
    alike(
        "def f(line):\n    return line.text.startswith('#') or line.text.startswith(';')\n",
        "def f(line):\n    return line.text.startswith(('#', ';'))\n",
        ("('#', ';')", "('#', ',')"),
    );
    alike(
        "def f(project):\n    return project.name.replace('-', '_').replace('.', '_')\n",
        "import re\ndef f(project):\n    return re.sub('[-.]', '_', project.name)\n",
        ("[-.]", "[-,]"),
    );
}

#[test]
fn streams_are_loaded_or_read() {
    alike(
        "import json\ndef f(store):\n    with store.open() as stream:\n        return json.loads(stream.read())\n",
        "import json\ndef f(store):\n    with store.open() as stream:\n        return json.load(stream)\n",
        ("return json.load(stream)", "json.load(stream)"),
    );
}

#[test]
fn groups_of_a_match_come_one_by_one_or_together() {
    alike(
        "import re\ndef f(line):\n    found = re.match(r'(\\w+)=(.*)', line)\n    if found:\n        return found.group(1), \
         found.group(2)\n    return None\n",
        "import re\ndef f(line):\n    found = re.match(r'(\\w+)=(.*)', line)\n    return found.groups() if found else None\n",
        ("found.groups()", "found.groups()[:1]"),
    );
    alike(
        "import re\ndef f(line):\n    found = re.search('(?P<a>.)(?P<b>.)', line)\n    return found and (found.group('a'), \
         found.group(0))\n",
        "import re\ndef f(line):\n    found = re.search('(?P<a>.)(?P<b>.)', line)\n    return found and \
         (found.groupdict()['a'], found.group())\n",
        ("['a']", "['b']"),
    );
}

#[test]
fn mappings_are_merged_key_by_key_or_at_once() {
    alike(
        "class Store:\n    def f(self, other):\n        for key in other:\n            self.items[key] = other[key]\n",
        "class Store:\n    def f(self, other):\n        self.items.update(other)\n",
        ("self.items.update(other)", "self.items = other"),
    );
    alike(
        "def f(store, value):\n    store.items['a'] = value\n    return store\n",
        "def f(store, value):\n    store.items.update(a=value)\n    return store\n",
        ("a=value", "b=value"),
    );
}

#[test]
fn methods_that_need_no_object_are_static() {
    alike(
        "class C:\n    def f(self, node):\n        return node.name.lower()\n    def g(self, node):\n        return self.f(node)\n",
        "class C:\n    @staticmethod\n    def f(node):\n        return node.name.lower()\n    def g(self, node):\n        return \
         self.f(node)\n",
        ("lower", "upper"),
    );
}

#[test]
fn methods_are_called_of_the_object_or_of_its_class() {
    alike(
        "def f(tag):\n    return str.lower(tag.name)\n",
        "def f(tag):\n    return tag.name.lower()\n",
        ("lower", "upper"),
    );
}

#[test]
fn mappings_are_copied_in_either_way() {
    alike(
        "def f(d: dict, key: str):\n    copied = d.copy()\n    del copied[key]\n    return copied\n",
        "import copy\ndef f(d: dict, key: str):\n    copied = copy.copy(d)\n    del copied[key]\n    return copied\n",
        ("return copied", "return d"),
    );
}

#[test]
fn objects_of_the_own_class_are_compared() {
    alike(
        "class V:\n    def __init__(self, v):\n        self.v = v\n    def f(self, other):\n        if not isinstance(other, V):\n            \
         return None\n        return self.v == other.v\n",
        "class V:\n    def __init__(self, v):\n        self.v = v\n    def f(self, other):\n        return self.v == other.v if \
         isinstance(other, V) else None\n",
        ("self.v == other.v", "self.v != other.v"),
    );
}

#[test]
fn a_call_of_one_version_alone_does_not_fail() {
    alike(
        "import functools, operator\ndef f(keys, tree):\n    try:\n        return functools.reduce(operator.getitem, keys, tree)\n    \
         except (KeyError, IndexError):\n        return None\n",
        "def f(keys, tree):\n    try:\n        for key in keys:\n            tree = tree[key]\n        return tree\n    except \
         (KeyError, IndexError):\n        return None\n",
        ("return None", "return keys"),
    );
}
