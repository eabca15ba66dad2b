//! Idioms that do the same: to exchange one for the other is no difference, and what is changed with it shows.

use crate::support::repo::alike_in_place as alike;

#[test]
fn locks_are_held_in_either_way() {
    alike(
        "class C:\n    def f(self):\n        self.lock.acquire()\n        try:\n            return self.n\n        finally:\n            \
         self.lock.release()\n",
        "class C:\n    def f(self):\n        with self.lock:\n            return self.n\n",
        ("with self.lock", "if True"),
    );
}

#[test]
fn regular_expressions_are_compiled_or_not() {
    alike(
        "import re\ndef f(s):\n    found = re.match(r'(\\d+)-(\\d+)', s, re.I)\n    if not found:\n        return None\n    \
         return found.group(1)\n",
        "import re\nRANGE = re.compile(r'(\\d+)-(\\d+)', re.I)\ndef f(s):\n    found = RANGE.match(s)\n    return \
         found.group(1) if found else None\n",
        ("(\\d+)-(\\d+)", "(\\d+)/(\\d+)"),
    );
}

#[test]
fn arguments_are_declared_or_taken_by_key() {
    alike(
        "class C:\n    def __init__(self, *args, **kwargs):\n        self.only = kwargs.pop('only', False)\n        self.args = \
         args\n        self.more = kwargs\n",
        "class C:\n    def __init__(self, *args, only: bool = False, **kwargs):\n        self.only = only\n        self.args = \
         args\n        self.more = kwargs\n",
        ("False", "True"),
    );
}

#[test]
fn properties_are_read_or_what_they_read() {
    let class = "class C:\n    @property\n    def size(self):\n        return self._size\n    def f(self):\n";
    alike(
        &format!("{class}        return self.size + 1\n"),
        &format!("{class}        return self._size + 1\n"),
        ("+ 1", "+ 2"),
    );
    let class = "class C:\n    @property\n    def total(self):\n        self.known = self._size + 1\n        return self.known\n    \
                 def f(self):\n";
    alike(
        &format!("{class}        return self.total\n"),
        &format!("{class}        self.known = known = self._size + 1\n        return known\n"),
        ("self.known = known =", "known ="),
    );
}

#[test]
fn attributes_and_items_are_read_by_a_function_or_an_expression() {
    alike(
        "def f(xs):\n    return sorted(xs, key=lambda x: x.name)\n",
        "from operator import attrgetter\ndef f(xs):\n    return sorted(xs, key=attrgetter('name'))\n",
        ("'name'", "'size'"),
    );
    alike(
        "class C:\n    def f(self, event):\n        for call in self.callbacks[:]:\n            call(event)\n",
        "class C:\n    def f(self, event):\n        for call in list(self.callbacks):\n            call(event)\n",
        ("list(self.callbacks)", "list(self.callbacks)[1:]"),
    );
}

#[test]
fn values_that_are_nothing_are_false() {
    alike(
        "def f(n):\n    if n % 2 == 0:\n        return 'even'\n    return 'odd'\n",
        "def f(n):\n    return 'odd' if n % 2 else 'even'\n",
        ("'odd' if", "'even' if"),
    );
    alike(
        "ABSENT = object()\ndef f(table, key):\n    if key not in table or table[key] == []:\n        return 1\n    return 2\n",
        "ABSENT = object()\ndef f(table, key):\n    return 1 if table.get(key, ABSENT) in [[], ABSENT] else 2\n",
        ("[[], ABSENT]", "[ABSENT]"),
    );
    alike(
        "class C:\n    def __exit__(self, kind, value, traceback):\n        self.end()\n        return False\n",
        "class C:\n    def __exit__(self, *error):\n        self.end()\n",
        ("self.end()", "return self.end() or True"),
    );
}

#[test]
fn numbers_are_counted_with_in_either_way() {
    alike("def f(n):\n    return n * n\n", "def f(n):\n    return n ** 2\n", ("2", "3"));
    alike("def f(w, h):\n    return w * h\n", "def f(w, h):\n    area = h * w\n    return area\n", ("h * w", "h + w"));
    alike("def f(a, b):\n    return (a - b) / 2\n", "def f(a, b):\n    return 0.5 * (a - b)\n", ("0.5", "0.25"));
    alike(
        "def f(n):\n    found = []\n    i = 0\n    while i < n:\n        found.append(i)\n        i += 1\n    return found\n",
        "def f(n):\n    return list(range(n))\n",
        ("range(n)", "range(n + 1)"),
    );
    alike(
        "def f(n):\n    if n < 0:\n        raise ValueError\n    return n + 1\n",
        "def f(n):\n    if n + 1 < 1:\n        raise ValueError\n    return n + 1\n",
        ("< 1", "< 3"),
    );
}

