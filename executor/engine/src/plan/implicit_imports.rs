//! Implicit imports: undefined names that are used as only a module of the standard library, or what everybody imports
//! from one, is used. The real thing takes their place instead of a predicted value.

use std::collections::BTreeMap;

use surmise_instrument::extract::{Import, imported};
use surmise_instrument::paths::Paths;
use surmise_instrument::{Kind, Site, SourceModel};

use crate::protocol::{ImplicitImport, Preload};

/// Modules of the standard library with what they have, and their submodules; of the Python that this was built with.
/// Sorted.
static MODULES: &[(&str, &[&str], &[&str])] = &include!(concat!(env!("OUT_DIR"), "/standard_names.rs"));

/// Names that are seldom anything but what is imported from there. Sorted.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("ABC", "abc"), ("Any", "typing"), ("ArgumentParser", "argparse"), ("BytesIO", "io"), ("Callable", "typing"),
    ("ChainMap", "collections"), ("Counter", "collections"), ("Decimal", "decimal"), ("Dict", "typing"),
    ("Enum", "enum"), ("Fraction", "fractions"), ("Generic", "typing"), ("IntEnum", "enum"), ("Iterable", "typing"),
    ("Iterator", "typing"), ("List", "typing"), ("NamedTuple", "typing"), ("Optional", "typing"),
    ("OrderedDict", "collections"), ("Path", "pathlib"), ("PurePath", "pathlib"), ("Sequence", "typing"),
    ("StringIO", "io"), ("TypeVar", "typing"), ("Union", "typing"), ("abstractmethod", "abc"),
    ("attrgetter", "operator"), ("bisect_left", "bisect"), ("bisect_right", "bisect"), ("ceil", "math"),
    ("contextmanager", "contextlib"), ("dataclass", "dataclasses"), ("datetime", "datetime"), ("dedent", "textwrap"),
    ("deepcopy", "copy"), ("defaultdict", "collections"), ("deque", "collections"), ("floor", "math"),
    ("gcd", "math"), ("groupby", "itertools"), ("heappop", "heapq"), ("heappush", "heapq"), ("islice", "itertools"),
    ("itemgetter", "operator"), ("literal_eval", "ast"), ("lru_cache", "functools"), ("namedtuple", "collections"),
    ("permutations", "itertools"), ("pprint", "pprint"), ("randint", "random"), ("reduce", "functools"),
    ("sqrt", "math"), ("starmap", "itertools"), ("timedelta", "datetime"), ("total_ordering", "functools"),
    ("urlencode", "urllib.parse"), ("urljoin", "urllib.parse"), ("urlparse", "urllib.parse"), ("uuid4", "uuid"),
    ("wraps", "functools"), ("zip_longest", "itertools"),
];

/// More modules that programs import; as undefined names they are somebody's variables.
#[rustfmt::skip]
const IMPORTED: &[&str] = &[
    "cmd", "code", "curses", "doctest", "imaplib", "pdb", "poplib", "socketserver", "tkinter", "token", "turtle",
    "webbrowser", "xmlrpc", "zoneinfo",
];

/// The implicit imports of a source, by name. Paths are asked for only if there may be any.
pub(super) fn find<'a>(
    text: &str,
    sites: &[Site],
    paths: impl FnOnce() -> &'a Paths,
) -> BTreeMap<String, ImplicitImport> {
    let mut uses: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
    for site in sites.iter().filter(|site| site.kind == Kind::Variable && !site.local) {
        let after = text.get(site.end as usize..).unwrap_or_default();
        uses.entry(site.name.as_str()).or_default().push(attribute(after));
    }
    let found = |(name, uses): (&str, Vec<Option<&str>>)| {
        // As both, `datetime` is neither the module nor the class in it.
        let both = uses.contains(&Some(name));
        let import = module(name, &uses).or_else(|| part(name).filter(|_| !both))?;
        Some((name.to_owned(), import))
    };
    let mut imports: BTreeMap<String, ImplicitImport> = uses.into_iter().filter_map(found).collect();
    if !imports.is_empty() {
        for bound in paths().bound_names() {
            imports.remove(bound);
        }
    }
    imports
}

/// The attribute that is read from what stands before a text.
fn attribute(after: &str) -> Option<&str> {
    let name = after.strip_prefix('.')?;
    let end = name.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(name.len());
    Some(&name[..end])
}

fn module(name: &str, uses: &[Option<&str>]) -> Option<ImplicitImport> {
    let found = MODULES.binary_search_by_key(&name, |(module, ..)| module).ok()?;
    let (_, attributes, submodules) = MODULES[found];
    let mut modules = vec![name.to_owned()];
    for used in uses {
        let used = (*used)?;
        if submodules.binary_search(&used).is_ok() {
            modules.push(format!("{name}.{used}"));
        } else if attributes.binary_search(&used).is_err() {
            return None;
        }
    }
    Some(ImplicitImport { modules, attribute: None })
}

