//! Training of the second model, which corrects a T5 model by evidence in the source.

use surmise_value_model::train::{Fit, Sites, fit};
use surmise_value_model::{Class, Model, Query};

use super::bundle::describe_lost;
use super::{Arguments, random_held_out};
use crate::cli::printer;
use crate::cli::refusal::{Refusal, write};
use surmise_trace::dataset::{self, DataError, Split, draw};
use surmise_trace::join::{JoinedSite, join};

/// The stacker learns from one file in this many; using more did not improve it.
const FILES: u64 = 4;

pub(super) fn train(arguments: &Arguments) -> Result<(), Refusal> {
    let Some(sources) = &arguments.sources else {
        return Err(Refusal::new("a model reads code, and there is none", "give --sources"));
    };
    let model = match &arguments.init {
        Some(folder) => Model::open(folder).map_err(Refusal::bare)?,
        None => Model::built_in(),
    };
    let parts = dataset::parts(&arguments.data)?;
    let seed = arguments.model.seed;
    let has_dev = parts.iter().any(|part| part.split == Split::Dev);
    let (mut learned, mut held_out) = (Sites::default(), Sites::default());
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.split != Split::Test) {
        let before = learned.len() + held_out.len();
        let lost = join(part, sources, |file| {
            let drawn = dataset::draw_file(&part.project, &file.path, seed) % (FILES * FILES);
            let sites = match part.split {
                Split::Dev => &mut held_out,
                _ if drawn.is_multiple_of(FILES) => &mut learned,
                _ if drawn == 1 && !has_dev => &mut held_out,
                _ => return,
            };
            let queries: Vec<Query<'_>> = file.sites.iter().map(|site| site.query(&file.model)).collect();
            let features = model.features(&queries.iter().collect::<Vec<_>>());
            sites.add(&features, file.sites.iter().map(|site| classes(site, arguments)));
        });
        let lost = describe_lost(&lost.map_err(DataError::from)?);
        let count = learned.len() + held_out.len() - before;
        printer::note(&format!("[{:2}/{}] {:20} {count} sites{lost}", number + 1, parts.len(), part.project));
    }
    if learned.is_empty() || held_out.is_empty() {
        let hint = "a stacker learns from every fourth file of `train-*` parts and is calibrated on `dev-*` parts; \
                    --sources takes the folder that `corpora/sources.py` fills";
        return Err(Refusal::new("no sites to learn from, or none to measure on", hint));
    }
    tch::set_num_threads(arguments.model.threads);
    let count = learned.len();
    let tensors = fit(learned, &held_out, seed, |fit| {
        let [before, top1] = [fit.before, fit.top1].map(|share| share * 100.0);
        let Fit { epoch, epochs, loss, .. } = fit;
        let now = format!("loss {loss:.4}, top-1 {top1:.2} % (uncorrected {before:.2} %)");
        printer::note(&format!("epoch {epoch} of {epochs}: held out: {now}"));
    });
    let bytes = tensors.and_then(|tensors| tensors.to_bytes()).map_err(Refusal::bare)?;
    let path = &arguments.output;
    write(path, &bytes)?;
    printer::data(&format!("stacker: {count} sites, {} bytes in {}\n", bytes.len(), path.display()));
    Ok(())
}

/// Set of the classes recorded at a site, without the pairs that a random split measures on.
fn classes(site: &JoinedSite, arguments: &Arguments) -> u32 {
    let seed = arguments.model.seed;
    let random = random_held_out(arguments);
    let drawn = |class: Class| random && draw(site.example.identity, seed, class).is_multiple_of(dataset::DRAWN);
    site.example.classes.iter().filter(|class| !drawn(**class)).fold(0, |set, &class| set | 1 << class as u32)
}
