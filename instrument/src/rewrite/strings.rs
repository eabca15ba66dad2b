//! f-strings.

use ruff_python_ast::{self as ast};
use ruff_text_size::Ranged;

use super::Rewriter;
use crate::roles::Role;

impl<'a> Rewriter<'a> {
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
            let tail = if element.debug_text.is_some() {
                let Some(tail) = self.spell_out_debug_text(element) else {
                    continue;
                };
                Some(tail)
            } else {
                None
            };
            self.expr(&element.expression, Role::Plain);
            if let Some(len) = tail {
                let bare = element.conversion == ast::ConversionFlag::None && element.format_spec.is_none();
                let conversion = if bare { "!r" } else { "" };
                let end = element.expression.end().to_u32();
                self.edits.replace(end, len, |out| out.push_str(conversion));
            }
            if let Some(spec) = &element.format_spec {
                self.elements(&spec.elements);
            }
        }
    }

    /// `{x=}` shows its own source, which the rewriting changes: writes it as `x={x!r}`. Returns the length of the
    /// text between the expression and the conversion, which is to go; `None` where the text cannot stand in the
    /// literal part, so that the expression stays as written.
    fn spell_out_debug_text(&mut self, element: &'a ast::InterpolatedElement) -> Option<u32> {
        let start = element.start().to_usize() + 1;
        let expression = element.expression.range();
        let rest = &self.source[expression.end().to_usize()..element.end().to_usize()];
        let equals = rest.find('=')? + 1;
        let tail = equals + rest[equals..].len() - rest[equals..].trim_start().len();
        let text = &self.source[start..expression.end().to_usize() + tail];
        if text.contains(['{', '}', '\\', '\'', '"', '\n', '\r', '#', '(']) {
            return None;
        }
        self.edits.replace(element.start().to_u32(), 0, |out| out.push_str(text));
        self.delete(start as u32, expression.start().to_u32());
        Some(tail as u32)
    }
}
