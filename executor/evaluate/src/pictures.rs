//! Pictures (SVG) of a predictor's accuracy.

use askama::Template;

use super::Scores;

/// Side of a cell of the confusion matrix, in units of the picture.
const CELL: usize = 26;
const SIDE: f64 = 320.0;

/// Template of the reliability diagram.
#[derive(Template)]
#[template(path = "reliability.svg", escape = "html")]
struct Reliability<'a> {
    predictor: &'a str,
    error: String,
    bars: Vec<Bar>,
}

/// Bar of one bin, in units of the picture.
struct Bar {
    x: String,
    y: String,
    width: String,
    height: String,
    /// Opacity that grows with the number of pairs in the bin.
    opacity: String,
    title: String,
}

/// Template of the confusion matrix.
#[derive(Template)]
#[template(path = "confusion.svg", escape = "html")]
struct Confusion<'a> {
    predictor: &'a str,
    side: usize,
    names: Vec<(usize, &'a str)>,
    cells: Vec<Cell>,
}

struct Cell {
    x: usize,
    y: usize,
    shade: String,
    title: String,
}

/// Draws the reliability diagram (Guo et al. 2017): accuracy over confidence, which are equal for a calibrated
/// predictor.
pub fn reliability(predictor: &str, scores: &Scores) -> String {
    let most = scores.bins.iter().map(|bin| bin.pairs).max().unwrap_or(0).max(1) as f64;
    let width = SIDE / scores.bins.len().max(1) as f64;
    let bars = scores.bins.iter().enumerate().filter(|(_, bin)| bin.pairs > 0).map(|(number, bin)| Bar {
        x: format!("{:.1}", width * number as f64),
        y: format!("{:.1}", SIDE * (1.0 - bin.accuracy)),
        width: format!("{:.1}", width - 1.0),
        height: format!("{:.1}", SIDE * bin.accuracy),
        opacity: format!("{:.2}", 0.25 + 0.75 * bin.pairs as f64 / most),
        title: format!(
            "{} pairs, {:.1} % right, {:.1} % expected",
            bin.pairs,
            bin.accuracy * 100.0,
            bin.confidence * 100.0
        ),
    });
    let error = format!("{:.1}", scores.calibration_error * 100.0);
    Reliability { predictor, error, bars: bars.collect() }.render().unwrap_or_default()
}

/// Draws the confusion matrix: each row is a class, with cells shaded by their share of its pairs.
pub fn confusion(predictor: &str, scores: &Scores) -> String {
    let mut cells = Vec::new();
    for (row, counts) in scores.confusion.iter().enumerate() {
        let all: u64 = counts.iter().sum();
        for (column, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let [is, taken] = [row, column].map(|number| scores.classes[number].class);
            cells.push(Cell {
                x: column * CELL,
                y: row * CELL,
                shade: format!("{:.3}", count as f64 / all as f64),
                title: format!("{count} pairs of {is}, {:.1} %, predicted {taken}", count as f64 * 100.0 / all as f64),
            });
        }
    }
    let names = scores.classes.iter().enumerate().map(|(number, class)| (number * CELL + CELL / 2, class.class));
    Confusion { predictor, side: scores.classes.len() * CELL, names: names.collect(), cells }
        .render()
        .unwrap_or_default()
}
