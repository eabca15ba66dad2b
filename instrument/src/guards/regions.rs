//! What a source has: guards to learn from, and regions to ask about, function by function.

use std::ops::Range;

use compact_str::CompactString;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::asked::FileGuards;
use super::occurrences::{Occurrences, described};
use super::surroundings::{Surroundings, declared};
use super::walk::{MOST_REGIONS, Walk, Wanted};
use super::{Place, Sample};
use crate::cleanup::blocks;
use crate::semantic::SourceModel;

/// Classes of the module that are candidates everywhere.
const MOST_CLASSES: usize = 16;
/// Longest functions that are learned from, in statements with their blocks.
const MOST_OCCURRENCES: usize = 4000;

/// What was left out, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Conditions with side effects, or of a kind that is not taken: a walrus, `await`, `lambda`.
    pub conditions: usize,
    /// Functions that are too long to be looked at whole.
    pub functions: usize,
}

/// What a source has.
#[derive(Clone, Debug)]
pub struct Listed<T> {
    /// In the order of the source.
    pub found: Vec<T>,
    /// What was left out.
    pub left: Left,
    /// Functions that were looked at.
    pub functions: usize,
}

/// All guards of a source, each taken away by itself.
#[must_use]
pub fn samples(model: &SourceModel) -> Listed<Sample> {
    let mut listed = Listed { found: Vec::new(), left: Left::default(), functions: 0 };
    each_function(model, &mut |function, def| {
        listed.functions += 1;
        if function.occurrences.all.len() > MOST_OCCURRENCES {
            listed.left.functions += 1;
            return;
        }
        let mut walk = Walk::new(model, function, Wanted::Guards);
        walk.block(&def.body, &[], (false, "body"));
        listed.found.append(&mut walk.samples);
        listed.left.conditions += walk.left;
    });
    listed
}

/// The regions of a source where a condition may be asked for.
#[must_use]
pub fn places(model: &SourceModel) -> Listed<Place> {
    let mut listed = Listed { found: Vec::new(), left: Left::default(), functions: 0 };
    each_function(model, &mut |function, def| {
        listed.functions += 1;
        let mut walk = Walk::new(model, function, Wanted::Regions);
        walk.block(&def.body, &[], (false, "body"));
        listed.left.functions += usize::from(walk.places.len() >= MOST_REGIONS);
        listed.left.conditions += walk.left;
        listed.found.append(&mut walk.places);
    });
    listed
}

/// Calls `work` for each function, with what its places have in common.
fn each_function(model: &SourceModel, work: &mut (dyn FnMut(&Surroundings<'_>, &ast::StmtFunctionDef) + Send)) {
    let classes = classes(model.suite());
    let text = model.text();
    let _no_memory_no_functions = model.with_tree(|tree| {
        let mut rest: Vec<(&[Stmt], String, Option<usize>)> = vec![(tree.suite(), String::new(), None)];
        let mut stored: Vec<FxHashMap<CompactString, Vec<CompactString>>> = Vec::new();
        let mut found: Vec<(String, &ast::StmtFunctionDef, Option<usize>)> = Vec::new();
        while let Some((suite, prefix, class)) = rest.pop() {
            for stmt in suite {
                match stmt {
                    Stmt::FunctionDef(def) => {
                        let name = format!("{prefix}{}", def.name);
                        rest.push((&def.body, format!("{name}."), None));
                        found.push((name, def, class));
                    }
                    Stmt::ClassDef(def) => {
                        stored.push(attributes(&def.body));
                        rest.push((&def.body, format!("{prefix}{}.", def.name), Some(stored.len() - 1)));
                    }
                    other => rest.extend(blocks(other).into_iter().map(|suite| (suite, prefix.clone(), class))),
                }
            }
        }
        found.sort_by_key(|(_, def, _)| def.start());
        let none = FileGuards::default();
        let of = |(name, def, class): (String, &ast::StmtFunctionDef, Option<usize>)| {
            let is_static = def.decorator_list.iter().any(|decorator| {
                decorator.expression.is_name_expr() && text[decorator.expression.range()].ends_with("staticmethod")
            });
            let first = def.parameters.iter().next().filter(|_| class.is_some() && !is_static);
            Surroundings {
                name: name.into(),
                occurrences: Occurrences::of(def),
                declared: declared(def, text),
                own: first.map(|parameter| parameter.name().as_str().into()),
                class: class.map(|class| &stored[class]),
                classes: &classes,
                range: undecorated(def, text),
                guards: &none,
            }
        };
        let functions: Vec<(&ast::StmtFunctionDef, Surroundings<'_>)> =
            found.into_iter().map(|found| (found.1, of(found))).collect();
        let mut guards = FileGuards::default();
        for (def, function) in &functions {
            let mut walk = Walk::new(model, function, Wanted::Conditions);
            walk.block(&def.body, &[], (false, "body"));
            let is_bound = |name: &str| function.occurrences.bound.contains_key(name);
            walk.conditions.iter().for_each(|condition| guards.add(condition, function.range.start, is_bound));
        }
        guards.finish();
        for (def, function) in functions {
            work(&Surroundings { guards: &guards, ..function }, def);
        }
    });
}

/// The bytes of a function from its `def` or `async` on, where it is spelled as usual; else with its decorators.
fn undecorated(def: &ast::StmtFunctionDef, text: &str) -> Range<u32> {
    let keywords = if def.is_async { "async def " } else { "def " };
    let name = def.name.start().to_usize();
    let is_usual = text.as_bytes()[..name].ends_with(keywords.as_bytes());
    let start = if is_usual { (name - keywords.len()) as u32 } else { def.start().to_u32() };
    start..def.end().to_u32()
}

/// Names of classes that the module defines or imports.
fn classes(suite: &[Stmt]) -> Vec<CompactString> {
    let mut found: Vec<CompactString> = Vec::new();
    let is_class = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase())
    };
    for stmt in suite {
        match stmt {
            Stmt::ClassDef(def) => found.push(def.name.as_str().into()),
            Stmt::ImportFrom(import) => {
                let names = import.names.iter().map(|alias| alias.asname.as_ref().unwrap_or(&alias.name).as_str());
                found.extend(names.filter(|name| is_class(name)).map(CompactString::from));
            }
            _ => {}
        }
    }
    found.truncate(MOST_CLASSES);
    found
}

/// What methods store in attributes of their first parameter.
fn attributes(body: &[Stmt]) -> FxHashMap<CompactString, Vec<CompactString>> {
    struct Stores<'a> {
        own: &'a str,
        found: FxHashMap<CompactString, Vec<CompactString>>,
    }
    impl<'a> Visitor<'a> for Stores<'_> {
        fn visit_stmt(&mut self, stmt: &'a Stmt) {
            if let Stmt::Assign(assign) = stmt {
                for target in &assign.targets {
                    if let Expr::Attribute(attribute) = target
                        && attribute.value.as_name_expr().is_some_and(|name| name.id == self.own)
                    {
                        let stored = self.found.entry(attribute.attr.as_str().into()).or_default();
                        stored.push(described(&assign.value));
                    }
                }
            }
            visitor::walk_stmt(self, stmt);
        }
    }
    let mut stores = Stores { own: "", found: FxHashMap::default() };
    for def in body.iter().filter_map(Stmt::as_function_def_stmt) {
        if let Some(first) = def.parameters.iter().next() {
            stores.own = first.name().as_str();
            def.body.iter().for_each(|stmt| stores.visit_stmt(stmt));
        }
    }
    stores.found
}
