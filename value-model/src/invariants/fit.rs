//! Fitting: the negative log-likelihood of all steps, with the paper's hinge on the negation, by stochastic gradient
//! descent with a rate for each row of weights (`AdaGrad`, Duchi et al., JMLR 2011).

use std::collections::BTreeSet;

use super::network::{COPIED_OBJECTS, COPIES, Network, OBJECTS, Rows, WIDTH, object_features};
use super::vocabulary::Vocabulary;
use super::{Example, Invariants, Known, place};

const RATE: f32 = 0.06;
/// Rate of the weights that do not go through the hidden layer.
const DIRECT_RATE: f32 = 0.1;
/// Squares that rows begin with: without them, the first steps are too large.
const FIRST_SQUARES: f32 = 0.01;
/// Weights at the beginning are drawn up to this.
const SPREAD: f32 = 0.05;
/// What a direct weight adds to its gradient, by which it shrinks.
const DECAY: f32 = 1e-4;
/// Share of the features that are left out at each step, so that no few are relied on.
const LEFT_OUT: f32 = 0.25;
/// Features are learned that so many guards of so many projects have; of fewer projects, that all of them have.
const FEWEST_GUARDS: u32 = 16;
const FEWEST_PROJECTS: u32 = 16;
/// Bits by which a negation is to be less likely than the condition.
const MARGIN_BITS: f32 = 2.0;
/// What weights are rounded to in the end, as shares of their root mean square.
const STEP_OF_ROWS: f32 = 0.5;
const STEP_OF_OBJECTS: f32 = 0.3;
/// Gradients below this are not worth a step.
const NEGLIGIBLE: f32 = 1e-3;

/// How a model is fitted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Passes over the examples.
    pub passes: u32,
    /// Seed of the order and of the first weights.
    pub seed: u64,
    /// Whether negations are kept apart.
    pub hinge: bool,
}

/// Sums of squared gradients: of a row, or of a single weight.
struct Squares {
    rows: Vec<f32>,
    subject: f32,
    direct: Vec<f32>,
    templates: Vec<f32>,
    biases: Vec<f32>,
    copies: Vec<f32>,
    copied_objects: Vec<f32>,
    objects: Vec<f32>,
}

impl Squares {
    fn of(network: &Network) -> Self {
        let templates = network.biases.len();
        Self {
            rows: vec![FIRST_SQUARES; network.direct.len()],
            subject: FIRST_SQUARES,
            direct: vec![1.0; network.direct.len()],
            templates: vec![FIRST_SQUARES; templates],
            biases: vec![1.0; templates],
            copies: vec![1.0; COPIES],
            copied_objects: vec![1.0; COPIED_OBJECTS],
            objects: vec![1.0; 1 << OBJECTS],
        }
    }
}

/// Fits a model; `report` gets the number of each pass and the model after it.
pub fn fit(
    learned: &[Example],
    templates: Vec<Known>,
    options: Options,
    mut report: impl FnMut(u32, &Invariants),
) -> Invariants {
    let mut random = fastrand::Rng::with_seed(options.seed);
    let views = learned.iter().map(|example| (example.project, &example.view));
    let projects: BTreeSet<u32> = learned.iter().map(|example| example.project).collect();
    let vocabulary = Vocabulary::of(views, FEWEST_GUARDS, FEWEST_PROJECTS.min(projects.len() as u32));
    let mut model = Invariants::with(templates, |templates| Network::drawn(vocabulary, templates, &mut random));
    let mut squares = Squares::of(&model.network);
    let mut order: Vec<usize> = (0..learned.len()).filter(|&at| !learned[at].tests.is_empty()).collect();
    let steps = (order.len() * options.passes as usize).max(1) as f32;
    let mut step = 0.0;
    for pass in 1..=options.passes {
        random.shuffle(&mut order);
        for &at in &order {
            let example = &learned[at];
            let weight = 1.0 / example.tests.len() as f32;
            // The rate goes down to a tenth.
            let rate = RATE * (1.0 - 0.9 * step / steps);
            step += 1.0;
            let mut rows = model.network.known(&example.view);
            rows.leave_out(&mut random);
            for (template, slots) in &example.tests {
                let learning = Learning { example, rows: &rows, weight, rate, hinge: options.hinge };
                model.network.learn(&mut squares, &learning, (*template, slots));
            }
        }
        if pass == options.passes {
            model.network.round();
        }
        report(pass, &model);
    }
    model
}

