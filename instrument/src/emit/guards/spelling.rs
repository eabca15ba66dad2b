//! How hooks are written.

use crate::emit::edits::Inserted;
use crate::hooks::Hook;

pub(super) fn write_unbound(out: &mut Inserted, prefix: &str, site: u32) {
    out.push_str(" if ");
    write_hook(out, prefix, Hook::Bound, site, false);
    out.push_str(")else ");
    write_hook(out, prefix, Hook::Name, site, false);
    out.push_str("))");
}

pub(super) fn write_hook(out: &mut Inserted, prefix: &str, hook: Hook, site: u32, comma: bool) {
    write_head(out, prefix, hook, b'(', site, comma.then_some(b','));
}

pub(super) fn write_subscript(out: &mut Inserted, prefix: &str, hook: Hook, line: u32) {
    write_head(out, prefix, hook, b'[', line, Some(b']'));
}

/// `_a_(7,` in one piece: nearly every edit has one.
fn write_head(out: &mut Inserted, prefix: &str, hook: Hook, bracket: u8, number: u32, end: Option<u8>) {
    let mut text = [0_u8; 32];
    let to = text.len() - usize::from(end.is_some());
    text[text.len() - 1] = end.unwrap_or_default();
    let mut from = write_digits(&mut text[..to], number) - 3;
    text[from..from + 3].copy_from_slice(&[hook.letter() as u8, b'_', bracket]);
    for &byte in prefix.as_bytes().iter().rev() {
        from -= 1;
        text[from] = byte;
    }
    out.push_ascii(&text[from..to + usize::from(end.is_some())]);
}

pub(in crate::emit) fn write_number(out: &mut Inserted, number: u32) {
    let mut digits = [0_u8; 10];
    let from = write_digits(&mut digits, number);
    out.push_ascii(&digits[from..]);
}

/// Writes a number to the end of the buffer, and returns where it starts.
fn write_digits(into: &mut [u8], number: u32) -> usize {
    let mut at = into.len();
    let mut rest = number;
    loop {
        at -= 1;
        into[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return at;
        }
    }
}
