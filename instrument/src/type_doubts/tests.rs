use super::TypeDoubt;
use crate::semantic::SourceModel;

/// Lines with doubts, each with the first kind that there is.
fn doubts(source: &str) -> Vec<(usize, TypeDoubt)> {
    let model = SourceModel::parse(source).expect("it parses");
    let found = model.type_doubts();
    let mut start = 0;
    let mut lines = Vec::new();
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let within = found.within(&(start..start + line.len() as u32));
        start += line.len() as u32;
        lines.extend(TypeDoubt::ALL.into_iter().zip(within).filter(|(_, is)| *is).map(|(kind, _)| (number + 1, kind)));
    }
    lines
}

#[test]
fn operations_that_builtin_types_lack_are_found() {
    use TypeDoubt::{Attribute, Operation};
    for (source, expected) in [
        ("for i in int(input()):\n    pass\n", (1, Operation)),
        ("a = input().split()\nx = a[0]\nprint(x * a[1])\n", (3, Operation)),
        ("arr = list(int, input().split())\n", (1, Operation)),
        ("ts = []\nfor i in range(3):\n    ts.appned(i)\n", (3, Attribute)),
        ("a, b = map(int, input().split)\n", (1, Operation)),
        ("d = {}\nif len(d.keys() == 3):\n    pass\n", (2, Operation)),
        ("s = input()\ns[1] = s[1].lower()\n", (2, Operation)),
        ("print('ab'.capitalize.swapcase)\n", (1, Attribute)),
        ("a, b = map(input().split())\n", (1, Operation)),
        ("s = str(input())\nx = s[:2]\nif 0 < x < 13:\n    pass\n", (3, Operation)),
        ("n = int(input())\nfor i in range(1, n / 2):\n    pass\n", (2, Operation)),
        ("x = []\nx.append(max(1 + 2), 0)\n", (2, Operation)),
        ("def f(a):\n    return a.lower()\nf(3)\n", (2, Attribute)),
        ("def f(a):\n    return a + 1\nprint(f(3).upper())\n", (3, Attribute)),
        ("def f(a, b):\n    return a\nf(1)\n", (3, Operation)),
        ("for i, word in enumerate(input().split()):\n    print(word + i)\n", (2, Operation)),
        ("print('-'.join([1, 2]))\n", (1, Operation)),
        ("total = 0\nfor word in input().split():\n    total += word\n", (3, Operation)),
        ("total = 0\nfor word in input().split():\n    total += word\nprint('sum: ' + total)\n", (4, Operation)),
        ("n = input()\nwhile n > 0:\n    n = n - 1\n", (2, Operation)),
    ] {
        assert!(doubts(source).contains(&expected), "{source}: {:?}", doubts(source));
    }
}

#[test]
fn what_can_be_right_raises_no_doubt() {
    for source in [
        "n = input()\nn = int(n)\nprint(n + 1)\n",
        "def f(a):\n    return a.b + a[0]\n",
        "import math\nprint(math.sqrt(4) + 1)\n",
        "x = []\nx.append([1, 2])\nfor a, b in x:\n    print(a + b)\n",
        "def input():\n    return 3\nprint(input() + 1)\n",
        "m = [[0] * 3 for _ in range(3)]\nm[0][1] = 'a'\nprint(m[1][2])\n",
        "x = 1\nx = 'a' if x else 'b'\nprint(x.upper())\n",
        "a, b = input().split()\nprint(a + b, '%d' % 3)\n",
        "n, *rest = map(int, input().split())\nprint(sum(rest) + n, max(rest), sorted(rest)[-1] // 2)\n",
        "try:\n    n = int(input())\nexcept ValueError:\n    exit()\nprint(n % 3)\n",
        "def f():\n    global g\n    g = 'a'\ng = 1\nf()\nprint(g.upper())\n",
        "list = [1]\nprint(list[0])\n",
        "from numpy import *\nx = abs([1]) - sum([[1]])\n",
        "import enum\nclass A(enum.Enum):\n    B = 1\nfor a in A:\n    print(len(A))\n",
        "class A:\n    def abs(self):\n        pass\n    def set(self, a):\n        return abs(a), set()\n",
        "@cached\ndef f():\n    pass\nfor a in f:\n    print(a)\n",
        "def f(a):\n    if isinstance(a, str):\n        return a.upper()\n    return a + 1\nf(1)\n",
        "a = 0\nfor i in range(3):\n    b = a\n    a = input()\n    if b:\n        print(a + 'x')\n",
        "d = {}\nfor k, v in d.items():\n    print(k + v)\n",
        "class A:\n    def f(self):\n        return self.g + 1\na = A()\na.f().x\n",
        "print(sum(1 for _ in range(3)) / 2 ** 0.5, -True, not [], 1 if [] else 'a')\n",
    ] {
        assert_eq!(doubts(source), [], "{source}");
    }
}

#[test]
fn loops_of_any_depth_are_gone_over_in_time() {
    let loops = (0..60).map(|depth| format!("{}for x{depth} in range(3):\n", " ".repeat(depth)));
    let source = loops.collect::<String>() + &" ".repeat(60) + "print(1 + 'a')\nprint(2 + 'b')\n";
    assert_eq!(doubts(&source), [(62, TypeDoubt::Operation)]);
}

#[test]
fn doubts_about_some_types_and_about_texts_that_are_unpacked_have_their_own_kinds() {
    assert_eq!(doubts("x = 1\nif input():\n    x = 'a'\nprint(x + 1)\n"), [(4, TypeDoubt::Partly)]);
    assert_eq!(doubts("a, b = input()\n"), [(1, TypeDoubt::Unpacking)]);
}
