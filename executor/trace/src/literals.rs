//! The strings and numbers that recordings have of their sites.

use surmise_value_model::Class;

use crate::dataset::Part;
use crate::error::ReadError;
use crate::read::SiteReader;
use crate::seen::Literal;

/// The strings that were observed at one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteStrings {
    /// The name read, or the callee's last component.
    pub name: String,
    /// Strings that are not empty, each with how often; the most frequent first.
    pub strings: Vec<(String, u32)>,
}

impl SiteStrings {
    /// The string that most of the observations were, if there is one.
    #[must_use]
    pub fn dominant(&self) -> Option<&str> {
        let total: u64 = self.strings.iter().map(|(_, count)| u64::from(*count)).sum();
        let (text, count) = self.strings.first()?;
        (u64::from(*count) * 2 > total).then_some(text)
    }
}

/// Reads the strings of the sites of one part of a data set, of those that have any. Slim parts have none.
///
/// # Errors
/// If its file is damaged, or not a recording.
pub fn site_strings(part: &Part) -> Result<impl Iterator<Item = Result<SiteStrings, ReadError>> + use<>, ReadError> {
    let strings = |literal: &(Literal, u32)| {
        (class_of(&literal.0) == Some(Class::Str)).then(|| (literal.0.value.to_string(), literal.1))
    };
    let sites = SiteReader::open(&part.path)?.map(move |row| {
        row.map(|row| SiteStrings {
            name: row.name.to_string(),
            strings: row.seen.literals.entries().iter().filter_map(strings).collect(),
        })
    });
    Ok(sites.filter(|site| site.as_ref().map_or(true, |site| !site.strings.is_empty())))
}

/// The class of a string or number that is neither empty nor zero, of which there is one only.
pub(crate) fn class_of(literal: &Literal) -> Option<Class> {
    let sign = |number: f64, classes: [Class; 2]| match number {
        number if number > 0.0 => Some(classes[0]),
        number if number < 0.0 => Some(classes[1]),
        _ => None,
    };
    match literal.kind_name() {
        "str" => (!literal.value.is_empty()).then_some(Class::Str),
        "int" => sign(literal.value.parse().ok()?, [Class::PositiveInt, Class::NegativeInt]),
        _ => sign(literal.value.parse().ok()?, [Class::PositiveFloat, Class::NegativeFloat]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_half_is_dominant() {
        let site = |counts: &[u32]| SiteStrings {
            name: "x".to_owned(),
            strings: counts.iter().map(|count| (count.to_string(), *count)).collect(),
        };
        assert_eq!(site(&[3, 2]).dominant(), Some("3"));
        assert_eq!(site(&[3, 2, 1]).dominant(), None);
        assert_eq!(site(&[]).dominant(), None);
    }

    #[test]
    fn literals_have_classes() {
        let class = |kind, value| class_of(&Literal::new(kind, value).expect("a kind"));
        assert_eq!(class("str", "a"), Some(Class::Str));
        assert_eq!(class("str", ""), None);
        assert_eq!(class("int", "-3"), Some(Class::NegativeInt));
        assert_eq!(class("int", "0"), None);
        assert_eq!(class("float", "0.5"), Some(Class::PositiveFloat));
        assert_eq!(class("float", "nan"), None);
    }
}
