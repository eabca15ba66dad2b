//! Which files of a repository are compared.

use std::path::{Component, Path, PathBuf};

/// Which files count: paths, folders and patterns, from the repository's root. None means all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    paths: Vec<PathBuf>,
    patterns: Vec<glob::Pattern>,
}

impl Filter {
    /// The filter of paths as they are given in a folder of the repository.
    ///
    /// # Errors
    /// The path that is no pattern.
    pub fn new(prefix: &Path, given: &[String]) -> Result<Self, String> {
        let mut filter = Self::default();
        for text in given {
            let path = normal(&prefix.join(text));
            let pattern = glob::Pattern::new(&path.to_string_lossy()).map_err(|_| text.clone())?;
            filter.paths.push(path);
            filter.patterns.push(pattern);
        }
        Ok(filter)
    }

    /// True for the path of a file that counts.
    pub fn takes(&self, path: &str) -> bool {
        self.paths.is_empty()
            || self.paths.iter().any(|given| Path::new(path).starts_with(given))
            || self.patterns.iter().any(|pattern| pattern.matches(path))
    }
}

/// Without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::Normal(name) => normal.push(name),
            _ => {}
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_given_from_the_folder() {
        let filter = |prefix: &str, given: &[&str]| {
            let given: Vec<String> = given.iter().map(|&path| path.to_owned()).collect();
            Filter::new(Path::new(prefix), &given).expect("they are patterns")
        };
        assert!(filter("", &[]).takes("a/b.py"));
        assert!(filter("", &["a"]).takes("a/b.py") && !filter("", &["a"]).takes("ab/b.py"));
        assert!(filter("a", &["b.py"]).takes("a/b.py") && filter("a", &["."]).takes("a/c/b.py"));
        assert!(filter("a", &["../c"]).takes("c/b.py") && !filter("a", &["../c"]).takes("a/b.py"));
        assert!(filter("", &["*/test_*.py"]).takes("a/test_b.py") && !filter("", &["*/test_*.py"]).takes("a/b.py"));
        assert_eq!(Filter::new(Path::new(""), &["a[".to_owned()]).err(), Some("a[".to_owned()));
    }
}
