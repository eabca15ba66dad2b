//! Mutants: copies of a source with one of the bugs that people make.
//!
//! [`mutants`] walks the syntax tree once and lists small text edits, each under the name of its [`Operator`]; nothing is
//! run, and not every mutant behaves differently. Two mutants whose edits do not overlap can be made in one text
//! ([`Mutant::with`]).

mod calls;
mod expressions;
mod names;
mod statements;
mod walk;

use std::ops::Range;

use crate::semantic::SourceModel;

macro_rules! operators {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// The kind of bug that a mutant has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Operator { $(#[doc = $doc] $variant,)* }

        impl Operator {
            /// All operators, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The operator's name in data: lower case, with hyphens.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the operator does to a source, in one line.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

operators! {
    RangeBound "range-bound" "`range(n)` runs one too far or not far enough.";
    IndexShift "index-shift" "An index is one too large or too small.";
    WrongIndex "wrong-index" "A constant index is another one.";
    WrongKey "wrong-key" "A key of a dictionary is misspelled.";
    SliceBound "slice-bound" "A bound of a slice is off by one.";
    DropConversion "drop-conversion" "`int(x)`, `str(x)`, `list(x)` and the like become `x`.";
    WrongConversion "wrong-conversion" "`int(x)` becomes another conversion.";
    AddConversion "add-conversion" "A conversion is applied to what `input()` gives.";
    DropMap "drop-map" "`map(int, x)` becomes `x`.";
    DropSplit "drop-split" "`.split()` is missing.";
    AddSplit "add-split" "`.split()` is applied where the line is one value.";
    WrongSeparator "wrong-separator" "`.split()` takes the line apart at another separator.";
    MissingCall "missing-call" "A method is named and not called: `x.split`.";
    CalledValue "called-value" "`a[i]` becomes `a(i)`, `2 * (x)` becomes `2(x)`.";
    SubscriptedCall "subscripted-call" "`f(x)` becomes `f[x]`.";
    MissingArgument "missing-argument" "The last argument of a call is missing.";
    ExtraArgument "extra-argument" "A call has an argument too many.";
    SwappedArguments "swapped-arguments" "Two arguments of a call are exchanged.";
    SwappedOperands "swapped-operands" "Two operands are exchanged.";
    WrongAttribute "wrong-attribute" "A method is called by the name that another type has for it.";
    MisspelledAttribute "misspelled-attribute" "Two letters of an attribute are exchanged, or one is missing.";
    MisspelledName "misspelled-name" "Two letters of a name are exchanged, one is missing, or its case is another.";
    SimilarName "similar-name" "A name is replaced by a similar one that the source binds.";
    Python2Name "python-2-name" "`raw_input`, `xrange`, `unicode` and the like.";
    ShadowedBuiltin "shadowed-builtin" "A variable has the name of a builtin function that is called later.";
    Division "division" "`/` for `//`, or the other way round.";
    Arithmetic "arithmetic" "Another arithmetic operator.";
    Comparison "comparison" "Another comparison: `<` for `<=`, `==` for `!=`.";
    Boolean "boolean" "`and` for `or`, or a `not` too few.";
    Constant "constant" "A number is one larger or smaller.";
    FloatConstant "float-constant" "A whole number is written as a float.";
    Concatenation "concatenation" "`print(a, b)` becomes `print(a + b)`.";
    MissingInitialisation "missing-initialisation" "An assignment is missing.";
    WrongInitialisation "wrong-initialisation" "A variable begins with a value of another type.";
    MissingStatement "missing-statement" "A statement is missing.";
    MissingImport "missing-import" "An import is missing.";
    MissingGlobal "missing-global" "A `global` statement is missing.";
    MissingReturn "missing-return" "A function computes its value and does not return it.";
    MissingGuard "missing-guard" "What an `if` guards runs whatever the condition is.";
    MissingBaseCase "missing-base-case" "A recursive function does not end.";
    UnpackingCount "unpacking-count" "An assignment unpacks one value too many or too few.";
    ResultOfNone "result-of-none" "The result of a method that returns nothing is used: `a = a.sort()`.";
}

/// A change of a source: what is replaced, and by what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// Byte range of the source.
    pub range: Range<u32>,
    /// Text that takes its place.
    pub text: String,
}

/// A source with edits, which are in its order and do not overlap.
pub(crate) fn applied(source: &str, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(source.len() + 16);
    let mut from = 0;
    for edit in edits {
        text.push_str(&source[from..edit.range.start as usize]);
        text.push_str(&edit.text);
        from = edit.range.end as usize;
    }
    text.push_str(&source[from..]);
    text
}

/// A copy of a source with a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The kind of bug.
    pub operator: Operator,
    /// The edits that make it, in the order of the source, without overlaps.
    pub edits: Vec<Edit>,
}