#[test]
fn texts_are_searched_in_either_way() {
    alike("def f(s):\n    return s.find('x') != -1\n", "def f(s):\n    return 'x' in s\n", ("'x'", "'y'"));
    alike(
        "def f(s):\n    if s[-1:] == '/':\n        s = s[:-1]\n    return s\n",
        "def f(s):\n    return s[:-1] if s.endswith('/') else s\n",
        ("'/'", "'-'"),
    );
}

#[test]
fn nothing_of_any_kind_is_the_default() {
    alike(
        "class C:\n    def f(self, key):\n        return [x.name for x in self.rows.get(key, [])]\n",
        "class C:\n    def f(self, key):\n        return [x.name for x in self.rows.get(key, ())]\n",
        ("key, ()", "key, (1,)"),
    );
}

#[test]
fn caches_are_asked_before_or_after() {
    alike(
        "class C:\n    def f(self, key):\n        if key in self.cache:\n            return self.cache[key]\n        self.cache[key] = \
         value = key.upper()\n        return value\n",
        "class C:\n    def f(self, key):\n        try:\n            return self.cache[key]\n        except KeyError:\n            \
         self.cache[key] = value = key.upper()\n            return value\n",
        ("upper", "lower"),
    );
}

#[test]
fn errors_are_swallowed_in_either_way() {
    alike(
        "import os\ndef f(path):\n    try:\n        os.remove(path)\n    except OSError:\n        pass\n",
        "import contextlib\nimport os\ndef f(path):\n    with contextlib.suppress(OSError):\n        os.remove(path)\n",
        ("suppress(OSError)", "suppress(KeyError)"),
    );
}

#[test]
fn groups_of_a_match_are_items_of_it() {
    alike(
        "import re\ndef f(line):\n    m = re.match(r'(\\d+)', line)\n    if m:\n        return m.group(1)\n    return None\n",
        "import re\ndef f(line):\n    if m := re.match(r'(\\d+)', line):\n        return m[1]\n    return None\n",
        ("m[1]", "m[0]"),
    );
}

#[test]
fn functions_are_given_arguments_in_either_way() {
    let run = "def run(item, flag=False):\n    return item, flag\n";
    alike(
        &format!(
            "from functools import partial\ndef f(pool, items, flag):\n    return pool.map(partial(run, flag=flag), items)\n{run}"
        ),
        &format!("def f(pool, items, flag):\n    return pool.map(lambda item: run(item, flag=flag), items)\n{run}"),
        ("flag=flag", "flag=not flag"),
    );
}

#[test]
fn texts_are_put_together_in_either_way() {
    alike(
        "class C:\n    def f(self, n):\n        return self.make(self.id + self._sep + str(n))\n",
        "class C:\n    def f(self, n):\n        return self.make(f'{self.id}{self._sep}{n}')\n",
        ("{self._sep}", "-"),
    );
}

#[test]
fn mappings_are_copied_and_asked_in_either_way() {
    alike(
        "def f(a, b):\n    found = a.copy()\n    found.update(b)\n    return found\n",
        "def f(a, b):\n    return {**a, **b}\n",
        ("{**a, **b}", "{**b, **a}"),
    );
    alike(
        "def f(table):\n    try:\n        return table['a']['b']\n    except KeyError:\n        return None\n",
        "def f(table):\n    return table.get('a', {}).get('b')\n",
        ("'b'", "'c'"),
    );
    alike(
        "def f(names, values):\n    found = {}\n    for i in range(len(names)):\n        found[names[i]] = values[i]\n    return found\n",
        "def f(names, values):\n    found = {}\n    for i, name in enumerate(names):\n        found[name] = values[i]\n    return found\n",
        ("values[i]", "values[0]"),
    );
}

