//! Follows expressions, and says which type they have.

use ruff_python_ast::{self as ast, Comprehension, Expr, Number};
use ruff_text_size::Ranged;

use super::builtins::{given, has_attribute};
use super::types::{Kinds, Type};
use super::{TypeDoubt, Walk, operators};

impl<'t> Walk<'t> {
    /// The type of an expression.
    pub(super) fn expression(&mut self, expr: &'t Expr) -> Type {
        match expr {
            Expr::NumberLiteral(number) => match number.value {
                Number::Int(_) => Kinds::INT.into(),
                Number::Float(_) => Kinds::FLOAT.into(),
                Number::Complex { .. } => Kinds::COMPLEX.into(),
            },
            Expr::StringLiteral(_) => Kinds::STR.into(),
            Expr::FString(text) => {
                for element in text.value.elements() {
                    if let ast::InterpolatedStringElement::Interpolation(value) = element {
                        self.expression(&value.expression);
                    }
                }
                Kinds::STR.into()
            }
            Expr::BytesLiteral(_) => Kinds::BYTES.into(),
            Expr::BooleanLiteral(_) => Kinds::BOOL.into(),
            Expr::Name(name) => self.name(name),
            Expr::List(list) => self.container(Kinds::LIST, &list.elts),
            Expr::Set(set) => self.container(Kinds::SET, &set.elts),
            Expr::Tuple(tuple) if !tuple.elts.iter().any(Expr::is_starred_expr) => {
                let parts = tuple.elts.iter().map(|one| self.expression(one)).collect();
                Type::tuple(parts)
            }
            Expr::Tuple(tuple) => self.container(Kinds::TUPLE, &tuple.elts),
            Expr::Dict(dict) => {
                for item in &dict.items {
                    for expr in item.key.iter().chain([&item.value]) {
                        self.expression(expr);
                    }
                }
                Kinds::DICT.into()
            }
            Expr::BinOp(both) => {
                let left = self.expression(&both.left);
                let right = self.expression(&both.right);
                let (made, all, failed) = operators::binary(&left, both.op, &right);
                self.tried(both.start().to_u32(), all, failed);
                made
            }
            Expr::UnaryOp(unary) => {
                let operand = self.expression(&unary.operand);
                operators::unary(unary.op, &operand).unwrap_or_else(|| {
                    self.doubt(unary.start().to_u32(), TypeDoubt::Operation);
                    Type::default()
                })
            }
            Expr::BoolOp(both) => {
                let all: Vec<Type> = both.values.iter().map(|value| self.expression(value)).collect();
                all.iter().fold(Type::default(), Type::join)
            }
            Expr::Compare(compare) => self.comparison(compare),
            Expr::If(choice) => {
                self.expression(&choice.test);
                let body = self.expression(&choice.body);
                body.join(&self.expression(&choice.orelse))
            }
            Expr::Named(named) => {
                let value = self.expression(&named.value);
                self.assign(&named.target, &value);
                value
            }
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Call(call) => self.call(call),
            Expr::ListComp(made) => self.comprehension(Kinds::LIST, &made.generators, &made.elt),
            Expr::SetComp(made) => self.comprehension(Kinds::SET, &made.generators, &made.elt),
            Expr::Generator(made) => self.comprehension(Kinds::ITERATOR, &made.generators, &made.elt),
            Expr::DictComp(made) => {
                if let Some(key) = &made.key {
                    self.comprehension(Kinds::SET, &made.generators, key);
                }
                self.comprehension(Kinds::SET, &made.generators, &made.value);
                Kinds::DICT.into()
            }
            Expr::Starred(starred) => {
                self.expression(&starred.value);
                Type::unknown()
            }
            Expr::Lambda(_) => Kinds::FUNCTION.into(),
            // `None` is a placeholder, which something else is to replace.
            _ => Type::unknown(),
        }
    }

    /// The type of what `target op= x` reads.
    pub(super) fn expression_of_target(&mut self, target: &'t Expr) -> Type {
        match target {
            Expr::Name(name) => self.variable(name.id.as_str()).unwrap_or_else(Type::unknown),
            Expr::Subscript(subscript) => self.subscript(subscript),
            _ => Type::unknown(),
        }
    }

    fn name(&mut self, name: &'t ast::ExprName) -> Type {
        let name = name.id.as_str();
        // What is passed on is called elsewhere, too.
        if let Some(function) = self.functions.get_mut(name) {
            function.is_passed = true;
        }
        match self.variable(name) {
            Some(known) => known,
            None if given(name, &[], None).is_some() && !is_class(name) => Kinds::METHOD.into(),
            None => Type::unknown(),
        }
    }

