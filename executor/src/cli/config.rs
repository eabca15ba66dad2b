//! Settings of a project: `surmise.toml`, or `[tool.surmise]` in its `pyproject.toml`.
//!
//! A setting is an option of a command that the command line does not give. Keys are the options' long names; those at
//! the top hold for every command that has the option, those in the table of a command for that one. As with ruff, the
//! nearest file above what is run counts and others are not merged with it, `surmise.toml` goes before `pyproject.toml`,
//! a `pyproject.toml` without the table is passed by, relative paths start at the file's folder, and a file of the user
//! is the last resort.

use std::any::TypeId;
use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use surmise_instrument::LineIndex;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::refusal::Refusal;
use super::values::Value;

/// Files that hold nothing but settings, in the order of their precedence.
const OWN_FILES: [&str; 2] = [".surmise.toml", "surmise.toml"];
/// The file that holds those of many tools.
const SHARED_FILE: &str = "pyproject.toml";
/// Options that a file cannot set: they say where it is, or end the command.
const NOT_SET: [&str; 4] = ["config", "isolated", "help", "version"];
/// A larger file is none of ours.
const MOST_READ: u64 = 1 << 20;
/// A longer distance is no slip of the finger.
const FARTHEST: usize = 3;

/// The command line with the settings of the project in front of its own options; `None` if there are no settings.
///
/// # Errors
/// When the file cannot be read, has a key that no command has, or a value that does not fit.
pub(super) fn with_settings(
    command: &Command,
    arguments: &[OsString],
    matches: &ArgMatches,
) -> Result<Option<Vec<OsString>>, Refusal> {
    let Some((name, given)) = matches.subcommand() else { return Ok(None) };
    let Some(command) = command.find_subcommand(name).filter(|_| given.subcommand().is_none()) else {
        return Ok(None);
    };
    let Some(file) = File::of(command, matches, given)? else { return Ok(None) };
    let root = crate::cli::definition();
    let settings = file.settings(&root, command)?;
    let wanted: Vec<&Setting> = settings.iter().filter(|setting| is_free(command, setting.option, given)).collect();
    let Some(at) = position(arguments, name) else { return Ok(None) };
    let with = |settings: &[&Setting]| -> Vec<OsString> {
        let added = settings.iter().flat_map(|setting| setting.arguments.iter().cloned());
        arguments[..=at].iter().cloned().chain(added).chain(arguments[at + 1..].iter().cloned()).collect()
    };
    let all = with(&wanted);
    if root.clone().try_get_matches_from(&all).is_ok() {
        return Ok(Some(all));
    }
    for setting in wanted {
        if let Err(error) = root.clone().try_get_matches_from(with(&[setting])) {
            return Err(file.refusal(&setting.place, &error.render().to_string()));
        }
    }
    // They do not go together: clap says which.
    Ok(Some(all))
}

/// The file with the settings that count for a file or folder, if there is one.
///
/// # Errors
/// When the file cannot be read.
pub fn nearest_settings(start: &Path) -> Result<Option<PathBuf>, Refusal> {
    Ok(File::nearest(start)?.map(|file| file.path))
}

/// The place of the command's name among the arguments.
fn position(arguments: &[OsString], name: &str) -> Option<usize> {
    let takes_value = |argument: &OsString| argument == "--config" || argument == "--color";
    (1..arguments.len()).find(|&at| arguments[at] == name && !takes_value(&arguments[at - 1]))
}

/// True for an option that the command line neither gives nor excludes.
fn is_free(command: &Command, option: &Arg, given: &ArgMatches) -> bool {
    let is_given = |arg: &Arg| {
        let source =
            given.ids().any(|id| id == arg.get_id()).then(|| given.value_source(arg.get_id().as_str())).flatten();
        source == Some(ValueSource::CommandLine)
    };
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|excluded| excluded.get_id() == other.get_id())
    };
    !is_given(option)
        && !command
            .get_arguments()
            .filter(|other| is_given(other))
            .any(|other| excludes(option, other) || excludes(other, option))
}

/// A setting of the command at hand.
struct Setting<'c> {
    option: &'c Arg,
    arguments: Vec<OsString>,
    /// Bytes of the key.
    place: Range<usize>,
}