impl Mutant {
    /// The source with the mutant's edits.
    #[must_use]
    pub fn apply(&self, source: &str) -> String {
        applied(source, &self.edits)
    }

    /// Both bugs in one mutant, under the operator of this one; `None` where their edits touch.
    #[must_use]
    pub fn with(&self, other: &Self) -> Option<Self> {
        let mut edits = [self.edits.as_slice(), other.edits.as_slice()].concat();
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let touch = edits.windows(2).any(|pair| pair[0].range.end >= pair[1].range.start);
        (!touch).then_some(Self { operator: self.operator, edits })
    }
}

/// The mutants of a source, in the order of the source, each text once.
#[must_use]
pub fn mutants(model: &SourceModel) -> Vec<Mutant> {
    model.with_tree(|tree| walk::Walk::of(model.text(), tree.suite())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;

    const SOURCE: &str = "\
import math
from collections import deque
n, k = map(int, input().split())
a = list(map(int, input().split()))
total = 0
memo = {'one': 1}
def best(i):
    global total
    if i == 0:
        return 0
    total += 1
    return best(i - 1) + a[i] // k
for i in range(n):
    if a[i] % 2 == 0 and not total:
        a[i] = a[i - 1] * (k + 1)
    memo['one'] += 1
a.sort()
print(best(n - 1), a[0:n], str(total), math.sqrt(4))
";

    fn of(source: &str) -> Vec<Mutant> {
        mutants(&SourceModel::parse(source).expect("the source parses"))
    }

    #[test]
    fn mutants_parse_and_each_differs_from_the_source_and_from_the_others() {
        let mut texts = FxHashSet::default();
        let all = of(SOURCE);
        for mutant in &all {
            let text = mutant.apply(SOURCE);
            assert_ne!(text, SOURCE, "{mutant:?}");
            assert!(SourceModel::parse(text.as_str()).is_ok(), "{mutant:?}\n{text}");
            assert!(texts.insert(text), "made twice: {mutant:?}");
        }
        let used: FxHashSet<&str> = all.iter().map(|mutant| mutant.operator.name()).collect();
        assert!(used.len() >= 32, "{} operators, {} mutants: {used:?}", used.len(), all.len());
    }

    #[test]
    fn the_bugs_are_those_of_their_names() {
        let has = |source: &str, operator: Operator, text: &str| {
            let all = of(source);
            let texts: Vec<String> = all.iter().filter(|m| m.operator == operator).map(|m| m.apply(source)).collect();
            assert!(texts.iter().any(|made| made == text), "{operator:?} makes {texts:?}");
        };
        has("x = int(input())\n", Operator::DropConversion, "x = input()\n");
        has("x = input().split()\n", Operator::DropSplit, "x = input()\n");
        has("x = input().split()\n", Operator::MissingCall, "x = input().split\n");
        has("for i in range(n): pass\n", Operator::RangeBound, "for i in range(n + 1): pass\n");
        has("x[i] = 1\n", Operator::IndexShift, "x[i + 1] = 1\n");
        has("a, b = f()\n", Operator::UnpackingCount, "a, b, _ = f()\n");
        has("a.sort()\n", Operator::ResultOfNone, "a = a.sort()\n");
        has("def f(n):\n    return n\n", Operator::MissingReturn, "def f(n):\n    n\n");
        has("x = a*(b + 1)\n", Operator::CalledValue, "x = a(b + 1)\n");
        has("max_x = 0\nprint(max(1, max_x))\n", Operator::ShadowedBuiltin, "max = 0\nprint(max(1, max))\n");
        let base = "def f(n):\n    if n == 0:\n        return 1\n    return f(n - 1)\n";
        has(base, Operator::MissingBaseCase, &base.replace("if n == 0", "if False"));
        has("if x:\n    y\n", Operator::MissingGuard, "if True:\n    y\n");
        has("total = 1\ntotla = 2\nprint(total)\n", Operator::SimilarName, "total = 1\ntotla = 2\nprint(totla)\n");
    }

    #[test]
    fn two_bugs_are_made_in_one_text_unless_they_touch() {
        let source = "x = int(a) + int(b)\n";
        let drops: Vec<Mutant> =
            of(source).into_iter().filter(|mutant| mutant.operator == Operator::DropConversion).collect();
        let both = drops[0].with(&drops[1]).expect("they stand apart");
        assert_eq!(both.apply(source), "x = a + b\n");
        assert_eq!(drops[0].with(&drops[0]), None);
    }

    #[test]
    fn names_of_operators_are_unique() {
        let names: FxHashSet<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
        assert_eq!(names.len(), Operator::ALL.len());
        assert!(Operator::ALL.iter().all(|operator| operator.about().ends_with('.')));
    }
}
