//! What a search has tried, and what it tries next.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::plan::Trial;

use crate::goals::Goal;

/// Which trials were made, and how often each goal was the reason.
#[derive(Default)]
pub(crate) struct Frontier {
    /// Trials, in a form that compares.
    tried: BTreeSet<String>,
    attempts: BTreeMap<Goal, u32>,
    /// Goals without an untried change, with the ledger's news at that time: only further news can bring one.
    exhausted: BTreeMap<Goal, usize>,
}

impl Frontier {
    /// Notes a trial as made.
    pub(crate) fn note(&mut self, trial: &Trial) {
        self.tried.insert(format!("{trial:?}"));
    }

    /// An untried change for the goal that was tried least often; `changes` lists those of a goal, and `news` counts the
    /// runs that found something. The attempt is counted.
    pub(crate) fn next(
        &mut self,
        mut goals: Vec<Goal>,
        news: usize,
        mut changes: impl FnMut(&Goal) -> Option<Vec<Trial>>,
    ) -> Option<Trial> {
        let attempts = |of: &BTreeMap<Goal, u32>, goal: &Goal| of.get(goal).copied().unwrap_or(0);
        goals.sort_by_key(|goal| (attempts(&self.attempts, goal), goal.clone()));
        for goal in goals {
            if attempts(&self.attempts, &goal) >= goal.most_attempts() || self.exhausted.get(&goal) == Some(&news) {
                continue;
            }
            match changes(&goal)?.into_iter().find(|trial| !self.tried.contains(&format!("{trial:?}"))) {
                Some(trial) => {
                    *self.attempts.entry(goal).or_default() += 1;
                    return Some(trial);
                }
                None => drop(self.exhausted.insert(goal, news)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(count: u32) -> Vec<Trial> {
        (0..count).map(|number| Trial { call: Some(format!("f{number}")), ..Trial::default() }).collect()
    }

    #[test]
    fn the_least_tried_goal_comes_next_and_no_trial_comes_twice() {
        let (one, other) = (Goal::Probe { site: 1 }, Goal::Probe { site: 2 });
        let goals = || vec![other.clone(), one.clone()];
        let mut frontier = Frontier::default();
        let mut asked = Vec::new();
        let mut next = |frontier: &mut Frontier, news| {
            let trial = frontier.next(goals(), news, |goal| {
                asked.push(goal.clone());
                Some(trials(2))
            });
            trial.inspect(|trial| frontier.note(trial)).and_then(|trial| trial.call)
        };
        assert_eq!(next(&mut frontier, 0).as_deref(), Some("f0"));
        assert_eq!(next(&mut frontier, 0).as_deref(), Some("f1"));
        assert_eq!(next(&mut frontier, 0), None);
        assert_eq!(next(&mut frontier, 0), None, "both are exhausted until there are news");
        assert_eq!(next(&mut frontier, 1), None);
        assert_eq!(asked, [&one, &other, &one, &other, &one, &other].map(Clone::clone));
    }

    #[test]
    fn a_goal_is_given_up_after_its_attempts_and_a_search_when_its_time_is_over() {
        let goal = Goal::Probe { site: 1 };
        let mut frontier = Frontier::default();
        assert_eq!(frontier.next(vec![goal.clone()], 0, |_| None), None, "no time is left to list changes");
        let mut made = 0;
        while let Some(trial) = frontier.next(vec![goal.clone()], made, |_| Some(trials(100))) {
            frontier.note(&trial);
            made += 1;
        }
        assert_eq!(made, goal.most_attempts() as usize);
    }
}