/// A file with settings.
struct File {
    path: PathBuf,
    text: String,
}

impl File {
    /// The file that counts for what is run.
    fn of(command: &Command, matches: &ArgMatches, given: &ArgMatches) -> Result<Option<Self>, Refusal> {
        if matches.get_flag("isolated") {
            return Ok(None);
        }
        if let Some(path) = matches.get_one::<PathBuf>("config") {
            let text = read(path).map_err(|error| {
                let message = format!("cannot read the settings `{}`: {error}", path.display());
                Refusal::new(message, "--config takes a `surmise.toml` or a `pyproject.toml`")
            })?;
            return Ok(Some(Self { path: path.clone(), text }));
        }
        Self::nearest(&start(command, given))
    }

    /// The nearest file above what is run, else that of the user.
    fn nearest(start: &Path) -> Result<Option<Self>, Refusal> {
        let start = std::path::absolute(start).unwrap_or_default();
        for folder in start.ancestors() {
            let own = OWN_FILES.iter().map(|name| folder.join(name)).find(|path| path.is_file());
            let shared = || Some(folder.join(SHARED_FILE)).filter(|path| path.is_file());
            if let Some(path) = own.or_else(shared) {
                let failed = |error| Refusal::bare(format!("cannot read the settings `{}`: {error}", path.display()));
                let file = Self { text: read(&path).map_err(failed)?, path };
                if file.is_own() || file.table().ok().is_some_and(|table| tool(table).is_some()) {
                    return Ok(Some(file));
                }
            }
        }
        let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let folder = folder.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")));
        let path = folder.map(|folder| folder.join("surmise").join(OWN_FILES[1])).filter(|path| path.is_file());
        Ok(path.and_then(|path| Some(Self { text: read(&path).ok()?, path })))
    }

    fn is_own(&self) -> bool {
        self.path.file_name().is_none_or(|name| name != SHARED_FILE)
    }

