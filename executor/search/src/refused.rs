//! Values that provoke the exceptions that handlers are there for.

/// Values, as Python writes them, that conversions, arithmetic and the like refuse with an exception of this name.
#[must_use]
pub fn raising(error: &str) -> &'static [&'static str] {
    match error.rsplit('.').next().unwrap_or(error) {
        "OverflowError" => &["1e999", "'inf'", "10 ** 400"],
        "TypeError" => &["None", "5"],
        "ZeroDivisionError" => &["0"],
        "ArithmeticError" => &["0", "1e999", "10 ** 400"],
        "UnicodeError" | "UnicodeEncodeError" => &["'\\ud800'"],
        "UnicodeDecodeError" => &["b'\\xff'"],
        "PatternError" => &["'('"],
        "error" if error == "re.error" => &["'('"],
        "ValueError" | "InvalidOperation" => &["'x'", "''"],
        _ => &[],
    }
}
