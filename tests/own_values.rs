//! Values of one's own recordings go before those of the model, in each command that injects.

use crate::support::traced::Project;
use crate::support::{Ended, ended, surmise};

const PACKAGE: &str = "\
def label(order, style='short', width=3):
    if style == 'long':
        return order * width
    if order is None:
        return width
    return width + 1


def weight(kind):
    if isinstance(kind, str) and sum(map(ord, kind)) == 425:
        return 1
    return 2
";

/// A package, whose functions were called while it was recorded.
fn project() -> Project {
    let project = Project::new(&[("pkg/__init__.py", PACKAGE), ("pkg/other.py", "print(style)\n")]);
    let ended = project.trace(&[
        "-c",
        "import pkg; pkg.label('ab', 'long', 41); pkg.label('ab', 'long', 41); \
                                [pkg.weight(kind) for kind in ('thin', 'thin', 'wide')]",
    ]);
    assert_eq!(ended.code(), 0, "{ended}");
    project
}

#[track_caller]
fn surmise_in(project: &Project, arguments: &[&str]) -> Ended {
    ended(surmise().args(arguments).env_remove("VIRTUAL_ENV").current_dir(project.path("")))
}

/// What a single run injects, by name.
#[track_caller]
fn injected(project: &Project, arguments: &[&str]) -> Vec<String> {
    let report = surmise_in(project, &[&["run", "--json", "--runs", "1"], arguments].concat()).report();
    let injections = report["injections"].as_array().expect("a list").iter();
    let text = |of: &serde_json::Value| of.as_str().unwrap_or_default().to_owned();
    injections.map(|one| format!("{} = {}", text(&one["name"]), text(&one["value"]))).collect()
}

#[test]
fn what_was_recorded_at_a_place_is_injected_there() {
    let project = project();
    let of_label = ["--alone", "--function", "label", "pkg/__init__.py"];
    let model = injected(&project, &of_label);
    assert!(!model.iter().any(|one| one.contains("41")), "{model:?}");
    let own = injected(&project, &[&["--values", "out"][..], &of_label].concat());
    for one in ["order = 'ab'", "style = 'long'", "width = 41"] {
        assert!(own.iter().any(|found| found == one), "{one}: {own:?}");
    }
}

#[test]
fn other_code_gets_what_was_recorded_under_the_name() {
    let project = project();
    let own = injected(&project, &["--alone", "--values", "out", "pkg/other.py"]);
    assert_eq!(own, ["style = 'long'"]);
    // What stands for a class, and what was recorded, are told apart by their form.
    let both = injected(&project, &["--alone", "--values", "coarse", "--values", "out", "pkg/other.py"]);
    assert_eq!(both, own);
}

#[test]
fn a_search_starts_from_what_was_recorded_and_goes_on() {
    let project = project();
    let report = surmise_in(&project, &["run", "--json", "--values", "out", "--function", "label", "pkg/__init__.py"]);
    let lines = &report.report()["lines"];
    assert_eq!(lines["covered"], lines["total"], "{report}");
}

#[test]
fn other_values_that_were_recorded_are_tried_too() {
    let project = project();
    let of_weight = ["--function", "weight", "pkg/__init__.py"];
    let covered = |options: &[&str]| {
        let report = surmise_in(&project, &[&["run", "--json"], options, &of_weight].concat()).report();
        report["lines"]["covered"].as_u64().zip(report["lines"]["total"].as_u64())
    };
    assert_eq!(covered(&[]), Some((2, 3)), "nobody finds a text with this sum");
    assert_eq!(covered(&["--values", "out"]), Some((3, 3)));
}

#[test]
fn files_with_settings_name_recordings_by_their_own_folder() {
    let project = project();
    project.write("pyproject.toml", "[tool.surmise]\nvalues = [\"out\", \"fine\"]\n");
    let mut command = surmise();
    command.args(["run", "--json", "--runs", "1", "--alone", "other.py"]).current_dir(project.path("pkg"));
    let report = ended(&mut command).report();
    assert_eq!(report["injections"][0]["value"], "'long'", "{report}");
}

#[test]
fn covers_and_comparisons_take_recordings_and_their_stores_depend_on_them() {
    let project = project();
    project.write("new.py", PACKAGE.replace("width + 1", "width - 41"));
    let of =
        |command: &str, arguments: &[&str]| surmise_in(&project, &[&[command, "--values", "out"], arguments].concat());
    let covered = of("cover", &["--functions", "--runs", "1", "--alone", "--json", "pkg/__init__.py"]);
    let first = covered.stdout().lines().next().and_then(|line| serde_json::from_str(line).ok());
    let first: serde_json::Value = first.unwrap_or_else(|| panic!("{covered}"));
    assert!(first["injections"].to_string().contains("'long'"), "{covered}");
    let compared = of("diff", &["pkg/__init__.py", "new.py"]);
    assert!(compared.stdout().contains("different  label"), "{compared}");

    let stored = ["--alone", "--out", "kept", "pkg/other.py"];
    assert_eq!(of("cover", &stored).code(), 0);
    let other = surmise_in(&project, &[&["cover"][..], &stored].concat());
    assert_eq!(other.code(), 2, "{other}");
}

#[test]
fn a_recording_without_values_is_named() {
    let project = Project::new(&[("pkg/__init__.py", ""), ("main.py", "print(style)\n")]);
    assert_eq!(project.trace(&["-c", "import pkg"]).code(), 0);
    let ended = surmise_in(&project, &["run", "--values", "out", "main.py"]);
    assert_eq!(ended.stderr(), "warning: the recordings of --values have no values: the model alone predicts\n");
}

#[test]
fn what_is_no_recording_is_refused() {
    let project = project();
    let refused = |folder: &str| {
        let ended = surmise_in(&project, &["run", "--values", folder, "pkg/other.py"]);
        assert_eq!((ended.code(), ended.stdout()), (2, String::new()), "{ended}");
        let hint =
            "hint: --values takes a folder that `surmise trace -o DIR` wrote, `fine`, `coarse` or `coarse-random`";
        assert!(ended.stderr().contains(hint), "{ended}");
        ended.stderr()
    };
    assert!(refused("nowhere").contains("`nowhere` holds no finished recording"));
    assert!(refused("pkg").contains("`pkg` holds no finished recording"));
    let table = std::fs::read(project.path("out/sites.parquet")).expect("it was written");
    project.write("out/sites.parquet", &table[..table.len() / 2]);
    assert!(refused("out").contains("sites.parquet"));
}
