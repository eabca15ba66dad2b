//! Further ways to write the same expression, as `pyupgrade`, Pylint and Ruff exchange them.

use ruff_python_ast::comparable::ComparableExpr;
use ruff_python_ast::name::Name;
use ruff_python_ast::{self as ast, BoolOp, CmpOp, Expr, ExprContext, Number, UnaryOp};

use super::{Form, fresh, is_name, tuple};

/// Builtin functions that go over all of their only argument, so that a list that is made for it need not be one.
const EXHAUSTING: &[&str] = &["tuple", "sorted", "sum", "min", "max", "set", "frozenset", "dict"];

impl Form {
    pub(super) fn other_spelling(&self, expr: &mut Expr) {
        let other = match expr {
            Expr::Call(call) => self.of_call(call),
            Expr::BoolOp(both) => self.of_operands(both),
            Expr::If(choice) => of_choice(choice),
            Expr::Subscript(subscript) => {
                if let Expr::Slice(slice) = &mut *subscript.slice
                    && slice.step.is_none()
                {
                    slice.lower.take_if(|lower| is_zero(lower));
                }
                None
            }
            Expr::Compare(compare) => {
                if let ([CmpOp::In | CmpOp::NotIn], [right]) = (&*compare.ops, &mut *compare.comparators) {
                    without_copy_of_keys(right);
                    without_keys(right);
                }
                None
            }
            Expr::ListComp(made) => self.copied("list", &made.elt, &made.generators),
            Expr::SetComp(made) => self.copied("set", &made.elt, &made.generators),
            _ => None,
        };
        if let Some(other) = other {
            *expr = other;
        }
    }

    fn of_call(&self, call: &mut ast::ExprCall) -> Option<Expr> {
        let (node_index, range) = fresh();
        let ctx = ExprContext::Load;
        if self.is_builtin(&call.func, "dict") && call.arguments.args.is_empty() {
            let mut items = Vec::new();
            for keyword in &call.arguments.keywords {
                let key = Some(text(keyword.arg.as_ref()?.as_str()));
                items.push(ast::DictItem { key, value: keyword.value.clone() });
            }
            return Some(ast::ExprDict { node_index, range, items }.into());
        }
        if let [argument] = &mut *call.arguments.args
            && (EXHAUSTING.iter().any(|name| self.is_builtin(&call.func, name)) || is_join(&call.func))
            && let Expr::ListComp(made) = argument
        {
            let (node_index, range) = fresh();
            let (elt, generators) = (made.elt.clone(), made.generators.clone());
            *argument = ast::ExprGenerator { node_index, range, elt, generators, parenthesized: true }.into();
        }
        if !call.arguments.keywords.is_empty() {
            return None;
        }
        let function = |name: &str| self.is_builtin(&call.func, name);
        match &mut *call.arguments.args {
            [object, Expr::StringLiteral(name)] if function("getattr") => {
                let name = name.value.to_str();
                is_plain(name).then(|| {
                    let attr = ast::Identifier::new(Name::new(name), range);
                    ast::ExprAttribute { node_index, range, value: Box::new(object.clone()), attr, ctx }.into()
                })
            }
            [first, last] if function("range") && is_zero(first) => {
                call.arguments.args = Box::new([last.clone()]);
                None
            }
            [_, Expr::Tuple(classes)] if function("isinstance") || function("issubclass") => {
                if let [only] = &classes.elts[..] {
                    call.arguments.args[1] = only.clone();
                }
                None
            }
            [Expr::Call(inner)] if function("list") && self.is_builtin(&inner.func, "sorted") => {
                Some(inner.clone().into())
            }
            [Expr::Call(inner)] if function("sorted") && self.is_builtin(&inner.func, "list") => {
                if let [only] = &*inner.arguments.args {
                    call.arguments.args = Box::new([only.clone()]);
                }
                None
            }
            [Expr::Generator(made)] if function("dict") => {
                let Expr::Tuple(pair) = &*made.elt else { return None };
                let [key, value] = &pair.elts[..] else { return None };
                let (key, value) = (Some(Box::new(key.clone())), Box::new(value.clone()));
                Some(ast::ExprDictComp { node_index, range, key, value, generators: made.generators.clone() }.into())
            }
            [Expr::Lambda(lambda), over] if function("map") => {
                let target = only_parameter(lambda)?;
                Some(generator(&lambda.body, target, over, Vec::new()))
            }
            [Expr::Lambda(lambda), over] if function("filter") => {
                let target = only_parameter(lambda)?;
                Some(generator(&name(&target), target, over, vec![(*lambda.body).clone()]))
            }
            _ => None,
        }
    }

