//! What is predicted for the sites of a program and its parameters, and what each of them gets.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use surmise_instrument::{Kind, Role, Site};
use surmise_value_model::{Class, Prediction, Query, Sample, Use, seeded};

use super::choose::{self, Trust};
use super::expected::{self, Demand};
use super::{Known, Plan, PredictorChoice, Settings};
use crate::protocol::{Guard, Literal};

impl Plan {
    /// Predicts the values of all sites, but for those whose ranking is known, and where functions are called by themselves
    /// also of their parameters.
    pub fn predict(&mut self, settings: &Settings, known: Known<'_>) {
        let sites = std::mem::take(&mut self.sites);
        self.assign(sites, settings, known);
        if settings.function.is_some() || settings.makes_isolated_calls() {
            self.add_parameters(settings, known);
        }
    }

    /// Predicts for new sites in one batch, those whose ranking is known left out, and chooses a class for each. Nothing is
    /// assigned if the predictor never injects.
    pub(super) fn assign(&mut self, sites: Vec<Site>, settings: &Settings, known: Known<'_>) {
        let begin = Instant::now();
        let first = self.sites.len();
        if settings.predictor != PredictorChoice::None {
            let mut answers = self.rankings_of(&sites, settings, known);
            let observed: Vec<Option<(&Sample, bool)>> = sites.iter().map(|site| self.sample(site, settings)).collect();
            for (ranked, observed) in answers.iter_mut().zip(&observed) {
                if let Some((sample, _)) = observed {
                    *ranked = sample.ranked(ranked);
                }
            }
            let asked = self.asked(settings);
            let (mut assignment, mut found) = (Vec::with_capacity(sites.len()), Vec::new());
            let mut guards = BTreeMap::new();
            for (((number, site), ranked), observed) in (first..).zip(&sites).zip(&answers).zip(&observed) {
                let draw = seeded((settings.seed, number)).u64(..);
                let text = self.text_of(site);
                let is_of = |demand: &&Demand<'_>| self.is_in_function_of(site, &demand.requirement.subject);
                let demands = asked.demands(text).iter().filter(is_of).chain(asked.demands_on_variable(site));
                let demands: Vec<Demand<'_>> = demands.copied().collect();
                let sure = demands.iter().filter(|demand| site.kind != Kind::Variable && demand.is_sure());
                let asks: Vec<Guard> = sure.filter_map(|demand| Guard::of(demand.requirement)).collect();
                if !asks.is_empty() {
                    guards.insert(number as u32, asks);
                }
                // No stand-in is an instance of a builtin type.
                let least = if asked.is_checked(text) { 0.0 } else { settings.least() };
                let trust = match observed {
                    Some((_, true)) => Trust::Observed,
                    Some((_, false)) => Trust::Predicted { least: 0.0 },
                    None => Trust::Predicted { least },
                };
                let assigned = choose::choose(ranked, site, &demands, trust, (settings.values, draw));
                let literals = observed.map_or_else(Vec::new, |(sample, _)| expected::literals_of(sample));
                assignment.push(
                    assigned.map(|assigned| self.with_literal(site, assigned, &demands, &asked, &literals, settings)),
                );
                if !literals.is_empty() {
                    found.push((number as u32, literals));
                }
            }
            self.guards.append(&mut guards);
            self.assignment.extend(assignment);
            self.rankings.extend(answers);
            self.observed.extend(found);
            if sites.is_empty() && first == 0 {
                // A program without sites is still run with injection on: its imports may be missing.
                self.assignment.push(None);
            }
        }
        self.sites.extend(sites);
        self.predict_time += begin.elapsed();
    }

    /// The ranking of each site: the known one, or else what the predictor says.
    fn rankings_of(&self, sites: &[Site], settings: &Settings, known: Known<'_>) -> Vec<Vec<Prediction>> {
        let mut rankings: Vec<Option<Vec<Prediction>>> = sites.iter().map(known).collect();
        let unknown = sites.iter().zip(&rankings).filter(|(_, ranking)| ranking.is_none());
        let queries: Vec<Query<'_>> = unknown.map(|(site, _)| self.query(site)).collect();
        let mut answers = settings.predict(&queries).into_iter();
        for ranking in &mut rankings {
            if ranking.is_none() {
                *ranking = answers.next();
            }
        }
        rankings.into_iter().flatten().collect()
    }

