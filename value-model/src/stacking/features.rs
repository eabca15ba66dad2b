//! Features of a site that the second model reads: the answers of the first model there and at related sites, and the
//! evidence of the source.

use surmise_instrument::evidence::{Asked, Counts, Evidence, Group, Origin, Origins, Shape};
use surmise_instrument::{Kind, SourceModel};

use crate::{Class, Query, Use};

pub(crate) const CLASSES: usize = Class::ALL.len();
type Logits = [f32; CLASSES];

/// Blocks of one value a class: the site's own logits, the mean of its group, of where its value goes, and of what its
/// group is made of; then literals and annotations.
const BLOCKS: usize = 6;
/// Features beside the blocks: which of the blocks are present, the kind of use, how many sites and literals there are.
const FLAGS: usize = 4;
const COUNTS: usize = 5;
/// Number of features of a site.
pub const WIDTH: usize = BLOCKS * CLASSES + FLAGS + Origins::ALL.len() + Use::ALL.len() + COUNTS;
/// Factor on logits, which are some ten times larger than the other features.
const LOGIT: f32 = 0.25;

/// Share of a site's own logits in its mixed answer; the rest is the mean over its group.
const OWN: f32 = 0.4;
/// Share of the reads of its target in the answer of an assigned or returned value.
const OF_TARGETS: f32 = 0.4;
/// Share of the assigned or returned values in the answer of a read.
const OF_VALUES: f32 = 0.3;

/// The sites of one source as the second model reads them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// [`WIDTH`] values for each site.
    pub rows: Vec<f32>,
    /// Logits with those of related sites mixed in, one for each class of each site: the answer where there is no
    /// second model, and what it corrects where there is. The shares were chosen on the `dev` projects.
    pub mixed: Vec<f32>,
}

impl Features {
    /// Makes the features of queries about one source from the first model's logits, one for each class of each query.
    pub(crate) fn of(queries: &[&Query<'_>], logits: &[f32]) -> Self {
        let Some(first) = queries.first() else { return Self::default() };
        let asked: Vec<Asked<'_>> = queries.iter().map(|query| asked(query)).collect();
        let parsed = || SourceModel::parse(first.source).ok();
        let own = if first.model.is_none() { parsed() } else { None };
        let evidence = Evidence::of(first.model.or(own.as_ref()), &asked);
        let own: Vec<Logits> = logits.as_chunks::<CLASSES>().0.iter().map(centered).collect();
        let mut reads = vec![Mean::default(); evidence.groups.len()];
        for (place, own) in evidence.places.iter().zip(&own) {
            reads[place.group as usize].add(own);
        }
        let made_of = |group: &Group| {
            let mut mean = Mean::default();
            group.values.iter().for_each(|&value| mean.add(&own[value as usize]));
            mean
        };
        let values: Vec<Mean> = evidence.groups.iter().map(made_of).collect();
        let mut features = Self {
            rows: Vec::with_capacity(queries.len() * WIDTH),
            mixed: Vec::with_capacity(queries.len() * CLASSES),
        };
        for ((query, place), own) in queries.iter().zip(&evidence.places).zip(&own) {
            let group = &evidence.groups[place.group as usize];
            let callee = place.callee.map(|callee| evidence.groups[callee as usize].origins);
            let mut targets = Mean::default();
            for &target in &place.targets {
                let target = &reads[target as usize];
                if target.count > 0 {
                    targets.add(&target.mean);
                }
            }
            let related = [&reads[place.group as usize], &targets, &values[place.group as usize]];
            features.mixed.extend(mixed(own, related));
            features.row(own, related, group, query.kind, |origin| {
                group.origins.union(callee.unwrap_or_default()).contains(origin)
            });
        }
        features
    }

    fn row(
        &mut self,
        own: &Logits,
        related: [&Mean; 3],
        group: &Group,
        kind: Use,
        comes_from: impl Fn(Origin) -> bool,
    ) {
        let before = self.rows.len();
        let said = [&group.literals, &group.annotations];
        let counts = said.map(|counts| counts.iter().map(|&count| u32::from(count)).sum::<u32>());
        self.rows.extend(own.map(|logit| logit * LOGIT));
        for mean in related {
            self.rows.extend(mean.mean.map(|logit| logit * LOGIT));
        }
        for (shapes, count) in said.into_iter().zip(counts) {
            self.rows.extend(by_class(shapes).map(|times| times / count.max(1) as f32));
        }
        let present = [related[1].count, related[2].count, counts[0], counts[1]];
        self.rows.extend(present.map(|count| f32::from(u8::from(count > 0))));
        self.rows.extend(Origins::ALL.iter().map(|&origin| f32::from(u8::from(comes_from(origin)))));
        self.rows.extend(Use::ALL.map(|other| f32::from(u8::from(other == kind))));
        let many = [related[0].count, related[1].count, related[2].count, counts[0], counts[1]];
        self.rows.extend(many.map(|count| (count as f32).ln_1p()));
        debug_assert_eq!(self.rows.len() - before, WIDTH);
    }
}

/// Makes a site's features those of one whose definitions were cut away, as they are from snippets: what is assigned,
/// literals, annotations and origins. (What sites of its group answered may still come from these.)
#[cfg(feature = "torch")]
pub(crate) fn forget_definitions(row: &mut [f32], mixed: &mut [f32]) {
    const VALUES: usize = 3 * CLASSES;
    const FLAG: usize = BLOCKS * CLASSES;
    const COUNT: usize = WIDTH - COUNTS;
    if row[FLAG + 1] > 0.0 {
        for (mixed, value) in mixed.iter_mut().zip(&row[VALUES..][..CLASSES]) {
            *mixed = (*mixed - value / LOGIT * OF_VALUES) / (1.0 - OF_VALUES);
        }
    }
    row[VALUES..FLAG].fill(0.0);
    row[FLAG + 1..FLAG + FLAGS + Origins::ALL.len()].fill(0.0);
    row[COUNT + 2..].fill(0.0);
}

fn asked<'a>(query: &Query<'a>) -> Asked<'a> {
    let kind = match query.kind {
        Use::Variable => Kind::Variable,
        Use::Attribute => Kind::Attribute,
        Use::ReturnValue => Kind::ReturnValue,
    };
    Asked { kind, name: query.name, start: query.start as u32, end: query.end as u32 }
}

