//! Characters of a snippet's text that must not reach a terminal or a page as they are, and how they are shown instead.

use std::borrow::Cow;
use std::fmt::Write;

use crate::Report;

/// Controls, and characters that nobody sees or that change the order of others.
pub(crate) fn is_deceptive(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => character.is_control(),
    }
}

/// A value as Python spells it.
pub(crate) fn push_escape(out: &mut String, character: char) {
    let code = u32::from(character);
    let _ = match code {
        _ if character == '\r' => write!(out, "\\r"),
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// A text with escapes for what nobody sees, and for what a terminal would obey.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_deceptive) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    // The line ends of Windows are line ends.
    for character in text.replace("\r\n", "\n").chars() {
        if is_deceptive(character) { push_escape(&mut out, character) } else { out.push(character) }
    }
    out.into()
}

/// A report in which every text can be shown.
pub(crate) fn of_report(report: &Report) -> Report {
    let mut report = report.clone();
    let clean = |text: &mut String| {
        if let Cow::Owned(shown) = visible(text) {
            *text = shown;
        }
    };
    for text in [&mut report.name, &mut report.source, &mut report.stdout, &mut report.stderr] {
        clean(text);
    }
    for text in report.surroundings.problem.iter_mut().chain(&mut report.surroundings.module) {
        clean(text);
    }
    for raised in report.error.iter_mut().chain(report.errors.iter_mut().map(|finding| &mut finding.raised)) {
        clean(&mut raised.kind);
        clean(&mut raised.message);
    }
    for finding in &mut report.errors {
        finding.depends_on.iter_mut().for_each(|value| clean(&mut value.value));
        finding.function.iter_mut().for_each(clean);
    }
    report.plausible.error.iter_mut().for_each(clean);
    for injection in report.injections.iter_mut().chain(&mut report.plausible.injections) {
        clean(&mut injection.name);
        clean(&mut injection.value);
    }
    if let Some(sampled) = &mut report.sampled_input {
        clean(&mut sampled.grammar);
        sampled.notes.iter_mut().for_each(clean);
    }
    for repair in &mut report.repairs {
        clean(&mut repair.message);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_a_terminal_would_obey_is_an_escape() {
        assert_eq!(visible("a\x1b[31mb\tc\n\u{202e}d\re\r\nf"), "a\\x1b[31mb\tc\n\\u202ed\\re\nf");
        assert_eq!(visible("plain\n"), "plain\n");
    }
}