    /// The text of a site's expression.
    pub(super) fn text_of(&self, site: &Site) -> &str {
        self.text.get(site.start as usize..site.end as usize).unwrap_or_default()
    }

    /// True if an expression, for a site of a variable, stands in the same function.
    pub(super) fn is_in_function_of(&self, site: &Site, expression: &Range<u32>) -> bool {
        let paths = self.paths();
        site.kind != Kind::Variable || paths.code_around(site.start) == paths.code_around(expression.start)
    }

    pub(super) fn query<'a>(&'a self, site: &'a Site) -> Query<'a> {
        Query {
            name: &site.name,
            kind: match site.kind {
                Kind::Variable => Use::Variable,
                Kind::Attribute => Use::Attribute,
                Kind::ReturnValue => Use::ReturnValue,
            },
            source: &self.text,
            model: Some(&self.model),
            start: site.start as usize,
            end: site.end as usize,
            anchor: self.model.anchor(site.kind, site.end).unwrap_or(site.end) as usize,
        }
    }

    /// Makes a site of each parameter, for functions that are called by us. The predictor is asked where the parameter
    /// is first read: that is the place it has learned about.
    pub fn assign_parameters(&mut self, settings: &Settings) {
        self.add_parameters(settings, &|_site| None);
    }

    fn add_parameters(&mut self, settings: &Settings, known: Known<'_>) {
        let parameters = &self.instrumented.parameters;
        if self.sites.len() > self.own_sites || parameters.is_empty() || !self.injects() {
            return;
        }
        self.assignment.truncate(self.sites.len());
        if !self.companions.is_empty() {
            // Their sites come after those of parameters.
            self.program = OnceCell::new();
        }
        let lines = self.model.lines();
        let mut asked = Vec::with_capacity(parameters.len());
        let mut own = Vec::with_capacity(parameters.len());
        for (number, parameter) in parameters.iter().enumerate() {
            let other = |next: &&surmise_instrument::Parameter| next.function != parameter.function;
            let end = parameters[number..].iter().find(other).map_or(self.text.len() as u32, |next| next.start);
            let read = self.paths().first_read(&parameter.name, parameter.end..end).unwrap_or(parameter.start);
            let (line, column) = lines.position(parameter.start);
            own.push((parameter.start, parameter.end));
            asked.push(Site {
                kind: Kind::Variable,
                name: parameter.name.clone(),
                role: Role::Plain,
                downstream: parameter.downstream,
                start: read,
                end: read + (parameter.end - parameter.start),
                line,
                column,
                function: parameter.function,
                local: false,
                rebound: false,
                in_class: false,
                annotation: false,
                marks: 0,
            });
        }
        let first = self.sites.len();
        self.assign(asked, settings, known);
        let parameters = (first as u32..).zip(&self.sites[first..]);
        let is_known =
            |site: &Site| self.recorded_value(site, settings).is_some() || self.sample(site, settings).is_some();
        let recorded = parameters.filter(|(_, site)| is_known(site));
        self.given = recorded.map(|(number, _)| number).collect();
        for (site, (start, end)) in self.sites[first..].iter_mut().zip(own) {
            (site.start, site.end) = (start, end);
        }
    }

    /// The predictor's ranking for a site; empty where nothing was asked.
    #[must_use]
    pub fn ranking(&self, site: u32) -> &[Prediction] {
        self.rankings.get(site as usize).map_or(&[], Vec::as_slice)
    }

    /// Values that recorded runs had at a site, or under its name; of each class the most frequent first.
    #[must_use]
    pub fn observed(&self, site: u32) -> &[(Class, Literal)] {
        self.observed.get(&site).map_or(&[], Vec::as_slice)
    }

    /// True if the predictor fills anything in.
    #[must_use]
    pub fn injects(&self) -> bool {
        !self.assignment.is_empty()
    }
}
