//! Numbers of the command line.

/// Parses a time limit, in seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value <= 86_400.0 { Ok(value) } else { Err("must be above 0 and at most 86400".to_owned()) }
}

/// Parses a price or a cost.
pub(super) fn amount(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err("must be a number from 0".to_owned()) }
}

/// Parses a percentage.
pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim_end_matches('%').parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) { Ok(value) } else { Err("must be between 0 and 100".to_owned()) }
}

/// Parses a probability.
pub(super) fn probability(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("must be between 0 and 1".to_owned()) }
}