/// A running mean of logits.
#[derive(Clone, Debug, Default)]
struct Mean {
    count: u32,
    mean: Logits,
}

impl Mean {
    fn add(&mut self, logits: &Logits) {
        self.count += 1;
        let share = 1.0 / self.count as f32;
        // Subtracting first keeps the mean of equal answers exact.
        self.mean.iter_mut().zip(logits).for_each(|(mean, logit)| *mean += (logit - *mean) * share);
    }
}

fn centered(logits: &Logits) -> Logits {
    let mean = logits.iter().sum::<f32>() / CLASSES as f32;
    logits.map(|logit| logit - mean)
}

fn mixed(own: &Logits, [group, targets, values]: [&Mean; 3]) -> Logits {
    let mut mixed = *own;
    for (mean, share) in [(group, 1.0 - OWN), (targets, OF_TARGETS), (values, OF_VALUES)] {
        if mean.count > 0 {
            mixed.iter_mut().zip(&mean.mean).for_each(|(mixed, mean)| *mixed += (mean - *mixed) * share);
        }
    }
    mixed
}

/// Counts of literals and annotations as counts of the classes of such values.
fn by_class(counts: &Counts) -> Logits {
    let mut classes = [0.0; CLASSES];
    for (&shape, &count) in Shape::ALL.iter().zip(counts) {
        classes[class_of(shape) as usize] += f32::from(count);
    }
    classes
}