    /// `[x for x in y]` is `list(y)`.
    fn copied(&self, class: &str, elt: &Expr, generators: &[ast::Comprehension]) -> Option<Expr> {
        let [only] = generators else { return None };
        let is_copied = only.ifs.is_empty() && !only.is_async && only.target.is_name_expr();
        let is_builtin = self.is_builtin(&name(&Name::new(class)), class);
        if !is_copied || !is_builtin || !is_name(&only.target, elt.as_name_expr()?.id.as_str()) {
            return None;
        }
        let (node_index, range) = fresh();
        let arguments = ast::Arguments {
            node_index: fresh().0,
            range,
            args: Box::new([only.iter.clone()]),
            keywords: Vec::new().into(),
        };
        let func = Box::new(name(&Name::new(class)));
        Some(ast::ExprCall { node_index, range_start: range.start(), func, arguments }.into())
    }

    /// Comparisons that hang together are one, and so are `isinstance` of one object.
    fn of_operands(&self, both: &mut ast::ExprBoolOp) -> Option<Expr> {
        let mut values: Vec<Expr> = Vec::new();
        for value in both.values.drain(..) {
            let joined = match (both.op, values.last_mut()) {
                (BoolOp::And, Some(last)) => chained(last, &value),
                (BoolOp::Or, Some(last)) => self.of_either_class(last, &value),
                _ => false,
            };
            if !joined {
                values.push(value);
            }
        }
        both.values = values;
        if both.values.len() == 1 { both.values.pop() } else { None }
    }

    /// `isinstance(x, A) or isinstance(x, B)`
    fn of_either_class(&self, first: &mut Expr, second: &Expr) -> bool {
        let (Expr::Call(one), Expr::Call(other)) = (first, second) else { return false };
        let checks =
            |call: &ast::ExprCall| self.is_builtin(&call.func, "isinstance") && call.arguments.keywords.is_empty();
        if !checks(one) || !checks(other) {
            return false;
        }
        let ([Expr::Name(object), class], [Expr::Name(same), more]) = (&*one.arguments.args, &*other.arguments.args)
        else {
            return false;
        };
        if object.id != same.id {
            return false;
        }
        let classes = |class: &Expr| match class {
            Expr::Tuple(several) => several.elts.clone(),
            one => vec![one.clone()],
        };
        let all = [classes(class), classes(more)].concat();
        one.arguments.args = Box::new([Expr::Name(object.clone()), tuple(all)]);
        true
    }
}

/// `b if not a else c` and `a if a else b`.
fn of_choice(choice: &mut ast::ExprIf) -> Option<Expr> {
    if let Expr::UnaryOp(unary) = &*choice.test
        && unary.op == UnaryOp::Not
    {
        let test = unary.operand.clone();
        choice.test = test;
        std::mem::swap(&mut choice.body, &mut choice.orelse);
    }
    let (Expr::Name(test), Expr::Name(body)) = (&*choice.test, &*choice.body) else { return None };
    let (node_index, range) = fresh();
    let values = vec![(*choice.body).clone(), (*choice.orelse).clone()];
    (test.id == body.id).then(|| ast::ExprBoolOp { node_index, range, op: BoolOp::Or, values }.into())
}