#[test]
fn builtins_of_python_2_are_those_of_python_3() {
    alike(
        "def f(x):\n    return isinstance(x, (int, long))\n",
        "def f(x):\n    return isinstance(x, int)\n",
        ("int", "str"),
    );
}

#[test]
fn what_containers_lack_is_asked_for_or_waited_for() {
    alike(
        "def f(m, k):\n    try:\n        v = m.pop(k)\n    except KeyError:\n        v = None\n    return v\n",
        "def f(m, k):\n    return m.pop(k, None)\n",
        ("None", "0"),
    );
    alike(
        "def f(xs, x):\n    try:\n        xs.remove(x)\n    except ValueError:\n        pass\n    return xs\n",
        "def f(xs, x):\n    if x in xs:\n        xs.remove(x)\n    return xs\n",
        ("xs.remove(x)", "xs.append(x)"),
    );
    alike(
        "def f(xs, x):\n    try:\n        return xs.index(x)\n    except ValueError:\n        return -1\n",
        "def f(xs, x):\n    return xs.index(x) if x in xs else -1\n",
        ("-1", "0"),
    );
}

#[test]
fn elements_that_were_seen_are_kept_in_lists_or_as_keys() {
    alike(
        "def f(xs):\n    seen = []\n    for x in xs:\n        if x not in seen:\n            seen.append(x)\n    return seen\n",
        "def f(xs):\n    return list(dict.fromkeys(xs))\n",
        ("dict.fromkeys(xs)", "xs"),
    );
}

#[test]
fn functions_call_themselves_or_loop() {
    alike(
        "def f(n):\n    if n <= 1:\n        return 1\n    return n * f(n - 1)\n",
        "def f(n):\n    result = 1\n    while n > 1:\n        result *= n\n        n -= 1\n    return result\n",
        ("n > 1", "n > 2"),
    );
}

#[test]
fn folders_are_made_unless_they_are_there() {
    alike(
        "import os\ndef f(path):\n    if not os.path.exists(path):\n        os.makedirs(path)\n    return os.path.isdir(path)\n",
        "import os\ndef f(path):\n    os.makedirs(path, exist_ok=True)\n    return os.path.isdir(path)\n",
        ("    os.makedirs(path, exist_ok=True)\n", ""),
    );
}

#[test]
fn what_a_library_closes_can_be_closed() {
    alike(
        "def f(conn):\n    conn.open()\n    try:\n        return conn.read()\n    finally:\n        conn.close()\n",
        "import contextlib\ndef f(conn):\n    conn.open()\n    with contextlib.closing(conn):\n        return conn.read()\n",
        ("contextlib.closing(conn)", "contextlib.nullcontext()"),
    );
}

#[test]
fn methods_of_texts_give_texts() {
    alike(
        "def f(lines):\n    return [line for line in lines if line.strip() != '']\n",
        "def f(lines):\n    return [line for line in lines if line.strip()]\n",
        ("if line.strip()", "if not line.strip()"),
    );
}

#[test]
fn functions_that_are_returned_are_given_arguments_in_either_way() {
    alike(
        "def g(a, b):\n    return (a, b)\ndef f(x):\n    return lambda b: g(x, b)\n",
        "import functools\ndef g(a, b):\n    return (a, b)\ndef f(x):\n    return functools.partial(g, x)\n",
        ("partial(g, x)", "partial(g, [x])"),
    );
}

#[test]
fn elements_are_joined_from_a_list_or_a_generator() {
    alike(
        "def f(parts):\n    names = []\n    for part in parts:\n        names.append(part.name)\n    return ', '.join(names)\n",
        "def f(parts):\n    return ', '.join(part.name for part in parts)\n",
        ("', '", "','"),
    );
    alike(
        "def f(parts):\n    text = ''\n    for part in parts:\n        text += part.name\n    return text\n",
        "def f(parts):\n    return ''.join(part.name for part in parts)\n",
        ("part.name for", "part.title for"),
    );
}

#[test]
fn a_key_that_is_written_out_is_looked_for_or_its_absence_handled() {
    alike(
        "def f(d):\n    if 'a' in d and d['a']:\n        return d['a']\n    return None\n",
        "def f(d):\n    try:\n        return d['a'] or None\n    except KeyError:\n        return None\n",
        ("or None", "or 0"),
    );
}