    fn table(&self) -> Result<DeTable<'_>, Refusal> {
        DeTable::parse(&self.text)
            .map(Spanned::into_inner)
            .map_err(|error| self.refusal(&error.span().unwrap_or_default(), error.message()))
    }

    /// An error at a place of the file; the message is that of a parser, of which the first line counts.
    fn refusal(&self, place: &Range<usize>, message: &str) -> Refusal {
        let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        let message = format!("{}: {first}", self.place(place));
        match lines.next().filter(|line| line.starts_with('[') || line.starts_with("tip:")) {
            Some(hint) => Refusal::new(message, hint.trim_start_matches("tip: ")),
            None => Refusal::bare(message),
        }
    }

    /// `surmise.toml:3:1`
    fn place(&self, place: &Range<usize>) -> String {
        let index = LineIndex::new(&self.text);
        let line = index.line(place.start as u32);
        let start = index.start(line) as usize;
        let column = self.text.get(start..place.start).map_or(0, |before| before.chars().count()) + 1;
        format!("{}:{line}:{column}", self.path.display())
    }

    /// The settings that a command has in the file. All of its keys are looked at.
    fn settings<'c>(&self, root: &Command, command: &'c Command) -> Result<Vec<Setting<'c>>, Refusal> {
        let table = self.table()?;
        let table = if self.is_own() { Some(table) } else { tool(table) };
        let mut found = Vec::new();
        for (key, value) in table.unwrap_or_default() {
            let name = key.get_ref().as_ref();
            if let DeValue::Table(own) = value.get_ref() {
                let Some(owner) = root.find_subcommand(name) else {
                    let commands = root.get_subcommands().map(Command::get_name);
                    return Err(self.unknown(&key, "command", commands));
                };
                for (key, value) in own {
                    let name = key.get_ref().as_ref();
                    if option(owner, name).is_none() {
                        return Err(self.unknown(key, &format!("option of `{}`", owner.get_name()), options(owner)));
                    }
                    if owner.get_name() == command.get_name()
                        && let Some(option) = option(command, name)
                    {
                        found.retain(|setting: &Setting<'_>| setting.option.get_id() != option.get_id());
                        found.push(self.setting(option, key, value)?);
                    }
                }
                continue;
            }
            if !root.get_subcommands().any(|command| option(command, name).is_some()) {
                return Err(self.unknown(&key, "option of any command", root.get_subcommands().flat_map(options)));
            }
            if let Some(option) = option(command, name)
                && !found.iter().any(|setting| setting.option.get_id() == option.get_id())
            {
                found.push(self.setting(option, &key, &value)?);
            }
        }
        Ok(found)
    }

    fn unknown<'k>(&self, key: &Spanned<impl AsRef<str>>, what: &str, known: impl Iterator<Item = &'k str>) -> Refusal {
        let name = key.get_ref().as_ref();
        let message = format!("{}: `{name}` is no {what}", self.place(&key.span()));
        let near =
            known.map(|known| (strsim::osa_distance(name, known), known)).filter(|(far, _)| *far <= FARTHEST).min();
        match near {
            Some((_, near)) => Refusal::new(message, format!("did you mean `{near}`?")),
            None => Refusal::new(
                message,
                "keys are the long names of options, without the dashes (`surmise COMMAND --help`)",
            ),
        }
    }

    fn setting<'c>(
        &self,
        option: &'c Arg,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Setting<'c>, Refusal> {
        let name = key.get_ref().as_ref();
        let wrong = |takes: &str| Err(self.refusal(&value.span(), &format!("`{name}` takes {takes}")));
        let is_switch = matches!(option.get_action(), ArgAction::SetTrue);
        let flag = format!("--{name}");
        let arguments = match value.get_ref() {
            DeValue::Boolean(true) if is_switch => vec![flag.into()],
            DeValue::Boolean(false) if is_switch => Vec::new(),
            _ if is_switch => return wrong("`true` or `false`"),
            DeValue::Array(values) if matches!(option.get_action(), ArgAction::Append) => {
                let mut arguments = Vec::new();
                for value in values {
                    let Some(text) = self.text(option, value.get_ref()) else { return wrong("a list of texts") };
                    arguments.push(assigned(&flag, text));
                }
                arguments
            }
            value => match self.text(option, value) {
                Some(text) => vec![assigned(&flag, text)],
                None => return wrong("a text or a number"),
            },
        };
        Ok(Setting { option, arguments, place: key.span() })
    }

    /// A value as the command line has it.
    fn text(&self, option: &Arg, value: &DeValue<'_>) -> Option<OsString> {
        let text = match value {
            DeValue::String(text) => text.as_ref().to_owned(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => return None,
        };
        let kind = option.get_value_parser().type_id();
        let is_folder = || matches!(text.parse(), Ok(Value::Recording(_)));
        let is_path = kind == TypeId::of::<PathBuf>() && text != "-" || kind == TypeId::of::<Value>() && is_folder();
        let folder = self.path.parent().filter(|_| is_path);
        Some(folder.map_or_else(|| text.clone().into(), |folder| folder.join(&text).into_os_string()))
    }
}

fn assigned(flag: &str, text: OsString) -> OsString {
    let mut argument = OsString::from(format!("{flag}="));
    argument.push(text);
    argument
}

fn options(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter_map(Arg::get_long).filter(|name| !NOT_SET.contains(name))
}

/// The option of a command that a key names.
fn option<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(name) && !NOT_SET.contains(&name))
}

fn tool(mut table: DeTable<'_>) -> Option<DeTable<'_>> {
    for name in ["tool", "surmise"] {
        match table.remove(name)?.into_inner() {
            DeValue::Table(inner) => table = inner,
            _ => return None,
        }
    }
    Some(table)
}

fn read(path: &Path) -> std::io::Result<String> {
    if fs::metadata(path)?.len() > MOST_READ {
        return Err(std::io::Error::from(std::io::ErrorKind::FileTooLarge));
    }
    fs::read_to_string(path)
}

/// What is run: the first path that the command line gives, else the working folder.
fn start(command: &Command, given: &ArgMatches) -> PathBuf {
    let paths = command.get_positionals().map(|arg| arg.get_id().as_str()).chain(["repo"]);
    let first = |id: &str| given.try_get_many::<PathBuf>(id).ok().flatten()?.next();
    paths.filter_map(first).find(|path| path.exists()).cloned().unwrap_or_else(|| PathBuf::from("."))
}