/// Makes `a < b and b < c` one comparison, also where the first is written as `b > a`. What is in two of them is a name.
fn chained(first: &mut Expr, second: &Expr) -> bool {
    let (Expr::Compare(one), Expr::Compare(other)) = (first, second) else { return false };
    let is_order = |op: &CmpOp| matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE);
    if !one.ops.iter().chain(&other.ops).all(is_order) {
        return false;
    }
    let is_shared = |left: &Expr, right: &Expr| left.is_name_expr() && ComparableExpr::from(left) == right.into();
    if let ([op], [right]) = (&*one.ops, &*one.comparators)
        && is_shared(&one.left, &other.left)
        && (right.is_name_expr() || right.is_literal_expr())
    {
        let turned = match op {
            CmpOp::Lt => CmpOp::Gt,
            CmpOp::LtE => CmpOp::GtE,
            CmpOp::Gt => CmpOp::Lt,
            _ => CmpOp::LtE,
        };
        let left = Box::new(right.clone());
        one.comparators = Box::new([(*one.left).clone()]);
        (one.left, one.ops) = (left, Box::new([turned]));
    }
    if !one.comparators.last().is_some_and(|last| is_shared(last, &other.left)) {
        return false;
    }
    one.ops = [&*one.ops, &*other.ops].concat().into();
    one.comparators = [&*one.comparators, &*other.comparators].concat().into();
    true
}

/// What is gone over, or looked into, is a mapping itself: `d` for `d.keys()`.
pub(super) fn without_keys(expr: &mut Expr) {
    if let Expr::Call(call) = expr
        && call.arguments.is_empty()
        && let Expr::Attribute(method) = &*call.func
        && method.attr.as_str() == "keys"
    {
        *expr = (*method.value).clone();
    }
}

/// What is looked for in a copy of the keys of a mapping is looked for in these: `d.keys()` for `list(d.keys())`.
fn without_copy_of_keys(expr: &mut Expr) {
    if let Expr::Call(copy) = expr
        && copy.func.as_name_expr().is_some_and(|name| matches!(name.id.as_str(), "list" | "tuple"))
        && let [Expr::Call(keys)] = &*copy.arguments.args
        && copy.arguments.keywords.is_empty()
        && let Expr::Attribute(method) = &*keys.func
        && method.attr.as_str() == "keys"
    {
        *expr = copy.arguments.args[0].clone();
    }
}

/// An attribute that can be written with a dot, and means the same in a class.
pub(super) fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
        && letters.all(|letter| letter == '_' || letter.is_alphanumeric())
        && !name.starts_with("__")
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(number), .. }) if *number == 0)
}

fn is_join(func: &Expr) -> bool {
    matches!(func, Expr::Attribute(method) if method.attr.as_str() == "join" && method.value.is_string_literal_expr())
}

/// The name of the parameter of a function that has no other, and no default for it.
fn only_parameter(lambda: &ast::ExprLambda) -> Option<Name> {
    let parameters = lambda.parameters.as_deref()?;
    let [only] = &parameters.args[..] else { return None };
    let is_only = parameters.len() == 1 && only.default.is_none();
    is_only.then(|| only.parameter.name.id.clone())
}

fn name(id: &Name) -> Expr {
    let (node_index, range) = fresh();
    ast::ExprName { node_index, range, id: id.clone(), ctx: ExprContext::Load }.into()
}

fn text(value: &str) -> Expr {
    let (node_index, range) = fresh();
    let literal = ast::StringLiteral {
        node_index: fresh().0,
        range,
        value: value.into(),
        flags: ast::StringLiteralFlags::empty(),
    };
    ast::ExprStringLiteral { node_index, range, value: ast::StringLiteralValue::single(literal) }.into()
}

fn generator(elt: &Expr, target: Name, over: &Expr, ifs: Vec<Expr>) -> Expr {
    let (node_index, range) = fresh();
    let ctx = ExprContext::Store;
    let target = ast::ExprName { node_index: fresh().0, range, id: target, ctx }.into();
    let only = ast::Comprehension { node_index: fresh().0, range, target, iter: over.clone(), ifs, is_async: false };
    let elt = Box::new(elt.clone());
    ast::ExprGenerator { node_index, range, elt, generators: vec![only], parenthesized: true }.into()
}
