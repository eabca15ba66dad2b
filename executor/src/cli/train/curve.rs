//! The picture (SVG) of a training run.

use askama::Template;
use surmise_value_model::train::Report;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 240.0;

#[derive(Template)]
#[template(path = "curve.svg", escape = "html")]
struct Curve {
    /// Horizontal grid lines: height in the picture, and the loss it stands for.
    grid: Vec<(String, String)>,
    steps: u64,
    learned: String,
    held_out: String,
    last: String,
}

/// Draws the loss over training steps, of the training data and of the held-out projects.
pub(super) fn curve(reports: &[Report]) -> String {
    let learned: Vec<(u64, f64)> = reports.iter().map(|report| (report.step, report.loss)).collect();
    let held_out: Vec<(u64, f64)> =
        reports.iter().filter_map(|report| Some((report.step, report.held_out?.loss))).collect();
    let losses = || learned.iter().chain(&held_out).map(|&(_, loss)| loss);
    let (least, most) = (losses().fold(f64::INFINITY, f64::min), losses().fold(f64::NEG_INFINITY, f64::max));
    let steps = reports.last().map_or(0, |report| report.step);
    let y = |loss: f64| HEIGHT * (most - loss) / (most - least).max(1e-9);
    let path = |points: &[(u64, f64)]| {
        let point =
            |&(step, loss): &(u64, f64)| format!("{:.1} {:.1}", WIDTH * step as f64 / steps.max(1) as f64, y(loss));
        format!("M{}", points.iter().map(point).collect::<Vec<_>>().join("L"))
    };
    let grid = (0..=4).map(|line| least + (most - least) * f64::from(line) / 4.0);
    let last = reports.iter().rev().find_map(|report| report.held_out).map_or(String::new(), |found| {
        format!("held out: top-1 {:.1} %, seen there {:.1} %", found.top1 * 100.0, found.seen_there * 100.0)
    });
    let curve = Curve {
        grid: grid.map(|loss| (format!("{:.1}", y(loss)), format!("{loss:.2}"))).collect(),
        steps,
        learned: path(&learned),
        held_out: path(&held_out),
        last,
    };
    if learned.is_empty() || held_out.is_empty() { String::new() } else { curve.render().unwrap_or_default() }
}