/// The class of values of a shape, which has the same name.
fn class_of(shape: Shape) -> Class {
    macro_rules! of_same_name {
        ($($name:ident)*) => { match shape { $(Shape::$name => Class::$name,)* } };
    }
    of_same_name! {
        None True False NegativeInt ZeroInt PositiveInt NegativeFloat ZeroFloat PositiveFloat EmptyStr Str EmptyList List
        EmptyTuple Tuple EmptySet Set EmptyDict Dict Callable Object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query<'a>(source: &'a str, text: &str, nth: usize, kind: Use) -> Query<'a> {
        let start = source.match_indices(text).nth(nth).expect("the text is there").0;
        let end = start + text.len();
        let name = &source[start..end];
        let name = name.rsplit('.').next().unwrap_or(name).trim_end_matches("()");
        Query { name, kind, source, model: None, start, end, anchor: end }
    }

    /// Logits of 1 for one class each.
    fn one_hot(classes: &[Class]) -> Vec<f32> {
        let mut logits = vec![0.0; classes.len() * CLASSES];
        classes.iter().enumerate().for_each(|(site, &class)| logits[site * CLASSES + class as usize] = 1.0);
        logits
    }

    #[test]
    fn sites_that_see_the_same_answer_more_alike() {
        let source = "n = f()\nn\nn\nx.n";
        let queries = [
            query(source, "f()", 0, Use::ReturnValue),
            query(source, "n", 1, Use::Variable),
            query(source, "n", 2, Use::Variable),
            query(source, "x.n", 0, Use::Attribute),
        ];
        let [f, first, second, attribute] = [Class::Str, Class::List, Class::Dict, Class::None];
        let features = Features::of(&queries.iter().collect::<Vec<_>>(), &one_hot(&[f, first, second, attribute]));
        let mixed = |site: usize, class: Class| {
            // Logits are compared up to a constant.
            features.mixed[site * CLASSES + class as usize] - features.mixed[site * CLASSES + Class::Object as usize]
        };
        let near = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        near(mixed(0, f), 1.0 - OF_TARGETS);
        near(mixed(0, first), 0.5 * OF_TARGETS);
        near(mixed(1, first), (OWN + 0.5 * (1.0 - OWN)) * (1.0 - OF_VALUES));
        near(mixed(1, second), 0.5 * (1.0 - OWN) * (1.0 - OF_VALUES));
        near(mixed(1, f), OF_VALUES);
        near(mixed(3, attribute), 1.0);
        near(mixed(3, first), 0.0);
    }

    #[cfg(feature = "torch")]
    #[test]
    fn what_is_forgotten_is_as_if_it_had_never_been_there() {
        let (whole, cut) = ("size = f() or 0\nn = size\nn", "g() or 0\nn = size\nn");
        let features = |source, first| {
            let queries = [
                query(source, first, 0, Use::ReturnValue),
                query(source, "size", source.matches("size").count() - 1, Use::Variable),
                query(source, "n", source.matches('n').count() - 1, Use::Variable),
            ];
            Features::of(&queries.iter().collect::<Vec<_>>(), &one_hot(&[Class::Str, Class::List, Class::Dict]))
        };
        let (mut whole, cut) = (features(whole, "f()"), features(cut, "g()"));
        let of_size = |features: &Features| {
            [features.rows[WIDTH..2 * WIDTH].to_vec(), features.mixed[CLASSES..2 * CLASSES].to_vec()].concat()
        };
        assert_ne!(of_size(&whole), of_size(&cut));
        forget_definitions(&mut whole.rows[WIDTH..2 * WIDTH], &mut whole.mixed[CLASSES..2 * CLASSES]);
        for (forgotten, never) in of_size(&whole).into_iter().zip(of_size(&cut)) {
            assert!((forgotten - never).abs() < 1e-5, "{forgotten} {never}");
        }
    }

    #[test]
    fn what_the_source_says_stands_beside_the_answers() {
        let source = "def f(size: int = 0, *rest):\n    return size\n";
        let queries = [query(source, "size", 1, Use::Variable), query(source, "rest", 0, Use::Variable)];
        let features = Features::of(&queries.iter().collect::<Vec<_>>(), &one_hot(&[Class::Str, Class::Tuple]));
        assert_eq!(features.rows.len(), 2 * WIDTH);
        let (size, rest) = features.rows.split_at(WIDTH);
        let [literals, annotations] = [4 * CLASSES, 5 * CLASSES];
        assert!((size[literals + Class::ZeroInt as usize] - 1.0).abs() < f32::EPSILON);
        assert!((size[annotations + Class::PositiveInt as usize] - 1.0).abs() < f32::EPSILON);
        assert!(rest[literals..annotations + CLASSES].iter().all(|&value| value == 0.0));
        let flags = 6 * CLASSES;
        assert_eq!(size[flags..flags + FLAGS], [0.0, 0.0, 1.0, 1.0]);
        let origin = |row: &[f32], origin: Origin| row[flags + FLAGS + origin as usize] > 0.0;
        assert!(origin(size, Origin::Default) && !origin(size, Origin::Parameter) && origin(rest, Origin::Variadic));
    }
}
