//! Proposed values: read, checked, used or refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use surmise_engine::plan::{Plan, Value};
use surmise_engine::protocol::{Assigned, Literal as Injected};
use surmise_ledger::Ledger;
use surmise_llm::Literal;

use crate::missing::{Asked, Missing};

/// Characters of a refused value that are reported.
const SHOWN: usize = 80;

/// A proposed value that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Access path of what it was proposed for; empty for what was not asked.
    pub path: String,
    /// The value, cut.
    pub value: String,
    /// Why.
    pub reason: String,
}

/// What an answer proposes, checked.
#[derive(Debug, Default)]
pub struct Proposals {
    /// Values by the number of what is missing, from 1.
    pub used: BTreeMap<usize, Literal>,
    /// Others, with that number.
    pub refused: Vec<(usize, Refused)>,
}

#[derive(Deserialize)]
struct Answer {
    values: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Proposal {
    id: usize,
    value: serde_json::Value,
}

impl Proposals {
    /// Reads an answer; `None` where it is no JSON object with a list of values. What stands around the object is skipped,
    /// and a value of another form is refused alone.
    pub fn read(text: &str, missing: &Asked<'_>, plan: &Plan) -> Option<Self> {
        let (from, to) = (text.find('{')?, text.rfind('}')?);
        let answer: Answer = serde_json::from_str(text.get(from..=to)?).ok()?;
        let mut proposals = Self::default();
        for given in answer.values {
            let Ok(Proposal { id, value }) = serde_json::from_value(given.clone()) else {
                let value = given.to_string().chars().take(SHOWN).collect();
                let reason = "it is not of the asked form".to_owned();
                proposals.refused.push((0, Refused { path: String::new(), value, reason }));
                continue;
            };
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let asked = missing.get(&id);
            let checked = match asked {
                None => Err("nothing was asked under this number".to_owned()),
                Some(_) if proposals.used.contains_key(&id) => Err("another value was proposed before".to_owned()),
                Some(asked) => checked(&text, asked, plan),
            };
            match checked {
                Ok(literal) => drop(proposals.used.insert(id, literal)),
                Err(reason) => {
                    let path = asked.map(|asked| asked.path.clone()).unwrap_or_default();
                    let value = text.chars().take(SHOWN).collect();
                    proposals.refused.push((id, Refused { path, value, reason }));
                }
            }
        }
        Some(proposals)
    }

    /// True if anything was proposed: what is not was asked for in vain.
    pub(crate) fn has_values(&self) -> bool {
        !self.used.is_empty() || !self.refused.is_empty()
    }

    /// With the values of an earlier answer where this one has none.
    pub(crate) fn after(mut self, earlier: &Self) -> Self {
        for (number, literal) in &earlier.used {
            self.used.entry(*number).or_insert_with(|| literal.clone());
        }
        self.refused.splice(0..0, earlier.refused.iter().cloned());
        self
    }

    /// How many of the values runs injected.
    pub(crate) fn injected(&self, missing: &[Missing], ledger: &Ledger) -> usize {
        let got = |(number, literal): &(&usize, &Literal)| {
            let mut injections = ledger.entries().iter().flat_map(|entry| &entry.injections);
            missing.get(**number - 1).is_some_and(|missing| injections.any(|one| missing.got(literal, one)))
        };
        self.used.iter().filter(got).count()
    }

    /// The values of imported names, by dotted name.
    pub(crate) fn by_name(&self, missing: &[Missing]) -> BTreeMap<String, Value> {
        let imported = |(number, literal): (&usize, &Literal)| {
            let missing = missing.get(number - 1).filter(|missing| missing.is_imported())?;
            let assigned = Assigned { class: literal.class(), probability: 0.0, rank: 1 };
            Some((missing.path.clone(), Value { assigned, literal: injected(literal) }))
        };
        self.used.iter().filter_map(imported).collect()
    }

