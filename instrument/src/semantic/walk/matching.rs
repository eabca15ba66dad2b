//! `match` statements.

use ruff_python_ast::{self as ast, Expr, Pattern};
use ruff_text_size::Ranged;

use super::flow::Flow;
use super::headers::dotted_name;
use super::{UNEVALUATED, Walk};
use crate::role::Role;
use crate::semantic::feeds::Origin;
use crate::semantic::scope::captured;
use crate::semantic::uses::{Form, Resolution};

impl<'a> Walk<'a> {
    pub(super) fn choice(&mut self, choice: &'a ast::StmtMatch, mark: Option<u32>, next: Option<u32>) {
        self.span(choice.start(), choice.subject.end());
        let line = self.line(choice.start());
        self.subject(choice, mark);
        let before = self.frame().flow.clone();
        let mut after: Option<Flow> = None;
        let lines: Vec<u32> = choice.cases.iter().map(|case| self.line(case.start())).collect();
        for (position, case) in choice.cases.iter().enumerate() {
            self.frame().flow = before.clone();
            // A case was tried if a later one was; that an earlier one was tried does not tell.
            match position.checked_sub(1) {
                None => self.imply(lines[0], line),
                Some(before) => self.imply(lines[before], lines[position]),
            }
            self.capture(&case.pattern);
            if let Some(guard) = &case.guard {
                let mark = self.frame().hooked.then_some(lines[position]);
                self.marked_expr(guard, Role::Plain, mark);
            }
            if let Some(first) = case.body.first() {
                let first = self.line(first.start());
                self.imply(lines[position], first);
            }
            self.block(&case.body, None, next, false);
            let end = std::mem::take(&mut self.frame().flow);
            match &mut after {
                Some(after) => after.join(&end),
                None => after = Some(end),
            }
        }
        let exhaustive = choice.cases.last().is_some_and(|case| case.guard.is_none() && case.pattern.is_irrefutable());
        let mut after = after.unwrap_or_else(|| before.clone());
        if !exhaustive {
            after.join(&before);
        }
        self.frame().flow = after;
    }

    /// `match s: ...`, with the names in patterns that may be missing.
    fn subject(&mut self, choice: &'a ast::StmtMatch, mark: Option<u32>) {
        let mut missing = Vec::new();
        for case in &choice.cases {
            self.missing_classes(&case.pattern, &mut missing);
        }
        if !missing.is_empty() {
            self.adapt(Form::Subject, Role::Plain, &*choice.subject).inner = missing.len() as u32;
            for (name, expr, role) in missing {
                let symbol = self.tables.scopes.symbols.intern_copy(&name);
                self.list(Form::PatternName, symbol, role, expr, expr.start());
            }
        }
        self.marked_expr(&choice.subject, Role::Plain, mark);
    }

    fn missing_classes(&self, pattern: &'a Pattern, into: &mut Vec<(String, &'a Expr, Role)>) {
        let mut check = |expr: &'a Expr| {
            if let Some(dotted) = dotted_name(expr) {
                let root = dotted.split('.').next().unwrap_or_default();
                if self.resolve_name(root) != Resolution::Proven || dotted.contains('.') {
                    into.push((dotted, expr, Role::Caught));
                }
            }
        };
        match pattern {
            Pattern::MatchClass(class) => {
                check(&class.cls);
                let nested = class.arguments.patterns.iter();
                let keywords = class.arguments.keywords.iter().map(|keyword| &keyword.pattern);
                nested.chain(keywords).for_each(|pattern| self.missing_classes(pattern, into));
            }
            Pattern::MatchSequence(list) => list.patterns.iter().for_each(|item| self.missing_classes(item, into)),
            Pattern::MatchMapping(map) => map.patterns.iter().for_each(|item| self.missing_classes(item, into)),
            Pattern::MatchOr(choice) => choice.patterns.iter().for_each(|item| self.missing_classes(item, into)),
            Pattern::MatchAs(capture) => {
                if let Some(pattern) = &capture.pattern {
                    self.missing_classes(pattern, into);
                }
            }
            // `case Color.RED`: the root is an ordinary value.
            Pattern::MatchValue(value) => {
                if let Some(root) = dotted_name(&value.value).and_then(|name| name.split('.').next().map(str::to_owned))
                    && self.resolve_name(&root) != Resolution::Proven
                {
                    into.push((root, &value.value, Role::Plain));
                }
            }
            Pattern::MatchSingleton(_) | Pattern::MatchStar(_) => {}
        }
    }

    /// What a pattern reads and binds.
    fn capture(&mut self, pattern: &'a Pattern) {
        if let Some(name) = captured(pattern) {
            self.feed_name(name.as_str(), Origin::Matched);
            self.bind(name.as_str());
        }
        match pattern {
            Pattern::MatchAs(capture) => capture.pattern.iter().for_each(|pattern| self.capture(pattern)),
            Pattern::MatchMapping(map) => {
                self.in_region(UNEVALUATED, |walk| walk.exprs(&map.keys));
                map.patterns.iter().for_each(|item| self.capture(item));
            }
            Pattern::MatchSequence(list) => list.patterns.iter().for_each(|item| self.capture(item)),
            Pattern::MatchOr(choice) => choice.patterns.iter().for_each(|item| self.capture(item)),
            Pattern::MatchClass(class) => {
                self.in_region(UNEVALUATED, |walk| walk.expr(&class.cls, Role::Plain));
                class.arguments.patterns.iter().for_each(|item| self.capture(item));
                class.arguments.keywords.iter().for_each(|keyword| self.capture(&keyword.pattern));
            }
            Pattern::MatchValue(value) => self.in_region(UNEVALUATED, |walk| walk.expr(&value.value, Role::Plain)),
            Pattern::MatchSingleton(_) | Pattern::MatchStar(_) => {}
        }
    }
}
