//! What all runs of a program share, as workers get it.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use surmise_instrument::Written;
use surmise_instrument::cleanup::RepairKind;
use surmise_instrument::extract;
use surmise_instrument::paths::Origins;

use super::{Plan, PredictorChoice, Settings, implicit_imports};
use crate::protocol::{Drawing, ImplicitImport, InputEnd, Preload, Program};

impl Plan {
    /// What all runs share.
    #[must_use]
    pub fn program(&self, settings: &Settings) -> &Arc<Program> {
        self.program.get_or_init(|| Arc::new(self.new_program(settings, false)))
    }

    /// The program of a comparison before its values are predicted: a process can load it meanwhile. `None` where nothing will be
    /// injected.
    pub fn program_ahead(&mut self, settings: &Settings) -> Option<Arc<Program>> {
        let settings = Settings { drawing: Some(Drawing::default()), ..settings.clone() };
        if settings.predictor == PredictorChoice::None {
            return None;
        }
        self.assignment = vec![None; self.sites.len().max(1)];
        let program = Program { is_unassigned: true, ..self.new_program(&settings, false) };
        self.assignment.clear();
        self.program = OnceCell::from(Arc::new(program));
        self.program.get().cloned()
    }

    /// The program with nothing injected, as `python FILE` runs it.
    #[must_use]
    pub fn plain_program(&self, settings: &Settings) -> Program {
        self.new_program(settings, true)
    }

    /// True for what was pasted from a prompt.
    fn is_session(&self) -> bool {
        self.repairs.iter().any(|repair| repair.kind == RepairKind::Prompt)
    }

    fn new_program(&self, settings: &Settings, plain: bool) -> Program {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let implicit_imports = if plain { BTreeMap::new() } else { self.implicit_imports(settings) };
        let standard = if plain { Vec::new() } else { self.standard(&implicit_imports) };
        let lazy = standard.iter().map(|module| Preload { module: module.clone(), names: Vec::new() });
        let mut program = Program {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            filename: self
                .source
                .path
                .as_ref()
                .and_then(|path| std::path::absolute(path).ok())
                .map_or_else(|| self.source.name.clone(), |path| path.display().to_string()),
            argv: std::iter::once(if self.source.path.is_some() { self.source.name.clone() } else { "-".to_owned() })
                .chain(settings.args.iter().cloned())
                .collect(),
            source: self.text.clone(),
            text: self.instrumented.text.clone(),
            hooks: self.instrumented.hooks,
            sites: self.sites.clone(),
            tries: self.instrumented.tries.clone(),
            written: Written::of(&self.model),
            origins: if plain || !self.injects() { Origins::default() } else { self.paths().origins.clone() },
            variadic: if plain || !self.injects() || settings.drawing.is_some() {
                BTreeMap::new()
            } else {
                self.variadic()
            },
            keys_of_parameters: if plain || !self.injects() || settings.drawing.is_some() || settings.function.is_none()
            {
                BTreeMap::new()
            } else {
                extract::keys_of_parameters(&self.model)
            },
            expected: if plain || !self.injects() || settings.drawing.is_some() {
                Vec::new()
            } else {
                self.expected_answers(settings)
            },
            input_texts: if plain || !self.injects() { BTreeMap::new() } else { self.input_texts() },
            outer_texts: if plain || !self.injects() { BTreeMap::new() } else { self.outer_texts() },
            tables: if plain || !self.injects() { BTreeMap::new() } else { self.tables() },
            imports: self.instrumented.imports.clone(),
            positions: self.instrumented.positions.clone(),
            session: if self.is_session() { self.model.statement_lines() } else { Vec::new() },
            lines: self.instrumented.marks.lines,
            assignment: self.assignment.clone(),
            guards: if settings.in_place { self.guards.clone() } else { BTreeMap::new() },
            imported: if plain { BTreeMap::new() } else { self.imported.clone() },
            implicit_imports,
            preloads: if plain {
                Vec::new()
            } else {
                implicit_imports::eager(&self.model).into_iter().chain(lazy).collect()
            },
            inject_io: settings.inject_io,
            input_end: if settings.whole_input {
                InputEnd::Complete
            } else if !plain && self.injects() && self.reads_input() {
                InputEnd::OfFile
            } else {
                InputEnd::OfCalls
            },
            start: settings.start,
            plain,
            standard,
            ..Program::default()
        };
        self.set_surroundings(&mut program, settings);
        self.add_companions(&mut program);
        program
    }

    /// What callers give functions; both versions of a comparison get the same, which it has in its drawing.
    fn variadic(&self) -> BTreeMap<String, [(u32, Vec<String>); 2]> {
        let found = extract::variadic(&self.model).into_iter();
        found.map(|one| (one.function, [one.needed, one.possible].map(|given| (given.values, given.keys)))).collect()
    }

    /// Two versions of a function are compared by what they ask of what is missing: there it stays missing.
    fn implicit_imports(&self, settings: &Settings) -> BTreeMap<String, ImplicitImport> {
        if self.injects() && settings.inject_imports && settings.drawing.is_none() {
            implicit_imports::find(&self.text, self.uses(), || self.paths())
        } else {
            BTreeMap::new()
        }
    }

    /// What runs will import of the standard library: the text does, and whoever awaits its coroutines.
    fn standard(&self, implicit_imports: &BTreeMap<String, ImplicitImport>) -> Vec<String> {
        let implicit = implicit_imports.values().flat_map(|import| import.modules.iter().cloned());
        let awaiting = self.text.contains("async ").then(|| "asyncio".to_owned());
        implicit_imports::standard(&self.model).into_iter().chain(implicit).chain(awaiting).collect()
    }
}
