//! Linear maps: products with weights in f32, or with int8 weights in whole numbers.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix, QuantParams};
use rten_tensor::NdTensorView;

use super::buffer::room;
use super::error::LoadError;
use super::kernels::{self, CENTRE};
use super::matrix::{View, multiply};
use super::weights::{Matrix, Weights};

/// Several linear maps of one input, side by side: from rows of `inputs` values to rows of `outputs`.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    form: Form,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// How the weights are held. Files hold `[outputs, inputs]`.
#[derive(Clone)]
enum Form {
    /// Outputs lie in panels of [`PANEL`], each `[inputs, PANEL]`: the order in which the product reads them, so that it
    /// need not copy them first, which for few tokens takes as long as the product.
    Float { panels: Vec<f32> },
    /// Weights of the int8 format, in the order of the kernel, and the scale of each output.
    Int8 { weights: PackedBMatrix<i8>, scales: Vec<f32> },
}

impl std::fmt::Debug for Form {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Float { .. } => "Float",
            Self::Int8 { .. } => "Int8",
        })
    }
}

/// Outputs of a panel: two of the widest registers.
const PANEL: usize = 32;

thread_local! {
    /// Products of unsigned and signed bytes with the best instructions of this processor. The sums are whole numbers
    /// and come to the same everywhere.
    static INT8: GemmExecutor<u8, i8, i32> = GemmExecutor::new();
}

/// Makes each thread compute its products alone, for the rest of the process: predictions divide windows among threads,
/// and commands divide files, so that dividing single products, too, costs more than it brings. Call it before the
/// first prediction. The training of tokenizers, which divides its work by the same settings, is better off without.
pub fn undivided_products() {
    // With the calling thread as its only one, the pool starts no thread that could fail to start. What was set before,
    // by an embedder or by an earlier call, stays.
    let _already_set = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
}

impl Linear {
    /// Reads the maps `names`, each from `inputs` to `outputs` values.
    pub(super) fn load(weights: &Weights, names: &[String], inputs: usize, outputs: usize) -> Result<Self, LoadError> {
        let maps = names.iter().map(|name| weights.matrix(name, outputs, inputs));
        let maps: Vec<Matrix> = maps.collect::<Result<_, LoadError>>()?;
        let form = int8(&maps, inputs).unwrap_or_else(|| float(&maps, inputs, outputs));
        Ok(Self { form, inputs, outputs: outputs * names.len() })
    }

    /// `out[count, outputs] = x[count, inputs] · W`, added to `out` if asked.
    pub(super) fn apply(&self, out: &mut [f32], x: &[f32], count: usize, add: bool, quantized: &mut Quantized) {
        match &self.form {
            Form::Float { panels } => {
                let x = View::rows(x, count, self.inputs, self.inputs);
                for (index, panel) in panels.chunks_exact(PANEL * self.inputs).enumerate() {
                    let first = index * PANEL;
                    let panel = View::rows(panel, self.inputs, PANEL.min(self.outputs - first), PANEL);
                    multiply(&mut out[first..], self.outputs, x, panel, add);
                }
            }
            Form::Int8 { weights, scales } => {
                let (sums, steps) = quantized.multiply(x, count, self.inputs, weights, self.outputs);
                let rows = out.chunks_exact_mut(self.outputs).zip(sums.chunks_exact(self.outputs));
                for ((out, sums), step) in rows.zip(steps) {
                    kernels::rescale(out, sums, scales, *step, add);
                }
            }
        }
    }
}

/// The maps in f32.
fn float(maps: &[Matrix], inputs: usize, outputs: usize) -> Form {
    let mut panels = vec![0.0; (outputs * maps.len()).next_multiple_of(PANEL) * inputs];
    let mut row = vec![0.0; inputs];
    for (index, map) in maps.iter().enumerate() {
        for output in 0..outputs {
            map.row(output, &mut row);
            let column = index * outputs + output;
            let panel = &mut panels[column / PANEL * PANEL * inputs..][..PANEL * inputs];
            for (weight, line) in row.iter().zip(panel.chunks_exact_mut(PANEL)) {
                line[column % PANEL] = *weight;
            }
        }
    }
    Form::Float { panels }
}

