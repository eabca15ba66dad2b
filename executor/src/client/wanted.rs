//! Which modules a zygote should import ahead: those that runs have wanted before.

use std::collections::BTreeMap;

/// Runs that import a module before the zygote does. One may be the only one.
const OFTEN: u32 = 3;

/// What runs of a zygote have imported.
#[derive(Debug, Default)]
pub(super) struct Wanted(BTreeMap<String, u32>);

impl Wanted {
    /// Counts the modules of a run; returns those that are wanted often now.
    pub(super) fn by_run(&mut self, modules: &[String]) -> Vec<String> {
        let mut often = Vec::new();
        for module in modules {
            let count = self.0.entry(module.clone()).or_default();
            *count += 1;
            if *count == OFTEN {
                often.push(module.clone());
            }
        }
        often
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_told_once_when_they_are_wanted_again() {
        let mut wanted = Wanted::default();
        let told: Vec<Vec<String>> = [&["json", "re"][..], &["json"], &["json", "re"], &["json", "re"]]
            .map(|modules| wanted.by_run(&modules.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()))
            .into();
        assert_eq!(told, [vec![], vec![], vec!["json".to_owned()], vec!["re".to_owned()]]);
    }
}