    /// The values by site, with the built-in model's rank and probability of their classes.
    pub(crate) fn by_site(&self, missing: &[Missing], plan: &Plan) -> BTreeMap<u32, Value> {
        let mut values = BTreeMap::new();
        for (number, literal) in &self.used {
            for &site in missing.get(number - 1).map_or(&[][..], |missing| &missing.sites) {
                let class = literal.class();
                let ranking = plan.ranking(site);
                let place = ranking.iter().position(|prediction| prediction.class == class);
                let probability = place.map_or(0.0, |place| ranking[place].probability);
                let rank = u16::try_from(place.unwrap_or(ranking.len())).unwrap_or(u16::MAX).saturating_add(1);
                let assigned = Assigned { class, probability, rank };
                values.insert(site, Value { assigned, literal: injected(literal) });
            }
        }
        values
    }
}

/// The value that a text is, if it may be used for what is missing.
fn checked(text: &str, missing: &Missing, plan: &Plan) -> Result<Literal, String> {
    let literal = Literal::parse(text).map_err(|error| error.to_string())?;
    let class = literal.class();
    // The class of other objects says nothing of what they can do: a run will tell.
    if missing.can_be(class, plan) {
        Ok(literal)
    } else {
        Err(format!("the code cannot use a value of type {}", literal.type_name()))
    }
}

/// What the runtime injects; `None` for the usual value of the class.
fn injected(literal: &Literal) -> Option<Injected> {
    match literal {
        Literal::Text(text) if !text.is_empty() => Some(Injected::Text(text.clone())),
        Literal::Int(digits) => {
            Some(digits.parse().map_or_else(|_| Injected::Written(digits.clone()), Injected::Integer))
        }
        Literal::Float(number) if number.is_finite() => Some(Injected::Real(*number)),
        Literal::None | Literal::Bool(_) | Literal::Text(_) => None,
        literal => Some(Injected::Written(literal.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use surmise_engine::plan::{PredictorChoice, Settings};
    use surmise_engine::source::Source;

    use super::*;

    fn plan() -> Plan {
        let text = "for row in rows:\n    print(row)\nprint(name, limit + 1)\n";
        let source = Source { name: "a.py".into(), path: None, text: text.into() };
        let settings = Settings { predictor: PredictorChoice::Naive, ..Settings::default() };
        Plan::new(source, &settings).expect("it parses")
    }

    fn missing(plan: &Plan) -> Vec<Missing> {
        let of = |name: &str| {
            let site = plan.sites.iter().position(|site| site.name == name).expect("a site") as u32;
            let (sites, bound) = (vec![site], Vec::new());
            let (path, text) = (name.to_owned(), name.to_owned());
            Missing { sites, kind: "variable".into(), path, text, bound, line: 1, probability: 0.5 }
        };
        ["rows", "name", "limit"].map(of).to_vec()
    }

    #[test]
    fn values_are_used_or_refused() {
        let plan = plan();
        let missing = missing(&plan);
        let asked: Asked<'_> = (1..).zip(&missing).collect();
        let answer = "Here you are:\n```json\n{\"values\": [{\"id\": 1, \"value\": \"[1, 'a']\"}, {\"id\": 2, \"value\": \"'Ada'\"},\
                      {\"id\": 3, \"value\": 7}, {\"id\": 3, \"value\": \"8\"}, {\"id\": 9, \"value\": \"1\"}]}\n```";
        let proposals = Proposals::read(answer, &asked, &plan).expect("it is JSON");
        let used: Vec<String> = proposals.used.values().map(ToString::to_string).collect();
        assert_eq!(used, ["[1, 'a']", "'Ada'", "7"]);
        assert_eq!(proposals.refused.len(), 2, "{:?}", proposals.refused);
        let values = proposals.by_site(&missing, &plan);
        let literals: Vec<_> = missing.iter().filter_map(|missing| values[&missing.sites[0]].literal.clone()).collect();
        let list = Injected::Written("[1, 'a']".into());
        assert_eq!(literals, [list, Injected::Text("Ada".into()), Injected::Integer(7)]);

        let refused = |value: &str, number: usize| {
            let answer = serde_json::json!({"values": [{"id": number, "value": value}]}).to_string();
            let mut proposals = Proposals::read(&answer, &asked, &plan).expect("it is JSON");
            assert!(proposals.used.is_empty(), "{value}");
            proposals.refused.remove(0).1.reason
        };
        assert_eq!(refused("5", 1), "the code cannot use a value of type int");
        assert_eq!(
            refused("open('/etc/passwd').read()", 2),
            "it calls something that is no constructor of a known type"
        );
        assert_eq!(refused("Ada Lovelace", 2), "it is no Python expression");
        let mixed = "{\"values\": [3, {\"id\": -1, \"value\": \"1\"}, {\"id\": 2}, {\"id\": 2, \"value\": \"'Ada'\"}]}";
        let proposals = Proposals::read(mixed, &asked, &plan).expect("one value is of the asked form");
        assert_eq!((proposals.used.len(), proposals.refused.len()), (1, 3), "{proposals:?}");
        for nonsense in ["", "no", "{", "}{", "{\"values\": 3}", "[1]"] {
            assert!(Proposals::read(nonsense, &asked, &plan).is_none(), "{nonsense}");
        }
    }
}
