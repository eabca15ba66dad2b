use super::*;

fn alike(old: &str, new: &str) -> bool {
    let parsed = |text: &str| SourceModel::parse(text).expect("it parses");
    have_one_form(&parsed(old), &parsed(new), false)
}

#[test]
fn what_is_written_otherwise_and_does_the_same_has_one_form() {
    for (old, new) in [
        (
            "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
            "def f(a):\n    if a:\n        return 1\n    return 2\n",
        ),
        (
            "def f(a):\n    if a:\n        return 1\n    elif b:\n        g()\n    else:\n        h()\n",
            "def f(a):\n    if a:\n        return 1\n    if b:\n        g()\n    else:\n        h()\n",
        ),
        (
            "def f(a):\n    for x in a:\n        if x:\n            return x\n    else:\n        return None\n",
            "def f(a):\n    for x in a:\n        if x:\n            return x\n",
        ),
        ("def f(a):\n    if a:\n        if a.b:\n            g()\n", "def f(a):\n    if a and a.b:\n        g()\n"),
        ("def f(a):\n    result = g(a)\n    return result\n", "def f(a):\n    return g(a)\n"),
        (
            "def f(a):\n    raise ValueError('no %s: %d' % (a, a.b))\n",
            "def f(a):\n    raise ValueError(f'{a} is wrong, {a.b}') from None\n",
        ),
        (
            "class C(object):\n    def f(self):\n        super(C, self).f()\n",
            "class C:\n    def f(self):\n        super().f()\n",
        ),
        (
            "def f():\n    try:\n        g()\n    except IOError as error:\n        raise E\n",
            "def f():\n    try:\n        g()\n    except OSError:\n        raise E()\n",
        ),
        ("def f(a):\n    return not a in set([1, 2])\n", "def f(a):\n    return a not in {1, 2}\n"),
        (
            "def f(a):\n    warnings.warn('old', DeprecationWarning)\n",
            "def f(a):\n    warnings.warn('older', DeprecationWarning, stacklevel=2)\n",
        ),
        (
            "from typing import Dict, cast\ndef f(a):\n    return cast(int, a.encode('utf-8'))\n",
            "def f(a):\n    return a.encode()\n",
        ),
        ("import typing as t\ndef f(a):\n    return t.cast('C', a).b\n", "def f(a):\n    return a.b\n"),
        ("def f(a):\n    setattr(a, 'b', getattr(a, 'c'))\n", "def f(a):\n    a.b = a.c\n"),
        ("def f(a):\n    return [a[0:x] for x in range(0, 3)]\n", "def f(a):\n    return [a[:x] for x in range(3)]\n"),
        (
            "def f(a):\n    return isinstance(a, (B,)) or isinstance(a, c.D)\n",
            "def f(a):\n    return isinstance(a, (B, c.D))\n",
        ),
        ("def f(a, b):\n    return a >= 0 and a < b\n", "def f(a, b):\n    return 0 <= a < b\n"),
        ("def f(a):\n    return dict(b=1, c=a)\n", "def f(a):\n    return {'b': 1, 'c': a}\n"),
        ("def f(a):\n    return dict([(b, c.d) for b, c in a])\n", "def f(a):\n    return {b: c.d for b, c in a}\n"),
        ("def f(a):\n    return ', '.join([b.c for b in a])\n", "def f(a):\n    return ', '.join(b.c for b in a)\n"),
        ("def f(a):\n    return list(map(lambda b: b.c, a))\n", "def f(a):\n    return [b.c for b in a]\n"),
        ("def f(a):\n    return set(filter(lambda b: b.c, a))\n", "def f(a):\n    return {b for b in a if b.c}\n"),
        (
            "def f(a):\n    return [b.c for b in a.keys() if b in d.keys()]\n",
            "def f(a):\n    return [b.c for b in a if b in d]\n",
        ),
        ("def f(a, b):\n    return b in list(a.keys())\n", "def f(a, b):\n    return b in a\n"),
        ("def f(a):\n    return [b for b in a]\n", "def f(a):\n    return list(a)\n"),
        ("def f(a):\n    return list(sorted(list(a)))\n", "def f(a):\n    return sorted(a)\n"),
        ("def f(a, b):\n    return b if not a else a\n", "def f(a, b):\n    return a or b\n"),
        (
            "def f(a):\n    if a.b:\n        c = 1\n    else:\n        c = a\n    g(c, c)\n",
            "def f(a):\n    c = 1 if a.b else a\n    g(c, c)\n",
        ),
        ("def f(a):\n    if a.b:\n        return 1\n    return a\n", "def f(a):\n    return 1 if a.b else a\n"),
        (
            "def f(a):\n    with a.b:\n        with c() as d:\n            g(d, d)\n",
            "def f(a):\n    with a.b, c() as d:\n        g(d, d)\n",
        ),
        (
            "def f(a):\n    try:\n        g()\n    except (E,):\n        h()\n",
            "def f(a):\n    try:\n        g()\n    except E:\n        h()\n",
        ),
    ] {
        assert!(alike(old, new), "{old}{new}");
        assert!(alike(new, old), "{new}{old}");
    }
}

