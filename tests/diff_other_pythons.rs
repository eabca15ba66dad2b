//! Code that runs under Python 2 and 3 alike, or did: what its names stand for where nothing else says so.

use serde_json::{Value, json};

use crate::diff_values::{different, equal};
use crate::support::repo::Repo;
use crate::support::verdicts::{errors, missed};
use crate::support::{naive_report, report_by};

#[test]
fn names_of_six_are_what_they_are_under_python_3() {
    let old = "import six\nfrom six.moves import range\nfrom six.moves.urllib.parse import urlsplit\n\n\ndef f(d, s, out):\n    \
               for k, v in six.iteritems(d):\n        out[k] = v\n    if isinstance(s, six.string_types):\n        return \
               six.text_type(s), urlsplit(s).path\n    return out, list(range(2))\n";
    let new = "from urllib.parse import urlsplit\n\n\ndef f(d, s, out):\n    for k, v in d.items():\n        out[k] = v\n    if \
               isinstance(s, str):\n        return str(s), urlsplit(s).path\n    return out, list(range(2))\n";
    equal(old, new);
    different(old, &new.replace("isinstance(s, str)", "isinstance(s, bytes)"));
    let bundled =
        old.replace("import six\n", "from .packages import six\n").replace("from six.moves import range\n", "");
    equal(&bundled.replace("from six.moves.urllib", "from urllib"), new);
}

#[test]
fn names_of_a_missing_compatibility_module_are_no_guess() {
    let old = "from .compat import iteritems, text_type, izip_longest\n\n\ndef f(d, a, b):\n    return [text_type(k) for k, v in \
               iteritems(d)], list(izip_longest(a, b))\n";
    let new = "from itertools import zip_longest\n\n\ndef f(d, a, b):\n    return [str(k) for k, v in d.items()], \
               list(zip_longest(a, b))\n";
    equal(old, new);
    different(old, &new.replace("zip_longest", "chain"));
}

#[test]
fn methods_and_modules_of_python_2_have_other_names() {
    let old = "from itertools import izip_longest\nimport urlparse\n\n\ndef f(d, out, url):\n    for k, v in d.iteritems():\n        \
               out[k] = v\n    return urlparse.urlsplit(url).netloc, list(izip_longest('ab', url))\n";
    let new = "from itertools import zip_longest\nimport urllib.parse\n\n\ndef f(d, out, url):\n    for k, v in d.items():\n        \
               out[k] = v\n    return urllib.parse.urlsplit(url).netloc, list(zip_longest('ab', url))\n";
    equal(old, new);
    different(old, &new.replace("d.items()", "d.popitem()"));
}

#[test]
fn a_program_gets_the_real_things_of_six() {
    let text = "import six\nfrom six.moves import http_client\n\n\nclass Meta(type):\n    pass\n\n\nclass \
                A(six.with_metaclass(Meta, Exception)):\n    pass\n\n\n@six.add_metaclass(Meta)\nclass B(object):\n    __slots__ = \
                ('a',)\n\n\nprint([type(A).__name__, A.__bases__, type(B).__name__, six.PY2, six.b('x'), \
                six.moves.urllib.parse.quote('a b'), http_client.OK.value, six.ensure_text(b'c'), \
                sorted(six.viewkeys({'d': 1}))])\n";
    assert_eq!((errors(text), missed(text, &[])), (vec![], json!([])));
    let printed = "['Meta', (<class 'Exception'>,), 'Meta', False, b'x', 'a%20b', 200, 'c', ['d']]\n";
    let report: Value = naive_report(text, &[]);
    assert_eq!(report["stdout"], json!(printed), "{report:#}");
}

#[test]
fn missing_types_in_annotations_are_no_forms_of_typing() {
    let text = "from typing import Dict, Optional, Tuple, Union\nfrom .types import Path, Binary\n\n\ndef f(a: Tuple[str, Path], b: \
                Dict[str, Binary], c: Union[Path, Binary], d: Optional[Path]) -> Tuple[Path, ...]:\n    return a\n\n\nprint(f(1, 2, \
                3, 4))\n";
    let report = report_by("model", text, &["--runs", "1"]);
    assert_eq!((&report["errors"], &report["stdout"]), (&json!([]), &json!("1\n")), "{report:#}");
    let repo = Repo::new(&[("a.py", text)]);
    repo.commit(&[("a.py", &text.replace("Tuple[str, Path]", "'Tuple[str, Path]'").replace("return a", "return (a)"))]);
    let found = repo.documents(&["HEAD"]);
    assert!(found.iter().all(|found| found["verdict"] == "equal"), "{found:#?}");
}
