//! Classes and literals, as the runtime's Python sees them.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::protocol::Literal;

/// What is injected in place of a class's usual value: its kind and value.
#[pyclass(frozen)]
#[derive(Clone)]
pub(crate) struct LiteralValue(pub(crate) Literal);

#[pymethods]
impl LiteralValue {
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0 {
            Literal::Text(_) => "text",
            Literal::Integer(_) | Literal::Real(_) => "number",
            Literal::Length(_) => "length",
            Literal::Holds(_) => "holds",
            Literal::Given(_) => "given",
            Literal::Raises(_) => "raises",
        }
    }

    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.0 {
            Literal::Text(text) | Literal::Holds(text) | Literal::Given(text) => text.into_bound_py_any(py),
            Literal::Integer(number) => number.into_bound_py_any(py),
            Literal::Real(number) => number.into_bound_py_any(py),
            Literal::Length(length) => length.into_bound_py_any(py),
            Literal::Raises(name) => name.into_bound_py_any(py),
        }
    }
}

/// The key of a class in the runtime's Python: its serialized name.
pub(crate) fn class_key(class: surmise_value_model::Class) -> &'static str {
    use surmise_value_model::Class;
    match class {
        Class::None => "none",
        Class::True => "true",
        Class::False => "false",
        Class::NegativeInt => "negative-int",
        Class::ZeroInt => "zero-int",
        Class::PositiveInt => "positive-int",
        Class::NegativeFloat => "negative-float",
        Class::ZeroFloat => "zero-float",
        Class::PositiveFloat => "positive-float",
        Class::EmptyStr => "empty-str",
        Class::Str => "str",
        Class::EmptyList => "empty-list",
        Class::List => "list",
        Class::EmptyTuple => "empty-tuple",
        Class::Tuple => "tuple",
        Class::EmptySet => "empty-set",
        Class::Set => "set",
        Class::EmptyDict => "empty-dict",
        Class::Dict => "dict",
        Class::Callable => "callable",
        Class::Resource => "resource",
        Class::Object => "object",
    }
}
