//! Follows calls: of builtin functions, of methods of builtin types, and of the source's own functions.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

use super::builtins::{arity, given, given_by_method, has_attribute, method_arity, takes};
use super::types::{Kinds, Type};
use super::{TypeDoubt, Walk, operators};

/// Methods that add an element to a container: their name, and whether they add those of what they are given.
const FILLING: [(&str, bool); 5] =
    [("append", false), ("add", false), ("insert", false), ("extend", true), ("update", true)];

impl<'t> Walk<'t> {
    pub(super) fn call(&mut self, call: &'t ast::ExprCall) -> Type {
        let at = call.start().to_u32();
        let function = match &*call.func {
            Expr::Name(name) => Err(name.id.as_str()),
            Expr::Attribute(attribute) => Ok(attribute),
            other => {
                let called = self.expression(other);
                self.has_to_be(at, &called, Kinds::CALLABLE);
                self.arguments(call);
                return Type::unknown();
            }
        };
        match function {
            Ok(attribute) => {
                let value = self.expression(&attribute.value);
                let arguments = self.arguments(call);
                if self.has(&value, attribute) {
                    self.method(call, &value, attribute, &arguments)
                } else {
                    Type::default()
                }
            }
            Err(name) => {
                let arguments = self.arguments(call);
                if self.functions.contains_key(name) {
                    return self.own_function(call, name, &arguments);
                }
                match self.variable(name) {
                    Some(called) => {
                        self.has_to_be(at, &called, Kinds::CALLABLE);
                        Type::unknown()
                    }
                    None => self.builtin(call, name, &arguments),
                }
            }
        }
    }

    fn arguments(&mut self, call: &'t ast::ExprCall) -> Vec<Type> {
        for keyword in &call.arguments.keywords {
            self.expression(&keyword.value);
        }
        // The function that `map` calls is called with elements.
        let is_map = call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "map");
        let mut arguments = Vec::new();
        for (number, argument) in call.arguments.args.iter().enumerate() {
            let is_function = is_map && number == 0 && argument.is_name_expr();
            arguments.push(if is_function { Kinds::FUNCTION.into() } else { self.expression(argument) });
        }
        arguments
    }

    fn method(
        &mut self,
        call: &ast::ExprCall,
        value: &Type,
        attribute: &'t ast::ExprAttribute,
        arguments: &[Type],
    ) -> Type {
        let name = attribute.attr.as_str();
        if let Some((_, adds_all)) = FILLING.iter().find(|(filling, _)| *filling == name)
            && let Some(last) = arguments.last()
        {
            let element = if *adds_all { last.element() } else { last.clone() };
            self.filled(&attribute.value, &element);
        }
        if !value.is_known() {
            return Type::unknown();
        }
        let mut found = Type::default();
        for kind in value.kinds.iter().filter(|kind| has_attribute(*kind, name)) {
            found = found.join(&given_by_method(kind, name, value));
        }
        if let Some(bounds) = method_arity(value.kinds, name) {
            self.counted(call, bounds);
        }
        let at = call.start().to_u32();
        match (value.kinds, name, arguments) {
            (Kinds::STR, "join", [parts]) => {
                self.has_to_be(at, parts, Kinds::ITERABLE);
                self.has_to_be(at, &parts.element(), Kinds::STR);
            }
            (Kinds::LIST, "extend", [more]) => self.has_to_be(at, more, Kinds::ITERABLE),
            _ => {}
        }
        if found.kinds.is_empty() { Type::unknown() } else { found }
    }

    /// Takes note of a call with too many or too few arguments.
    fn counted(&mut self, call: &ast::ExprCall, (least, most): (usize, usize)) {
        let arguments = &call.arguments;
        let count = arguments.args.len();
        let is_open = arguments.args.iter().any(Expr::is_starred_expr) || !arguments.keywords.is_empty();
        if !is_open && !(least..=most).contains(&count) {
            self.doubt(call.start().to_u32(), TypeDoubt::Operation);
        }
    }

    fn builtin(&mut self, call: &'t ast::ExprCall, name: &'t str, arguments: &[Type]) -> Type {
        if let Some(bounds) = arity(name) {
            self.counted(call, bounds);
        }
        let at = call.start().to_u32();
        let is_starred = call.arguments.args.iter().any(Expr::is_starred_expr);
        if is_starred {
            return given(name, &[], None).map_or_else(Type::unknown, |known| known.kinds.into());
        }
        if let (Some(kinds), Some(first)) = (takes(name, arguments.len()), arguments.first()) {
            self.has_to_be(at, first, kinds);
        }
        match (name, arguments) {
            ("range", [_, more @ ..]) => {
                for bound in more {
                    self.has_to_be(at, bound, Kinds::WHOLE);
                }
            }
            ("map", [_, over @ ..]) => {
                for over in over {
                    self.has_to_be(at, over, Kinds::ITERABLE);
                }
            }
            ("zip", over) => over.iter().for_each(|over| self.has_to_be(at, over, Kinds::ITERABLE)),
            ("sum", [over]) => self.has_to_be(at, &over.element(), Kinds::NUMBERS),
            ("max" | "min", [one, other]) => {
                let (all, failed) = operators::compare(one, ast::CmpOp::Lt, other);
                self.tried(at, all, failed);
            }
            ("int" | "float", [text]) if text.is_within(Kinds::LIST) => self.doubt(at, TypeDoubt::Operation),
            _ => {}
        }
        let result = match call.arguments.args.first() {
            Some(Expr::Name(function)) if name == "map" => self.mapped(function.id.as_str(), arguments),
            _ => None,
        };
        given(name, arguments, result).unwrap_or_else(Type::unknown)
    }

    /// What a function gives that `map` calls.
    fn mapped(&mut self, name: &'t str, arguments: &[Type]) -> Option<Type> {
        let elements: Vec<Type> = arguments.iter().skip(1).map(Type::element).collect();
        if let Some(function) = self.functions.get_mut(name) {
            for (given, element) in function.given.iter_mut().zip(&elements) {
                *given = std::mem::take(given).join(element);
            }
            return Some(function.result.clone()).filter(|result| !result.kinds.is_empty());
        }
        if self.variable(name).is_some() { None } else { given(name, &elements, None) }
    }

    /// A call of a function of the source.
    fn own_function(&mut self, call: &'t ast::ExprCall, name: &'t str, arguments: &[Type]) -> Type {
        let function = self.functions.get_mut(name).expect("the caller has seen it");
        let parameters = &*function.definition.parameters;
        let is_open = call.arguments.args.iter().any(Expr::is_starred_expr) || !call.arguments.keywords.is_empty();
        let takes_more = parameters.vararg.is_some() || parameters.kwarg.is_some() || !parameters.kwonlyargs.is_empty();
        if is_open || takes_more || !parameters.posonlyargs.is_empty() {
            function.is_passed = true;
            return Type::unknown();
        }
        for (given, argument) in function.given.iter_mut().zip(arguments) {
            *given = std::mem::take(given).join(argument);
        }
        let required = parameters.args.iter().filter(|parameter| parameter.default.is_none()).count();
        let bounds = (required, parameters.args.len());
        let result = function.result.clone();
        self.counted(call, bounds);
        if result.kinds.is_empty() { Type::unknown() } else { result }
    }
}