#[test]
fn what_does_something_else_has_another_form() {
    for (old, new) in [
        (
            "def f(a):\n    for x in a:\n        if x:\n            break\n    else:\n        g()\n",
            "def f(a):\n    for x in a:\n        if x:\n            break\n    g()\n",
        ),
        ("def f(a):\n    if a:\n        g()\n    else:\n        h()\n", "def f(a):\n    if a:\n        g()\n    h()\n"),
        ("def f(a):\n    raise ValueError(a)\n", "def f(a):\n    raise TypeError(a)\n"),
        (
            "from sqlalchemy import cast\ndef f(a, b):\n    return cast(a, b)\n",
            "from sqlalchemy import cast\ndef f(a, b):\n    return cast(b, b)\n",
        ),
        ("from typing import cast\ndef f(a):\n    return map(cast, a)\n", "def f(a):\n    return map(cast, a)\n"),
        ("def f(a):\n    raise ValueError('no %s' % a.b)\n", "def f(a):\n    raise ValueError('no %s' % a.c)\n"),
        ("def f(a):\n    return getattr(a, 'b', 1)\n", "def f(a):\n    return a.b\n"),
        (
            "class C:\n    def f(self):\n        return getattr(self, '__b')\n",
            "class C:\n    def f(self):\n        return self.__b\n",
        ),
        ("def f(a, b):\n    return a.c() < b and b.c() < 2\n", "def f(a, b):\n    return a.c() < b.c() < 2\n"),
        ("def f(a, b):\n    return a < b and a < 2\n", "def f(a, b):\n    return a < b < 2\n"),
        ("def f(a):\n    return any([b.c() for b in a])\n", "def f(a):\n    return any(b.c() for b in a)\n"),
        ("def f(a, list):\n    return [b for b in a]\n", "def f(a, list):\n    return list(a)\n"),
        ("def f(a):\n    return a.b if a.b() else 1\n", "def f(a):\n    return a.b() or 1\n"),
        ("def f(a):\n    raise SystemExit('a')\n", "def f(a):\n    raise SystemExit('b')\n"),
        (
            "def f(a):\n    x = g(a)\n    h(lambda: x)\n    x = 1\n    return x\n",
            "def f(a):\n    x = g(a)\n    h(lambda: x)\n    return 1\n",
        ),
        ("def f(a, set):\n    return set([a])\n", "def f(a, set):\n    return {a}\n"),
        (
            "class C(B):\n    def f(self):\n        super(B, self).f()\n",
            "class C(B):\n    def f(self):\n        super().f()\n",
        ),
        (
            "def f(a):\n    if a:\n        if a.b:\n            g()\n        else:\n            h()\n",
            "def f(a):\n    if a and a.b:\n        g()\n    else:\n        h()\n",
        ),
    ] {
        assert!(!alike(old, new), "{old}{new}");
    }
    let [old, new] = ["def f():\n    raise E('a')\n", "def f():\n    raise E('b')\n"]
        .map(|text| SourceModel::parse(text).expect("it parses"));
    assert!(!have_one_form(&old, &new, true), "messages count if they should");
}