impl Rows {
    fn leave_out(&mut self, random: &mut fastrand::Rng) {
        for rows in self.candidates.iter_mut().chain([&mut self.region]) {
            rows.retain(|_| random.f32() >= LEFT_OUT);
        }
    }
}

/// One step.
struct Learning<'e> {
    example: &'e Example,
    rows: &'e Rows,
    weight: f32,
    rate: f32,
    hinge: bool,
}

/// Takes a step with a single weight.
fn step(weight: &mut f32, squares: &mut f32, gradient: f32) {
    let gradient = gradient + DECAY * *weight;
    *squares += gradient * gradient;
    *weight -= DIRECT_RATE * gradient / squares.sqrt();
}

/// Takes a step with a row.
fn step_row(weights: &mut [f32], squares: &mut f32, gradients: &[f32; WIDTH], mean_square: f32, rate: f32) {
    *squares += mean_square;
    let rate = rate / squares.sqrt();
    weights.iter_mut().zip(gradients).for_each(|(weight, gradient)| *weight -= rate * gradient);
}

fn mean_square(gradients: &[f32; WIDTH]) -> f32 {
    gradients.iter().map(|gradient| gradient * gradient).sum::<f32>() / WIDTH as f32
}

/// Rounds weights to multiples of a step: a share of their root mean square.
fn round(weights: &mut [f32], share: f32) {
    let squares: f64 = weights.iter().map(|weight| f64::from(*weight).powi(2)).sum();
    let step = (squares / weights.len().max(1) as f64).sqrt() as f32 * share;
    if step > 0.0 {
        for weight in weights {
            *weight = (*weight / step).round() * step;
        }
    }
}

impl Network {
    /// Rounds the large tables to few values, so that they take little room where they are compressed.
    fn round(&mut self) {
        round(&mut self.rows, STEP_OF_ROWS);
        round(&mut self.objects, STEP_OF_OBJECTS);
    }

    fn drawn(vocabulary: Vocabulary, templates: &[Known], random: &mut fastrand::Rng) -> Self {
        let mut draw = |count: usize| (0..count).map(|_| (random.f32() * 2.0 - 1.0) * SPREAD).collect();
        let (features, count) = (vocabulary.len(), templates.len());
        let all: f32 = templates.iter().map(|known| known.guards as f32).sum();
        Self {
            rows: draw(features * WIDTH),
            direct: vec![0.0; features],
            subject: draw(WIDTH),
            templates: draw(count * WIDTH),
            biases: templates.iter().map(|known| (known.guards as f32 / all).ln()).collect(),
            copies: vec![0.0; COPIES],
            copied_objects: vec![0.0; COPIED_OBJECTS],
            objects: vec![0.0; 1 << OBJECTS],
            numbers: super::network::Numbers::of(templates),
            vocabulary,
        }
    }