/// The maps in int8, if all of them are.
fn int8(maps: &[Matrix], inputs: usize) -> Option<Form> {
    let (mut all, mut every_scale) = (Vec::new(), Vec::new());
    for map in maps {
        let Matrix::Int8 { values, scales, .. } = map else { return None };
        all.extend_from_slice(values);
        every_scale.extend_from_slice(scales);
    }
    let view = NdTensorView::from_data([every_scale.len(), inputs], all.as_slice());
    Some(Form::Int8 { weights: INT8.with(|int8| int8.prepack_b(view.transposed())), scales: every_scale })
}

/// Rows of activations as bytes, and their products with int8 weights.
#[derive(Debug, Default)]
pub(super) struct Quantized {
    values: Vec<u8>,
    /// What zero is as a byte, for each row.
    zeros: Vec<u8>,
    /// By what a row's bytes, less its zero, are multiplied to get its values.
    steps: Vec<f32>,
    sums: Vec<i32>,
}

impl Quantized {
    /// Rounds each row of `x` to bytes of its own scale, and multiplies them with the weights: `[count, outputs]` sums,
    /// and the steps of the rows.
    fn multiply(
        &mut self,
        x: &[f32],
        count: usize,
        inputs: usize,
        weights: &PackedBMatrix<i8>,
        outputs: usize,
    ) -> (&[i32], &[f32]) {
        // One zero for all rows: `rten-gemm` 0.27 takes those of the first rows for the later ones, too.
        let zero = if kernels::least(&x[..count * inputs]) < 0.0 { CENTRE } else { 0 };
        let values = room(&mut self.values, count * inputs);
        let rows = x.chunks_exact(inputs).zip(values.chunks_exact_mut(inputs));
        self.steps.clear();
        self.steps.extend(rows.map(|(row, values)| kernels::quantize(values, row, zero)));
        self.zeros.clear();
        self.zeros.resize(count, zero);
        let sums = room(&mut self.sums, count * outputs);
        let values = NdTensorView::from_data([count, inputs], &*values);
        let zeros = QuantParams { zero_point: self.zeros.as_slice() };
        let options = GemmOptions { a_quant: Some(zeros), ..GemmOptions::default() };
        let (left, right) = (GemmInputA::Unpacked(values), GemmInputB::Packed(weights));
        let done = INT8.with(|int8| int8.gemm(sums, left, right, options));
        debug_assert!(done.is_ok(), "shapes were made to fit: {done:?}");
        (sums, &self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers and thirds around zero, and a row of one sign.
    fn numbers(count: usize, most: i32) -> Vec<f32> {
        (0..count as i32).map(|index| (index * 37 % (2 * most + 1) - most) as f32 / 3.0).collect()
    }

    #[test]
    fn products_in_whole_numbers_are_those_of_floats_but_for_rounding() {
        for (count, inputs, outputs) in [(1, 8, 3), (1, 256, 64), (5, 33, 40), (70, 256, 96), (150, 1024, 256)] {
            let values: Vec<i8> = (0..inputs * outputs).map(|index| (index * 29 % 255) as u8 as i8).collect();
            let scales: Vec<f32> = (1..=outputs).map(|output| output as f32 / 100.0).collect();
            let map = [Matrix::Int8 { values, scales, cols: inputs }];
            let whole = Linear { form: int8(&map, inputs).expect("it is in int8"), inputs, outputs };
            let float = Linear { form: float(&map, inputs, outputs), inputs, outputs };
            let mut x = numbers(count * inputs, 50);
            if count % 2 == 0 {
                for value in &mut x {
                    *value = value.abs();
                }
            }
            let (mut found, mut expected) = (vec![1.0; count * outputs], vec![1.0; count * outputs]);
            let mut quantized = Quantized::default();
            for add in [false, true] {
                whole.apply(&mut found, &x, count, add, &mut quantized);
                float.apply(&mut expected, &x, count, add, &mut quantized);
            }
            for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
                // Half a step for each input, of either sign, times the largest weight.
                let bound = 2.0 * 34.0 / 127.0 / 2.0 * 128.0 * (index % outputs + 1) as f32 / 100.0
                    * (inputs as f32).sqrt()
                    * 2.0;
                assert!(
                    (found - expected).abs() <= bound,
                    "{count} {inputs} {outputs} {index}: {found} {expected} {bound}"
                );
            }
        }
    }
}