    fn container(&mut self, kind: Kinds, elements: &'t [Expr]) -> Type {
        let mut item = Type::default();
        for element in elements {
            let one = match element {
                Expr::Starred(starred) => self.expression(&starred.value).element(),
                _ => self.expression(element),
            };
            item = item.join(&one);
        }
        Type::of(kind, item)
    }

    fn comparison(&mut self, compare: &'t ast::ExprCompare) -> Type {
        let mut left = self.expression(&compare.left);
        for (op, right) in compare.ops.iter().zip(&compare.comparators) {
            let right = self.expression(right);
            let (all, failed) = operators::compare(&left, *op, &right);
            self.tried(compare.start().to_u32(), all, failed);
            left = right;
        }
        Kinds::BOOL.into()
    }

    fn subscript(&mut self, subscript: &'t ast::ExprSubscript) -> Type {
        let value = self.expression(&subscript.value);
        let is_slice = subscript.slice.is_slice_expr();
        let index = match &*subscript.slice {
            Expr::Slice(slice) => {
                let bounds = slice.lower.iter().chain(&slice.upper).chain(&slice.step);
                for bound in bounds {
                    let bound = self.expression(bound);
                    self.has_to_be(subscript.start().to_u32(), &bound, Kinds::WHOLE | Kinds::NONE);
                }
                Type::unknown()
            }
            index => self.expression(index),
        };
        let at = subscript.start().to_u32();
        let sequences = Kinds::SEQUENCES | Kinds::RANGE;
        self.has_to_be(at, &value, sequences | Kinds::DICT | Kinds::FUNCTION);
        if value.is_within(sequences) {
            self.has_to_be(at, &index, Kinds::WHOLE);
        }
        if !value.is_within(sequences) {
            return Type::unknown();
        }
        if is_slice {
            return if value.parts().is_empty() { value } else { Type::of(Kinds::TUPLE, value.element()) };
        }
        let place = match &*subscript.slice {
            Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(number), .. }) => number.as_usize(),
            _ => None,
        };
        let part = place.and_then(|place| value.parts().get(place));
        part.cloned().unwrap_or_else(|| value.element())
    }

    fn attribute(&mut self, attribute: &'t ast::ExprAttribute) -> Type {
        let value = self.expression(&attribute.value);
        if !self.has(&value, attribute) {
            return Type::default();
        }
        if !value.is_known() {
            return Type::unknown();
        }
        let numeric = Kinds::NUMBERS | Kinds::RANGE | Kinds::FUNCTION;
        if value.kinds.intersects(numeric) { Type::unknown() } else { Kinds::METHOD.into() }
    }

    /// Takes note of an attribute that a value lacks; true if it can have it.
    pub(super) fn has(&mut self, value: &Type, attribute: &'t ast::ExprAttribute) -> bool {
        if !value.is_known() {
            return true;
        }
        let name = attribute.attr.as_str();
        let (all, lack) = value
            .kinds
            .iter()
            .fold((0, 0), |(all, lack), kind| (all + 1, lack + usize::from(!has_attribute(kind, name))));
        let at = attribute.attr.start().to_u32();
        if lack == all {
            self.doubt(at, TypeDoubt::Attribute);
        } else if lack > 0 {
            self.doubt(at, TypeDoubt::Partly);
        }
        lack < all
    }

    fn comprehension(&mut self, kind: Kinds, generators: &'t [Comprehension], element: &'t Expr) -> Type {
        let outside = self.here.clone();
        // What it binds is its own, also in the module.
        self.locals.push(rustc_hash::FxHashSet::default());
        for generator in generators {
            let over = self.expression(&generator.iter);
            self.has_to_be(generator.iter.start().to_u32(), &over, Kinds::ITERABLE);
            self.assign(&generator.target, &over.element());
            for condition in &generator.ifs {
                self.expression(condition);
            }
        }
        let item = self.expression(element);
        self.locals.pop();
        self.here = outside;
        Type::of(kind, item)
    }
}

/// Builtin names that are classes, which have attributes of their own.
fn is_class(name: &str) -> bool {
    matches!(
        name,
        "str"
            | "int"
            | "float"
            | "complex"
            | "bool"
            | "bytes"
            | "list"
            | "tuple"
            | "dict"
            | "set"
            | "frozenset"
            | "range"
            | "map"
            | "zip"
            | "filter"
            | "enumerate"
            | "reversed"
            | "type"
            | "object"
            | "super"
            | "slice"
            | "bytearray"
            | "memoryview"
    )
}