/// The modules of the standard library that a source imports, with those of their submodules that it names. Others it
/// may name, too, `unittest.__main__` say: those do something when they are imported.
pub(super) fn standard(model: &SourceModel) -> Vec<String> {
    let mut found = Vec::new();
    let is_harmless = |module: &str, known: &[&str]| {
        let mut inside = module.split('.').skip(1);
        inside.next().is_none_or(|first| known.binary_search(&first).is_ok())
            && inside.all(|part| !part.starts_with('_'))
    };
    for import in imported(model).imports.into_iter().filter(|import| import.level == 0) {
        let root = import.module.split('.').next().unwrap_or_default();
        let submodules = match MODULES.binary_search_by_key(&root, |(module, ..)| module) {
            Ok(known) => MODULES[known].2,
            Err(_) if IMPORTED.contains(&root) => &[],
            Err(_) => continue,
        };
        if !is_harmless(&import.module, submodules) {
            continue;
        }
        let submodules = if root == import.module { submodules } else { &[] };
        let names = import.names.into_iter().flatten().filter(|name| submodules.binary_search(&name.as_str()).is_ok());
        let names: Vec<String> = names.map(|name| format!("{}.{name}", import.module)).collect();
        found.push(import.module);
        found.extend(names);
    }
    found
}

/// What the module itself imports when it runs, in the order of the text.
pub(super) fn eager(model: &SourceModel) -> Vec<Preload> {
    let imports = imported(model).imports.into_iter().filter(|import| import.eager && import.level == 0);
    let preload = |import: Import| Preload { module: import.module, names: import.names.unwrap_or_default() };
    imports.map(preload).filter(|preload| !preload.module.split('.').any(|part| part.starts_with("__"))).collect()
}

fn part(name: &str) -> Option<ImplicitImport> {
    let found = NAMES.binary_search_by_key(&name, |(part, _)| part).ok()?;
    Some(ImplicitImport { modules: vec![NAMES[found].1.to_owned()], attribute: Some(name.to_owned()) })
}

#[cfg(test)]
mod tests {
    use surmise_instrument::{Options, instrument};

    use super::*;

    fn imports(source: &str) -> BTreeMap<String, ImplicitImport> {
        let model = SourceModel::parse(source).expect("it parses");
        let sites = instrument(&model, Options::new((3, 11))).sites;
        let paths = Paths::of(&model);
        find(source, &sites, || &paths)
    }

    fn found(source: &str) -> Vec<(String, Vec<String>)> {
        imports(source).into_iter().map(|(name, import)| (name, import.modules)).collect()
    }

    fn named(source: &str) -> Vec<String> {
        found(source).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn modules_are_known_by_what_is_read_from_them() {
        assert_eq!(named("re.sub(a, b, c)\nos.path.join(math.pi)\n"), ["math", "os", "re"]);
        assert_eq!(named("time.time()\ntime.left -= 1\n"), Vec::<String>::new(), "`left` is not of the module");
        assert_eq!(named("print(code, code.co_name)\nemail.split('@')\n"), Vec::<String>::new());
        assert_eq!(named("json = load()\njson.loads(x)\ndef f(re): re.sub()\nre.sub(1)\n"), Vec::<String>::new());
        let submodules = vec!["urllib".to_owned(), "urllib.parse".to_owned()];
        assert_eq!(found("urllib.parse.quote(x)\n"), [("urllib".to_owned(), submodules)]);
    }

    #[test]
    fn standard_modules_are_known_from_imports() {
        let source = "import os.path as p, numpy\nfrom concurrent import futures, other\nfrom .json import x\ndef f():\n    from json import loads\n    import xml.dom.minidom, unittest.__main__, xml.dom._x, tkinter.y\n";
        let model = SourceModel::parse(source).expect("it parses");
        assert_eq!(standard(&model), ["concurrent", "concurrent.futures", "json", "xml.dom.minidom"]);
    }

    #[test]
    fn parts_are_known_by_their_names() {
        let source = "d = defaultdict(list)\nnow = datetime.now()\nclass A(Enum): pass\nwhen = date(1)\n";
        assert_eq!(named(source), ["Enum", "datetime", "defaultdict"]);
        let class = find_one("datetime.now()\n");
        assert_eq!(class.attribute.as_deref(), Some("datetime"));
        assert_eq!(find_one("datetime.datetime.now()\n").attribute, None);
        assert_eq!(named("datetime.datetime.now()\ndatetime.now()\n"), Vec::<String>::new());
    }

    fn find_one(source: &str) -> ImplicitImport {
        imports(source).into_values().next().expect("there is one")
    }

    #[test]
    fn tables_are_sorted_and_name_what_there_is() {
        assert!(NAMES.is_sorted() && MODULES.is_sorted());
        for (name, module) in NAMES.iter().filter(|(_, module)| !module.contains('.')) {
            let (_, attributes, _) = MODULES.iter().find(|(known, ..)| known == module).expect("it is listed");
            assert!(attributes.contains(name), "{module}.{name}");
        }
    }
}
