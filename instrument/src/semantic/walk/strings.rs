//! f-strings and template strings.

use ruff_python_ast::{self as ast};
use ruff_text_size::Ranged;

use super::Walk;
use crate::role::Role;
use crate::semantic::uses::{Form, UseFlags};

impl<'a> Walk<'a> {
    pub(super) fn f_string(&mut self, string: &'a ast::ExprFString) {
        for part in &string.value {
            if let ast::FStringPart::FString(literal) = part {
                self.elements(&literal.elements);
            }
        }
    }

    fn elements(&mut self, elements: &'a ast::InterpolatedStringElements) {
        for element in elements {
            let ast::InterpolatedStringElement::Interpolation(element) = element else {
                continue;
            };
            let mut kept = UseFlags::empty();
            if element.debug_text.is_some() {
                if let Some(len) = self.debug_tail(element) {
                    let used = self.adapt(Form::DebugText, Role::Plain, &element);
                    used.name_at = element.expression.start().to_u32();
                    used.end = element.expression.end().to_u32();
                    used.inner = len;
                    let bare = element.conversion == ast::ConversionFlag::None && element.format_spec.is_none();
                    used.flags.set(UseFlags::BARE, bare);
                } else {
                    kept = UseFlags::NOT_GUARDED;
                }
                let flags = kept | UseFlags::NOT_RECORDED;
                self.in_region(flags, |walk| walk.expr(&element.expression, Role::Plain));
            } else {
                self.expr(&element.expression, Role::Plain);
            }
            if let Some(spec) = &element.format_spec {
                self.in_region(kept, |walk| walk.elements(&spec.elements));
            }
        }
    }

    /// A template keeps the text of its expressions, so they stay as written.
    pub(super) fn t_string(&mut self, string: &'a ast::ExprTString) {
        let kept = UseFlags::NOT_GUARDED | UseFlags::NOT_RECORDED;
        for template in &string.value {
            self.in_region(kept, |walk| walk.elements(&template.elements));
        }
    }

    /// `{x=}` shows its own source, which a rewriting changes, so that it writes `x={x!r}`. Returns the length of the
    /// text between the expression and the conversion, which is to go; `None` where the text cannot stand in the
    /// literal part, so that the expression stays as written.
    fn debug_tail(&self, element: &ast::InterpolatedElement) -> Option<u32> {
        let start = element.start().to_usize() + 1;
        let end = element.expression.end().to_usize();
        let rest = &self.source[end..element.end().to_usize()];
        let equals = rest.find('=')? + 1;
        let tail = equals + rest[equals..].len() - rest[equals..].trim_start().len();
        let text = &self.source[start..end + tail];
        (!text.contains(['{', '}', '\\', '\'', '"', '\n', '\r', '#', '('])).then_some(tail as u32)
    }
}
