//! Which arguments reach which parameters: functions, classes and lambdas are matched with the calls of their names,
//! and with the calls that they are passed to (`map(f, rows)`), whose other arguments they may get.

use std::ops::Range;

use compact_str::CompactString;
use ruff_python_ast::{self as ast, Expr};
use rustc_hash::FxHashMap;

use crate::semantic::bytes;

/// Methods that put their arguments, or what they read from them, into an object.
const MUTATORS: [&str; 12] = [
    "append",
    "extend",
    "insert",
    "add",
    "update",
    "appendleft",
    "setdefault",
    "push",
    "read",
    "read_file",
    "load",
    "feed",
];

/// What reaches the container or the parameter of a name.
type Put = Vec<(CompactString, Range<u32>)>;

/// A function that can be called by a name.
struct Definition<'a> {
    called: &'a str,
    parameters: &'a ast::Parameters,
    /// The first parameter is the object.
    bound: bool,
    /// What calls of it give is what it returns: nobody decorates it, and it is no coroutine.
    plain: bool,
}

/// What the walk has seen of functions and calls.
#[derive(Default)]
pub(super) struct Arguments<'a> {
    definitions: Vec<Definition<'a>>,
    calls: Vec<&'a ast::ExprCall>,
}

impl<'a> Arguments<'a> {
    /// A `def`, with the class that it stands in.
    pub(super) fn function(&mut self, def: &'a ast::StmtFunctionDef, class: Option<&'a str>) {
        let called = match class {
            Some(class) if matches!(def.name.as_str(), "__init__" | "__new__") => class,
            _ => def.name.as_str(),
        };
        let is_static = |decorator: &ast::Decorator| matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "staticmethod");
        let bound = class.is_some() && !def.decorator_list.iter().any(is_static);
        let plain = class.is_none() && def.decorator_list.is_empty() && !def.is_async;
        self.definitions.push(Definition { called, parameters: &def.parameters, bound, plain });
    }

    /// Arguments of calls, by their names, of functions that the source defines once: what they give comes from what the
    /// functions return.
    pub(super) fn of_own_functions(&self) -> Vec<(&'a str, Range<u32>)> {
        let mut named: FxHashMap<&str, Vec<&Definition<'_>>> = FxHashMap::default();
        for definition in &self.definitions {
            named.entry(definition.called).or_default().push(definition);
        }
        let own = |call: &&'a ast::ExprCall| {
            let Expr::Name(name) = &*call.func else { return None };
            let is_plain = matches!(named.get(name.id.as_str()).map(Vec::as_slice), Some([one]) if one.plain);
            is_plain.then(|| (name.id.as_str(), bytes(&call.arguments)))
        };
        self.calls.iter().filter_map(own).collect()
    }

    /// `name = lambda ...`.
    pub(super) fn assignment(&mut self, assign: &'a ast::StmtAssign) {
        if let ([Expr::Name(name)], Expr::Lambda(lambda)) = (assign.targets.as_slice(), &*assign.value)
            && let Some(parameters) = &lambda.parameters
        {
            self.definitions.push(Definition { called: name.id.as_str(), parameters, bound: false, plain: false });
        }
    }

    pub(super) fn call(&mut self, call: &'a ast::ExprCall) {
        self.calls.push(call);
    }

    /// The arguments of `rows.append(row)` reach `rows`.
    pub(super) fn put_in(call: &ast::ExprCall, put: &mut Put) {
        let Expr::Attribute(method) = &*call.func else { return };
        let Expr::Name(name) = &*method.value else { return };
        // What a cursor gives is what it has executed.
        if method.attr.starts_with("execute") {
            put.push((CompactString::new(name.id.as_str()), bytes(call)));
        }
        if MUTATORS.contains(&method.attr.as_str()) {
            put.extend(call.arguments.args.iter().map(|value| (CompactString::new(name.id.as_str()), bytes(value))));
        }
    }

    /// The key of `counts[key] = value` reaches `counts`.
    pub(super) fn put_item(target: &Expr, put: &mut Put) {
        let Expr::Subscript(subscript) = target else { return };
        if let Expr::Name(name) = &*subscript.value {
            put.push((CompactString::new(name.id.as_str()), bytes(&*subscript.slice)));
        }
    }

    /// Adds to what reaches each parameter.
    pub(super) fn give(&self, put: &mut Put) {
        let mut named: FxHashMap<&str, Vec<&Definition<'_>>> = FxHashMap::default();
        for definition in &self.definitions {
            named.entry(definition.called).or_default().push(definition);
        }
        for call in &self.calls {
            for definition in callee(call).and_then(|callee| named.get(callee)).into_iter().flatten() {
                pass(definition, call, put);
            }
            let values = call.arguments.args.iter().chain(call.arguments.keywords.iter().map(|keyword| &keyword.value));
            for value in values {
                match value {
                    Expr::Lambda(lambda) => {
                        if let Some(parameters) = &lambda.parameters {
                            call_back(parameters, value, call, put);
                        }
                    }
                    Expr::Name(name) => {
                        for definition in named.get(name.id.as_str()).into_iter().flatten() {
                            call_back(definition.parameters, value, call, put);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The name that is called, of a method its own.
fn callee(call: &ast::ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

fn pass(definition: &Definition<'_>, call: &ast::ExprCall, put: &mut Put) {
    let parameters = definition.parameters;
    let positional: Vec<&ast::Parameter> = parameters
        .posonlyargs
        .iter()
        .chain(&parameters.args)
        .map(|parameter| &parameter.parameter)
        .skip(usize::from(definition.bound))
        .collect();
    let mut give = |parameter: &ast::Parameter, value: &Expr| reach(parameter, value, put);
    // From a starred argument on, places are not known.
    let mut starred = false;
    for (place, argument) in call.arguments.args.iter().enumerate() {
        starred |= argument.is_starred_expr();
        if starred {
            positional.iter().skip(place).for_each(|parameter| give(parameter, argument));
        } else if let Some(parameter) = positional.get(place) {
            give(parameter, argument);
        }
        if starred || place >= positional.len() {
            parameters.vararg.iter().for_each(|rest| give(rest, argument));
        }
    }
    for keyword in &call.arguments.keywords {
        let named = |parameter: &&ast::Parameter| {
            keyword.arg.as_ref().is_none_or(|name| name.as_str() == parameter.name.as_str())
        };
        let all = parameters.iter_non_variadic_params().map(|parameter| &parameter.parameter);
        all.filter(named).for_each(|parameter| give(parameter, &keyword.value));
        parameters.kwarg.iter().for_each(|rest| give(rest, &keyword.value));
    }
}

/// `callback` is called by what it is passed to, with the other arguments, or with what its object has.
fn call_back(parameters: &ast::Parameters, callback: &Expr, call: &ast::ExprCall, put: &mut Put) {
    let object = match &*call.func {
        Expr::Attribute(attribute) => Some(&*attribute.value),
        _ => None,
    };
    let keywords = call.arguments.keywords.iter().map(|keyword| &keyword.value);
    let others = call.arguments.args.iter().chain(keywords).filter(|value| !std::ptr::eq(*value, callback));
    for value in others.chain(object) {
        parameters.iter().for_each(|parameter| reach(parameter.as_parameter(), value, put));
    }
}

fn reach(parameter: &ast::Parameter, value: &Expr, put: &mut Put) {
    put.push((CompactString::new(parameter.name.as_str()), bytes(value)));
}
