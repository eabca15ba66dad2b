//! The verdict on an error by comparison: what differs in runs that do not raise it.

use std::collections::BTreeSet;
use std::ops::Range;

use surmise_engine::protocol::{Injection, Raised};
use surmise_instrument::paths::{Branch, MadeUp};
use surmise_instrument::{Kind, Role, Site};
use surmise_ledger::{
    Entry, Facts, is_of_content, is_of_names, is_of_syntax, is_of_system, is_of_types, is_of_unpacking, is_of_values,
};
use surmise_value_model::Class;

use crate::{Dependence, Finding, Verdict, lookups, surroundings};

/// Errors of reading something out of a text.
const OF_TEXTS: [&str; 3] = ["ValueError", "IndexError", "KeyError"];
/// Methods that take texts apart.
const PARTS_OF_TEXTS: [&str; 4] = ["split", "rsplit", "partition", "rpartition"];
/// So many other values have to have failed, too, before an error of an injected value's type is the code's.
const ENOUGH_ATTEMPTS: usize = 3;

/// The verdict by comparison of the runs that raise an error with those that do not.
pub(crate) fn compared(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Finding {
    let finding = |verdict, depends_on| Finding {
        depends_on,
        function: entry.trial.call.clone(),
        ..Finding::new(error.clone(), verdict)
    };
    if surroundings::is_of_absent_settings(facts, error) {
        return finding(Verdict::Guess, Vec::new());
    }
    // Nothing may also have been injected because the code expects the failure; another run insists.
    if entry.injections.iter().all(Injection::is_implicit_import) && entry.expected.is_empty() {
        return finding(Verdict::Certain, Vec::new());
    }
    let operands = facts.operands(entry, error);
    let of_types = is_of_types(error);
    // To raise is what a `raise` is for: the question is what led there.
    let on_purpose = is_on_purpose(facts, error.line);
    let same_call: Vec<&Entry> = facts.ledger.of_call(entry.trial.call.as_ref()).collect();
    let without = |other: &&&Entry| {
        if on_purpose {
            // The message of an `assert` that fails may fail, too.
            return other.error.as_ref().is_none_or(|other| other.line != error.line);
        }
        // The operation went on to ask for the value: the types were right.
        let of_value = |own: &Raised| own.line == error.line && own.column == error.column && is_of_values(own);
        if of_types && other.error.as_ref().is_some_and(of_value) {
            return true;
        }
        other.passes_operation(error) && !fails_in_assigned_value(facts, error, other)
    };
    // No more input than what was made up is no error of the code's.
    let is_read =
        |value: &Injection| value.kind == "return value" && matches!(value.name.as_str(), "input" | "raw_input");
    let of_made_up_input = error.kind == "EOFError" && entry.injections.iter().any(is_read);
    // What is in a file or a table that is not there, nobody knows.
    let is_absent = |value: &Injection| {
        let is_executed = value.kind == "return value" && value.class.is_none() && value.name.starts_with("execute");
        value.kind == "lines" || is_executed
    };
    let of_table = is_of_content(error) && is_fed(facts, entry, error, is_absent);
    let of_stand_in = (of_types && names_stand_in(entry, error)) || refuses_stand_in(&error.message);
    let of_made_up_path = is_of_system(error) && is_fed(facts, entry, error, |_| true);
    let of_made_up_code = is_of_made_up_code(facts, entry, error);
    let of_made_up = of_made_up_code || of_table || of_stand_in || of_made_up_path;
    if of_made_up_input || is_of_endless_answers(entry, error) || (of_made_up || is_of_nobody(error)) && !on_purpose {
        return finding(Verdict::Guess, Vec::new());
    }
    // A made-up text is in no format: what reads one out of it fails for that alone.
    let is_file = |site| entry.injections.iter().any(|value| value.site == Some(site) && value.class.is_none());
    let is_part = |number: u32| {
        let is_made_up = entry.sites().any(|own| own == number);
        let site = facts.plan.sites.get(number as usize).filter(|site| site.kind == Kind::ReturnValue && is_made_up);
        error.kind == "ValueError" && site.is_some_and(|site| PARTS_OF_TEXTS.contains(&site.name.as_str()))
    };
    let is_of_class = |site, class| facts.assigned(entry, site).is_some_and(|assigned| assigned.class == class);
    let is_text = |site| is_file(site) || is_part(site) || is_of_class(site, Class::Str);
    let of_closed_file = error.message.contains("closed file");
    let of_text = !on_purpose
        && !of_closed_file
        && OF_TEXTS.contains(&error.kind.as_str())
        && operands.iter().any(|&site| is_text(site));
    // Where only values of the true type take part, the type is not to blame.
    let of_guessed_types = of_types && is_fed(facts, entry, error, |value| !has_true_type(facts, value));
    let of_own = lookups::is_in_own_container(facts, error);
    let avoiding = same_call.iter().filter(without).min_by_key(|other| entry.differing_sites(other).len());
    let Some(avoiding) = avoiding else {
        // Probes try what the code may not be meant for.
        let guided = same_call.iter().filter(|other| !other.trial.is_probe());
        let is_same = |e: &Raised| e.line == error.line && e.column == error.column;
        let again: Vec<&Entry> = guided.filter(|other| other.error.as_ref().is_some_and(is_same)).copied().collect();
        let often = again.len() > ENOUGH_ATTEMPTS;
        let is_open = lookups::is_of_assigned_attribute(facts, error) || is_of_spread(facts, error);
        let tried = often && !is_open && were_tried(facts, entry, &operands, &again);
        let verdict = if is_of_decorated(facts, entry, error) {
            Verdict::Guess
        } else if on_purpose && is_led_to(facts, entry, error.line) {
            Verdict::Conditional
        } else if is_of_own_name(facts, error)
            || !is_fed(facts, entry, error, |_| true)
            || (of_types && (tried || !of_guessed_types))
            || lookups::is_of_own_type(error)
        {
            Verdict::Certain
        } else if of_guessed_types && !often || of_text && !of_own {
            Verdict::Guess
        } else {
            // Some value that nobody tried may be right.
            Verdict::Conditional
        };
        return finding(verdict, Vec::new());
    };
    let differing = entry.differing_sites(avoiding);
    let of_differing = |value: &&Injection| value.site.is_some_and(|site| differing.contains(&site));
    let depends_on = entry.injections.iter().filter(of_differing).map(Dependence::of).collect();
    // What an own function gives is what it returns, and not one of its arguments.
    let failing = facts.failing(error).into_iter().next();
    let is_argument = |site: u32| {
        let start = facts.plan.sites.get(site as usize).map(|site| site.start);
        let inside = |range: &Range<u32>| start.is_some_and(|at| facts.plan.paths().origins.is_argument(at, range));
        error.kind == "AttributeError" && failing.as_ref().is_some_and(inside)
    };
    let of_operand = differing.iter().any(|&site| operands.contains(&site) && !is_argument(site))
        && !lookups::is_of_search_without_match(facts, entry, error);
    finding(
        if of_text && !of_own || of_operand && (of_types || is_of_unpacking(error)) {
            Verdict::Guess
        } else {
            Verdict::Conditional
        },
        depends_on,
    )
}

/// True for too few or too many arguments of a call that spreads some: how many they are is no matter of their types.
fn is_of_spread(facts: Facts<'_>, error: &Raised) -> bool {
    let is_of_count = ["missing ", "takes ", "expected at "].iter().any(|part| error.message.contains(part));
    let failing = facts.failing(error).into_iter().next().filter(|_| is_of_count && error.message.contains("argument"));
    let text = failing.and_then(|range| facts.plan.text.get(range.start as usize..range.end as usize));
    text.is_some_and(|text| text.contains("(*") || text.contains(", *"))
}

/// True for a recursion that only stand-ins keep up: they answer deeper calls as they answered the first.
fn is_of_endless_answers(entry: &Entry, error: &Raised) -> bool {
    let is_stand_in = |value: &Injection| matches!(value.class.as_deref(), Some("object" | "callable" | "resource"));
    error.kind == "RecursionError" && entry.injections.iter().any(is_stand_in)
}

/// True for what somebody does at the keyboard, or in the debugger.
fn is_of_nobody(error: &Raised) -> bool {
    matches!(error.kind.as_str(), "KeyboardInterrupt" | "BdbQuit")
}

/// True if a run failed in the value that the failing line assigns, while the error is in the target, which comes after.
fn fails_in_assigned_value(facts: Facts<'_>, error: &Raised, other: &Entry) -> bool {
    let Some(other) = other.error.as_ref().filter(|other| other.line == error.line) else { return false };
    let range = |error: &Raised| error.column.and_then(|_| facts.failing(error).into_iter().next());
    let value = facts.plan.paths().assigned_value(error.line);
    let (Some(value), Some(own), Some(others)) = (value, range(error), range(other)) else { return false };
    own.end <= value.start && value.start <= others.start
}

/// True for an error of a class or function under a missing decorator, which may have made anything of it: a class of
/// `dataclass` takes arguments.
fn is_of_decorated(facts: Facts<'_>, entry: &Entry, error: &Raised) -> bool {
    let failing = facts.failing(error).into_iter().next();
    let failing = failing.map_or("", |range| &facts.plan.text[range.start as usize..range.end as usize]);
    let names = |name: &str| has_word(&error.message, name) || has_word(failing, name);
    let decorators = entry.injections.iter().filter(|value| value.kind == "decorator");
    decorators.filter_map(|value| decorated(&facts.plan.text, value.line)).any(names)
}

/// The name of what the decorator on a line stands above.
fn decorated(text: &str, line: u32) -> Option<&str> {
    let below = text.lines().skip(line.saturating_sub(1) as usize).map(str::trim_start);
    let headers = ["class ", "def ", "async def "];
    let mut named = below.filter_map(|text| headers.iter().find_map(|header| text.strip_prefix(header)));
    let rest = named.next()?;
    let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').any(|own| own == word)
}

/// True if enough was tried in place of each value that the operation works on: an object that allows every operation,
/// or values of many classes.
fn were_tried(facts: Facts<'_>, entry: &Entry, operands: &[u32], runs: &[&Entry]) -> bool {
    let was_tried = |&site: &u32| {
        // What a missing base would define, no value in its place shows.
        if facts.plan.sites.get(site as usize).is_some_and(|site| site.role == Role::ClassBase) {
            return false;
        }
        let classes = runs.iter().filter_map(|run| facts.assigned(run, site)).map(|assigned| assigned.class);
        let classes: BTreeSet<Class> = classes.collect();
        classes.contains(&Class::Object) || classes.contains(&Class::Callable) || classes.len() > ENOUGH_ATTEMPTS
    };
    let injected: Vec<u32> = operands.iter().copied().filter(|site| entry.sites().any(|own| own == *site)).collect();
    injected.iter().all(was_tried)
}

/// True for a message that refuses the type of a stand-in: `iterator should return strings, not object (...)`.
fn refuses_stand_in(message: &str) -> bool {
    let ends = |phrase: &str| message.ends_with(phrase) || message.contains(&format!("{phrase} "));
    ends(" not object") || ends(" got object") || message.contains(" object found")
}

/// True for a message that names the type of a stand-in, which no value of the code has.
#[must_use]
pub fn names_type_of_stand_in(message: &str) -> bool {
    message.contains("'object'") || message.contains("type object is") || refuses_stand_in(message)
}

/// True for what `exec`, `eval` and `import_module` say of a text that was made up, or was to be in a file that is not there:
/// nobody wrote such code.
pub(crate) fn is_of_made_up_code(facts: Facts<'_>, entry: &Entry, error: &Raised) -> bool {
    let is_of_code = is_of_code_in_text(facts, error)
        || error.kind == "NameError"
        || error.message.ends_with("() arg 1 must be a string, bytes or code object");
    is_of_code && is_of_made_up(facts, entry, error)
}

/// True for an error of code, or of a module's name, that stands in a text.
fn is_of_code_in_text(facts: Facts<'_>, error: &Raised) -> bool {
    let of_import = matches!(error.kind.as_str(), "ImportError" | "ModuleNotFoundError");
    let statement = || {
        let range = facts.plan.paths().statement(error.line)?;
        facts.plan.text.get(range.start as usize..range.end as usize)
    };
    let is_import = |text: &str| text.starts_with("import ") || text.starts_with("from ");
    is_of_syntax(error) || of_import && statement().is_some_and(|text| !is_import(text))
}

/// True for an error of types that names a stand-in or its type: it says what a stand-in cannot be.
fn names_stand_in(entry: &Entry, error: &Raised) -> bool {
    let message = error.message.as_str();
    let is_shown = |value: &Injection| value.value.starts_with('<') && message.contains(&value.value);
    names_type_of_stand_in(message) || message.ends_with(" object") || entry.injections.iter().any(is_shown)
}

/// True for an error of a name that the failing expression is: whatever was made up elsewhere, it is not defined.
fn is_of_own_name(facts: Facts<'_>, error: &Raised) -> bool {
    if !is_of_names(error) || !error.kind.ends_with("NameError") && error.kind != "UnboundLocalError" {
        return is_of_names(error) && !is_of_code_in_text(facts, error);
    }
    let name = error.message.split('\'').nth(1).unwrap_or_default();
    let Some(failing) = facts.failing(error).into_iter().next() else { return true };
    let text = &facts.plan.text[failing.start as usize..failing.end as usize];
    // Before Python 3.11 only the line is known.
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    if error.column.is_none() { words.any(|word| word == name) } else { text == name }
}

/// True for a line that raises by design: `raise`, `assert`.
pub(crate) fn is_on_purpose(facts: Facts<'_>, line: u32) -> bool {
    let statement = facts.plan.paths().statement(line).map(|range| &facts.plan.text[range.start as usize..]);
    statement.is_some_and(|text| text.starts_with("raise") || text.starts_with("assert"))
}

/// Byte range of the operation that failed. CPython names the targets of an unpacking; what has the wrong number of parts
/// stands beside them, in the same statement.
pub(crate) fn failing_operation(facts: Facts<'_>, error: &Raised) -> Option<Range<u32>> {
    let mut ranges = facts.failing(error);
    // What is unpacked may itself fail when it is asked for its parts: `a, b = map(int, fields)`.
    let names_target = |first: &Range<u32>| is_of_targets(facts, first) || is_of_refused_value(facts, error, first);
    if is_of_unpacking(error) || ranges.first().is_some_and(names_target) {
        return ranges.pop();
    }
    ranges.into_iter().next()
}

/// True for a whole target of an assignment that refuses the value: `context.prec = value`. What cannot be assigned to at
/// all, or under this key, refuses every value.
fn is_of_refused_value(facts: Facts<'_>, error: &Raised, target: &Range<u32>) -> bool {
    let of_target = ["does not support item", "unhashable", "indices must be"];
    let is_of_value = matches!(error.kind.as_str(), "TypeError" | "ValueError" | "OverflowError")
        && !of_target.iter().any(|part| error.message.contains(part));
    let value = facts.plan.paths().assigned_value(error.line).filter(|_| is_of_value);
    let between = value.and_then(|value| facts.plan.text.get(target.end as usize..value.start as usize));
    between.is_some_and(|between| between.trim_matches(|c: char| c.is_whitespace() || c == '(') == "=")
}

/// True for a range that only names what a statement binds: `a, b` of `a, b = pair`.
fn is_of_targets(facts: Facts<'_>, range: &Range<u32>) -> bool {
    let text = &facts.plan.text[range.start as usize..range.end as usize];
    let mut names = text.split(',').map(|name| name.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_')));
    let paths = facts.plan.paths();
    paths.origins.read_in(range.clone()).next().is_none()
        && text.contains(',')
        && names.all(|name| name.is_empty() || paths.bound_names().any(|bound| bound == name))
}

/// True if something that was injected or answered, of the kind that is asked for, may reach the failing operation.
fn is_fed(facts: Facts<'_>, entry: &Entry, error: &Raised, counts: impl Fn(&Injection) -> bool) -> bool {
    let Some(failing) = failing_operation(facts, error) else { return true };
    lookups::dependent(facts, error, failing).is_some_and(|range| reaches(facts, entry, range, counts))
}

/// True unless the failing expression is a name that nothing defines, or nothing that was made up may reach it.
pub(crate) fn is_of_made_up(facts: Facts<'_>, entry: &Entry, error: &Raised) -> bool {
    !is_of_own_name(facts, error) && is_fed(facts, entry, error, |_| true)
}

/// True for a value that is made up and of the type that the real one has: arguments, variables of the environment, what
/// `input()` reads.
fn has_true_type(facts: Facts<'_>, value: &Injection) -> bool {
    let site = value.site.and_then(|site| facts.plan.sites.get(site as usize));
    let is_input = |site: &Site| site.kind == Kind::ReturnValue && matches!(site.name.as_str(), "input" | "raw_input");
    matches!(value.kind.as_str(), "argument" | "environment")
        || value.site.is_some() && value.class.is_none()
        || site.is_some_and(is_input)
}

/// True for a line of a function without branches: each call that gets so far comes to it.
pub(crate) fn is_without_branches(facts: Facts<'_>, line: u32) -> bool {
    let paths = facts.plan.paths();
    let of_line = paths.statement(line).and_then(|range| paths.code_around(range.start));
    of_line
        .is_some_and(|code| paths.branches.iter().all(|branch| paths.code_around(branch.decides.start) != Some(code)))
}

/// True if something that was injected or answered may reach a condition around a line.
fn is_led_to(facts: Facts<'_>, entry: &Entry, line: u32) -> bool {
    let around = |branch: &&Branch| branch.ways.iter().any(|way| (way.lines.0..=way.lines.1).contains(&line));
    facts
        .plan
        .paths()
        .branches
        .iter()
        .filter(around)
        .any(|branch| reaches(facts, entry, branch.decides.clone(), |_| true))
}

/// What of an import statement is made up: the name that a real module does not have, or all of the statement.
fn import_place(facts: Facts<'_>, value: &Injection) -> Option<Range<u32>> {
    let statement = facts.plan.paths().statement(value.line).filter(|_| value.is_missing_import())?;
    let text = facts.plan.text.get(statement.start as usize..statement.end as usize)?;
    let of_name = || {
        let (module, name) = value.name.rsplit_once('.')?;
        let (written, names) = text.strip_prefix("from ")?.split_once(" import ")?;
        let is_word = |at: usize| {
            let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            !is_part(names[..at].chars().next_back()) && !is_part(names[at + name.len()..].chars().next())
        };
        let at = names.match_indices(name).map(|(at, _)| at).find(|at| is_word(*at));
        let at = statement.start + (text.len() - names.len() + at.filter(|_| written.trim() == module)?) as u32;
        Some(at..at + name.len() as u32)
    };
    Some(of_name().unwrap_or(statement))
}

/// True if something that was injected or answered, of the kind that is asked for, may reach a range of the text.
pub(crate) fn reaches(facts: Facts<'_>, entry: &Entry, range: Range<u32>, counts: impl Fn(&Injection) -> bool) -> bool {
    let mut made_up = MadeUp::default();
    // What was imported for the code is real.
    for value in entry.injections.iter().filter(|value| !value.is_implicit_import() && counts(value)) {
        if let Some(site) = value.site.and_then(|site| facts.plan.sites.get(site as usize)) {
            made_up.add_site(site);
            continue;
        }
        if let Some(place) = import_place(facts, value) {
            made_up.add_place(place);
            continue;
        }
        // Answers have a line, and a column only sometimes.
        let start = facts.line_start(value.line);
        made_up.add_place(match value.column {
            0 => start..facts.line_start(value.line + 1).max(start + 1),
            column => start + column..start + column + 1,
        });
    }
    facts.plan.paths().origins.is_reached(range, &made_up)
}
