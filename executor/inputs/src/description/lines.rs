//! Where lines end: a description without line breaks leaves it open, custom does not.
//!
//! The probabilities are those of the custom of programming contests: numbers that follow on each other share a line,
//! texts and rows have lines of their own.

use super::layout::Element;
use crate::expression::Expression;
use crate::grammar::{Block, Field, Grammar};

/// Ways to end lines that are kept.
const MOST: usize = 12;

/// Ways to break elements into lines, with their probabilities, the likeliest first.
pub(super) fn layouts(elements: &[Element], values: &Grammar) -> Vec<(Vec<Block>, f64)> {
    let mut found: Vec<(Vec<Block>, f64)> = vec![(Vec::new(), 1.0)];
    let mut rest = elements;
    while let Some(first) = rest.first() {
        let ones = rest.iter().take_while(|element| matches!(element, Element::One(_))).count();
        let (choices, taken) = if ones > 0 {
            let names: Vec<&str> = rest[..ones]
                .iter()
                .filter_map(|element| if let Element::One(name) = element { Some(name.as_str()) } else { None })
                .collect();
            (scalars(&names, values), ones)
        } else {
            (several(first, values), 1)
        };
        let mut next = Vec::new();
        for (blocks, weight) in &found {
            for (more, chance) in &choices {
                next.push(([blocks.as_slice(), more.as_slice()].concat(), weight * chance));
            }
        }
        next.sort_by(|one, other| other.1.total_cmp(&one.1));
        next.truncate(MOST);
        found = next;
        rest = &rest[taken..];
    }
    found
}

fn line(names: &[&str]) -> Block {
    Block::Line(names.iter().map(|name| Field::One((*name).to_owned())).collect())
}

/// Lines of single values.
fn scalars<'n>(names: &[&'n str], values: &Grammar) -> Vec<(Vec<Block>, f64)> {
    let is_text = |name: &str| values.variable(name).is_some_and(crate::Variable::is_text);
    let mut usual: Vec<Vec<&'n str>> = Vec::new();
    let mut before = None;
    for &name in names {
        match usual.last_mut() {
            Some(last) if !is_text(name) && before == Some(false) => last.push(name),
            _ => usual.push(vec![name]),
        }
        before = Some(is_text(name));
    }
    let texts = names.iter().filter(|name| is_text(name)).count();
    let each: Vec<Vec<&str>> = names.iter().map(|name| vec![*name]).collect();
    let together = vec![names.to_vec()];
    let mut ways: Vec<(Vec<Vec<&'n str>>, f64)> = Vec::new();
    let mut way = |lines: Vec<Vec<&'n str>>, weight: f64| match ways.iter_mut().find(|(known, _)| *known == lines) {
        Some((_, known)) => *known += weight,
        None => ways.push((lines, weight)),
    };
    if names.len() == 1 {
        way(usual, 1.0);
    } else if texts == 0 {
        let several = names.len() > 2;
        way(usual, if several { 0.85 } else { 0.975 });
        way(each, if several { 0.04 } else { 0.025 });
        if several {
            let (first, others) = names.split_at(1);
            way(vec![first.to_vec(), others.to_vec()], 0.06);
            let (others, last) = names.split_at(names.len() - 1);
            way(vec![others.to_vec(), last.to_vec()], 0.03);
            if names.len() == 4 {
                way(names.chunks(2).map(<[&str]>::to_vec).collect(), 0.04);
            }
        }
    } else if texts == names.len() {
        way(together, 0.4);
        way(each, 0.6);
    } else {
        // Two numbers seldom stand on two lines.
        let apart = if names.len() - texts == 2 { 0.02 } else { 0.04 };
        way(usual, 0.86 - apart);
        way(together, 0.14);
        way(each, apart);
    }
    ways.into_iter().map(|(lines, weight)| (lines.iter().map(|names| line(names)).collect(), weight)).collect()
}

fn several(element: &Element, values: &Grammar) -> Vec<(Vec<Block>, f64)> {
    let repeat = |count: &Expression, body: Vec<Block>| Block::Repeat { count: Some(count.clone()), body };
    match element {
        Element::One(name) => vec![(vec![line(&[name])], 1.0)],
        Element::Line(fields) => vec![(vec![Block::Line(fields.clone())], 1.0)],
        Element::Row { variable, count, separator } => {
            let is_long = values.variable(variable).is_some_and(|of| of.is_text() && !separator.is_empty());
            let row = Field::Row { variable: variable.clone(), count: count.clone(), separator: separator.clone() };
            let below = repeat(count, vec![Block::Line(vec![Field::One(variable.clone())])]);
            let beside = if is_long { 0.6 } else { 0.98 };
            vec![(vec![Block::Line(vec![row])], beside), (vec![below], 1.0 - beside)]
        }
        Element::Lines { count, fields } => {
            let below = repeat(count, vec![Block::Line(fields.clone())]);
            match fields.as_slice() {
                [Field::One(variable)] => {
                    let row =
                        Field::Row { variable: variable.clone(), count: count.clone(), separator: " ".to_owned() };
                    vec![(vec![below], 0.975), (vec![Block::Line(vec![row])], 0.025)]
                }
                _ => vec![(vec![below], 1.0)],
            }
        }
        Element::Cases { count, body } => {
            let inside = layouts(body, values);
            inside.into_iter().map(|(blocks, weight)| (vec![repeat(count, blocks)], weight)).collect()
        }
    }
}
