//! Nesting that neither CPython takes nor the stack of whoever walks the tree.
//!
//! Text is measured before the parser sees it: syntax trees are dropped and visited recursively, and the parser's
//! recovery nests what is never closed. The limits are CPython's own or just beyond what its compiler takes.

use super::scan::{Kind, Logical, Scan, Token};

/// CPython's `MAXLEVEL` and `MAXFSTRINGLEVEL`.
const MAX_BRACKETS: usize = 200;
const MAX_FIELDS: usize = 150;
/// CPython's compiler gives up at less than this many nested operators.
const MAX_OPERATORS: usize = 3000;

/// Logical lines, in order, that nest too deep.
pub(super) fn too_deep(scan: &Scan) -> Vec<usize> {
    let broken = |line: &Logical| scan.of(line).iter().any(|token| token.kind == Kind::Broken);
    // The parser nests each line with an open bracket or string in those before.
    let many_unclosed = scan.lines.iter().filter(|line| line.unclosed).count() > MAX_BRACKETS;
    let many_broken = scan.lines.iter().filter(|line| broken(line)).count() > MAX_FIELDS;
    let is_deep = |&number: &usize| {
        let line = &scan.lines[number];
        many_unclosed && line.unclosed || many_broken && broken(line) || nests(scan, scan.of(line))
    };
    (0..scan.lines.len()).filter(is_deep).collect()
}

fn nests(scan: &Scan, tokens: &[Token]) -> bool {
    let (mut depth, mut operators, mut lambdas) = (0_usize, 0, 0);
    tokens.iter().any(|&token| {
        let spelled = scan.spelling(token);
        match token.kind {
            Kind::Op => match spelled {
                "(" | "[" | "{" => depth += 1,
                // Calls and subscripts nest to the left.
                ")" | "]" | "}" => {
                    depth = depth.saturating_sub(1);
                    operators += 1;
                }
                "," | ";" => operators = 0,
                _ => operators += 1,
            },
            Kind::Name if spelled == "lambda" => lambdas += 1,
            Kind::Name if ["not", "await", "if", "and", "or", "in", "is"].contains(&spelled) => operators += 1,
            Kind::Text | Kind::Broken if fields(spelled) > MAX_FIELDS => return true,
            _ => {}
        }
        depth > MAX_BRACKETS || operators > MAX_OPERATORS || lambdas > MAX_OPERATORS
    })
}

/// Depth of replacement fields in the spelling of a string; none unless it is a format string.
fn fields(spelled: &str) -> usize {
    let prefix = spelled.split(['"', '\'']).next().unwrap_or("");
    if !prefix.contains(['f', 'F', 't', 'T']) {
        return 0;
    }
    let mut depth = 0_usize;
    spelled.bytes().fold(0, |deepest, byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest.max(depth)
    })
}