    fn learn(&mut self, squares: &mut Squares, learning: &Learning<'_>, (template, filled): (usize, &[usize])) {
        let Learning { example: Example { view, .. }, rows, weight, rate, .. } = *learning;
        let subject = filled[0];
        let layer = self.layer(view, rows);
        let mut through = self.learn_template(squares, learning, (template, subject), &layer.hidden[subject]);
        let mut region = [0.0; WIDTH];
        let mut of_subject = [0.0; WIDTH];
        for (number, probability) in layer.subjects.iter().enumerate() {
            let gradient = weight * (probability - f32::from(u8::from(number == subject)));
            let mut back = if number == subject { std::mem::replace(&mut through, [0.0; WIDTH]) } else { [0.0; WIDTH] };
            if view.candidates[number].is_text || (gradient.abs() < NEGLIGIBLE && number != subject) {
                continue;
            }
            let hidden = &layer.hidden[number];
            for unit in 0..WIDTH {
                of_subject[unit] += gradient * hidden[unit];
                back[unit] = if hidden[unit] > 0.0 { back[unit] + gradient * self.subject[unit] } else { 0.0 };
                region[unit] += back[unit];
            }
            let square = mean_square(&back);
            for &row in &rows.candidates[number] {
                step_row(&mut self.rows[row * WIDTH..][..WIDTH], &mut squares.rows[row], &back, square, rate);
                step(&mut self.direct[row], &mut squares.direct[row], gradient);
            }
        }
        let square = mean_square(&region);
        for &row in &rows.region {
            step_row(&mut self.rows[row * WIDTH..][..WIDTH], &mut squares.rows[row], &region, square, rate);
        }
        step_row(&mut self.subject, &mut squares.subject, &of_subject, mean_square(&of_subject), rate);
        for slot in 1..filled.len() {
            self.learn_object(squares, learning, (template, slot), filled);
        }
    }

    /// Learns the template of a condition; returns the gradient of the hidden layer.
    fn learn_template(
        &mut self,
        squares: &mut Squares,
        learning: &Learning<'_>,
        (template, subject): (usize, usize),
        hidden: &[f32; WIDTH],
    ) -> [f32; WIDTH] {
        let view = &learning.example.view;
        let mut gradients = self.shapes(view, subject, hidden);
        if learning.hinge
            && let Some(negation) = self.numbers.negations[template]
        {
            let ahead = (gradients[template].max(1e-9) / gradients[negation].max(1e-9)).ln();
            let lacking = (MARGIN_BITS * std::f32::consts::LN_2 - ahead).max(0.0);
            // The derivative of the squared hinge, kept from running away.
            let push = (2.0 * lacking).min(1.0);
            gradients[template] -= push;
            gradients[negation] += push;
        }
        gradients[template] -= 1.0;
        let mut through = [0.0; WIDTH];
        for (template, copy) in self.copied(view, subject) {
            step(&mut self.copies[copy], &mut squares.copies[copy], learning.weight * gradients[template]);
        }
        let square = mean_square(hidden);
        for (number, gradient) in gradients.into_iter().enumerate() {
            if gradient.abs() < NEGLIGIBLE {
                continue;
            }
            let gradient = learning.weight * gradient;
            let row = &mut self.templates[number * WIDTH..][..WIDTH];
            through.iter_mut().zip(&*row).for_each(|(through, weight)| *through += gradient * weight);
            squares.templates[number] += gradient * gradient * square;
            let rate = learning.rate * gradient / squares.templates[number].sqrt();
            row.iter_mut().zip(hidden).for_each(|(weight, hidden)| *weight -= rate * hidden);
            step(&mut self.biases[number], &mut squares.biases[number], gradient);
        }
        through
    }

    fn learn_object(
        &mut self,
        squares: &mut Squares,
        learning: &Learning<'_>,
        (template, slot): (usize, usize),
        filled: &[usize],
    ) {
        let view = &learning.example.view;
        let mut gradients = self.objects(view, (template, slot), &filled[..slot]);
        gradients[filled[slot]] -= 1.0;
        for (object, copy) in self.copied_objects(view, (template, slot), filled[0]) {
            let gradient = learning.weight * gradients[object];
            step(&mut self.copied_objects[copy], &mut squares.copied_objects[copy], gradient);
        }
        for (number, gradient) in gradients.into_iter().enumerate() {
            if gradient.abs() > NEGLIGIBLE {
                for feature in object_features(view, template, slot, filled[0], number) {
                    let at = place(feature, OBJECTS);
                    step(&mut self.objects[at], &mut squares.objects[at], learning.weight * gradient);
                }
            }
        }
    }
}
