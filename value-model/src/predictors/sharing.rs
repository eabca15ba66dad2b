//! Sites that often see the same value answer more alike: reads of one name, and what is assigned to that name.
//!
//! Within one source, the logits of a site are mixed with the mean over all reads of its name, and those of a value
//! that is assigned with the mean over the reads of its target. The shares were chosen on the `dev` projects.

use std::collections::HashMap;

use crate::{Class, Query, Use};

/// How much of an answer is the site's own; the rest is the mean over the reads of its name.
const OWN: f32 = 0.4;
/// How much of what is assigned is taken over from the reads of its target.
const OF_TARGET: f32 = 0.3;

const CLASSES: usize = Class::ALL.len();
type Name<'a> = (Use, &'a str);

/// Brings the logits of sites of one source, [`CLASSES`] each, closer to those that see the same.
pub(super) fn share(logits: &mut [f32], queries: &[&Query<'_>]) {
    let mut means: HashMap<Name<'_>, (f32, [f32; CLASSES])> = HashMap::new();
    for (query, own) in queries.iter().zip(logits.chunks_exact(CLASSES)) {
        let (count, mean) = means.entry((query.kind, query.name)).or_insert((0.0, [0.0; CLASSES]));
        *count += 1.0;
        // Subtracting first keeps the mean of equal answers exact.
        mean.iter_mut().zip(own).for_each(|(mean, own)| *mean += (own - *mean) / *count);
    }
    let mix = |own: &mut [f32], name: Name<'_>, part: f32| {
        if let Some((_, mean)) = means.get(&name) {
            own.iter_mut().zip(mean).for_each(|(own, mean)| *own += (mean - *own) * part);
        }
    };
    for (query, own) in queries.iter().zip(logits.chunks_exact_mut(CLASSES)) {
        mix(own, (query.kind, query.name), 1.0 - OWN);
        if let Some(target) = target(query.source, query.start) {
            mix(own, target, OF_TARGET);
        }
    }
}

/// The name that the expression beginning at `start` is assigned to, if its line says `name =` or `object.name =`.
fn target(source: &str, start: usize) -> Option<Name<'_>> {
    let before = source.get(..start)?;
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let path = line.trim().strip_suffix('=')?.trim_end();
    let part = |text: &str| text.starts_with(|c: char| c == '_' || c.is_alphabetic()) && text.chars().all(is_word);
    if !path.split('.').all(part) {
        return None;
    }
    Some(path.rsplit_once('.').map_or((Use::Variable, path), |(_, name)| (Use::Attribute, name)))
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query<'a>(source: &'a str, name: &'a str, kind: Use) -> Query<'a> {
        let start = source.rfind(name).expect("the name is there");
        Query { name, kind, source, start, end: start + name.len(), anchor: start + name.len() }
    }

    #[test]
    fn reads_of_one_name_and_what_is_assigned_to_it_share_their_logits() {
        let source = "n = f()\nn\nn\nx.n";
        let f = query(source, "f", Use::ReturnValue);
        let n = query(source, "n", Use::Variable);
        let attribute = Query { kind: Use::Attribute, ..n };
        let mut logits = vec![0.0; 4 * CLASSES];
        let first = [10.0, 1.0, 3.0, 5.0];
        first.iter().enumerate().for_each(|(site, value)| logits[site * CLASSES] = *value);
        share(&mut logits, &[&f, &n, &n, &attribute]);
        let expected = [
            10.0 * (1.0 - OF_TARGET) + 2.0 * OF_TARGET,
            1.0 * OWN + 2.0 * (1.0 - OWN),
            3.0 * OWN + 2.0 * (1.0 - OWN),
            5.0,
        ];
        for (site, expected) in expected.into_iter().enumerate() {
            assert!((logits[site * CLASSES] - expected).abs() < 1e-5, "site {site}: {}", logits[site * CLASSES]);
            assert!(logits[site * CLASSES + 1..][..CLASSES - 1].iter().all(|&other| other == 0.0));
        }
    }

    #[test]
    fn targets_are_names_and_attributes() {
        for (line, expected) in [
            ("count = ", Some((Use::Variable, "count"))),
            ("    self._rows.größe =", Some((Use::Attribute, "größe"))),
            ("if a == ", None),
            ("a += ", None),
            ("a <= ", None),
            ("a[0] = ", None),
            ("f(key=", None),
            ("a, b = ", None),
            ("1.5 = ", None),
            ("= ", None),
            ("", None),
        ] {
            let source = format!("x = 1\n{line}value");
            assert_eq!(target(&source, source.len() - "value".len()), expected, "{line}");
        }
        assert_eq!(target("é", 1), None, "a start inside of a character");
    }
}
