//! Other values of a kind, for conditions that no constant of the code decides: thresholds that are computed, and parts of
//! moments and spans of time.

/// Numbers of other signs and magnitudes, and those that are none.
const NUMBERS: [&str; 9] =
    ["1000000", "-1", "0", "1000", "0.5", "1e999 - 1e999", "1e999", "-1e999", "1000000000000000000000000000000"];
/// The same of numbers that texts are read as.
const TEXTS: [&str; 7] = ["'1000000'", "'-1'", "'0'", "'0.5'", "'inf'", "'nan'", "'x'"];
const SPANS: [&str; 12] = [
    "datetime.timedelta(days=400)",
    "datetime.timedelta(seconds=5)",
    "datetime.timedelta(days=3)",
    "datetime.timedelta(0)",
    "datetime.timedelta(minutes=5)",
    "datetime.timedelta(hours=5)",
    "datetime.timedelta(days=40)",
    "datetime.timedelta(days=-3)",
    "datetime.timedelta(days=1000, hours=1)",
    "datetime.timedelta(microseconds=5)",
    "datetime.timedelta(days=800)",
    "datetime.timedelta(milliseconds=5)",
];
const MOMENTS: [&str; 5] = [
    "datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)",
    "datetime.datetime(2100, 12, 31, 23, 59, 59)",
    "datetime.datetime(2000, 2, 29)",
    "datetime.datetime.now() + datetime.timedelta(days=1)",
    "datetime.datetime.now() - datetime.timedelta(days=1)",
];
const DAYS: [&str; 5] = [
    "datetime.date(1970, 1, 1)",
    "datetime.date(2100, 12, 31)",
    "datetime.date.today()",
    "datetime.date.today() + datetime.timedelta(days=1)",
    "datetime.date.today() - datetime.timedelta(days=1)",
];
const DECIMALS: [&str; 5] = [
    "decimal.Decimal('1000000')",
    "decimal.Decimal('-1')",
    "decimal.Decimal('0')",
    "decimal.Decimal('NaN')",
    "decimal.Decimal('Infinity')",
];

/// Values of the kind of a value, all as Python writes them.
pub(crate) fn like(value: &str) -> &'static [&'static str] {
    let is_number = |text: &str| text.parse::<f64>().is_ok() && text.bytes().any(|byte| byte.is_ascii_digit());
    match value.split('(').next().unwrap_or_default() {
        "datetime.timedelta" => &SPANS,
        "datetime.datetime" => &MOMENTS,
        "datetime.date" => &DAYS,
        "Decimal" => &DECIMALS,
        number if is_number(number) => &NUMBERS,
        text if text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).is_some_and(is_number) => &TEXTS,
        _ => &[],
    }
}

/// True for values that tell versions apart as their authors mean it: not for infinite numbers and those that are none, by which
/// `not a < b` and `a >= b` differ, nor for what the clock says, which each version reads for itself.
pub(crate) fn may_be_compared(value: &str) -> bool {
    !["1e999", "inf", "nan", "now()", "today()"].iter().any(|part| value.to_lowercase().contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_how_values_are_written() {
        for number in ["1", "-7", "0.5", "1e+20"] {
            assert_eq!(like(number), NUMBERS, "{number}");
        }
        assert_eq!(like("datetime.timedelta(days=1)"), SPANS);
        assert_eq!(like("'12'"), TEXTS);
        let compared: Vec<&str> = DAYS.into_iter().chain(DECIMALS).filter(|value| may_be_compared(value)).collect();
        assert_eq!(compared, [&DAYS[..2], &DECIMALS[..3]].concat());
        for other in ["'a'", "nan", "True", "<value>", "[1]", "''", ""] {
            assert!(like(other).is_empty(), "{other}");
        }
    }
}
