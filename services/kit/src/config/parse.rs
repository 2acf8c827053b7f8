//! From arguments and variables to settings, or to one line that says what is wrong.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Args, Command, Error};

/// Why there are no settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bad {
    /// Help or version was asked for: to be shown, and no mistake.
    Asked(String),
    /// A setting is wrong, as the line says.
    Setting(String),
}

/// The settings of the process `name`, from its arguments and the environment.
///
/// # Errors
/// The first setting that is wrong, or that help was asked for.
pub fn parse<S: Args>(
    name: &'static str,
    about: &'static str,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<S, Bad> {
    let command = Command::new(name).version(env!("CARGO_PKG_VERSION")).next_line_help(true);
    // After the settings, which would put their own documentation there.
    let mut command = S::augment_args(command).about(about);
    let matches = command.try_get_matches_from_mut(arguments);
    let settings = matches.and_then(|mut matches| S::from_arg_matches_mut(&mut matches));
    settings.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Bad::Asked(error.to_string()),
        _ => Bad::Setting(line(&command, &error)),
    })
}

fn line(command: &Command, error: &Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    let arg = text(ContextKind::InvalidArg).and_then(|shown| find(command, shown));
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    let known = arg.map(|arg| (variable(arg), expected(arg)));
    match (error.kind(), known) {
        (ErrorKind::MissingRequiredArgument, Some((variable, expected))) => {
            format!("{variable} is not set, expected: {expected}")
        }
        (ErrorKind::ArgumentConflict, Some((variable, expected))) => {
            let other = text(ContextKind::PriorArg).and_then(|shown| find(command, shown));
            let other = other.map_or_else(|| "another variable".to_owned(), self::variable);
            format!("{variable} is set beside {other}, expected one of them: {expected}")
        }
        (_, Some((variable, expected))) => {
            let shown = match arg {
                Some(arg) if arg.is_hide_env_values_set() => "hidden".to_owned(),
                _ => format!("{value:?}"),
            };
            match std::error::Error::source(error).map(ToString::to_string) {
                Some(why) if why.starts_with("expected") => format!("{variable} is {shown}, {why}"),
                Some(why) => format!("{variable} is {shown}: {why}, expected: {expected}"),
                None => format!("{variable} is {shown}, expected: {expected}"),
            }
        }
        (_, None) => {
            let text = error.render().to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_owned()
        }
    }
}

/// The argument that is shown as `--listen <LISTEN>`.
fn find<'a>(command: &'a Command, shown: &str) -> Option<&'a Arg> {
    let long = shown.split_whitespace().next()?.strip_prefix("--")?;
    command.get_arguments().find(|arg| arg.get_long() == Some(long))
}

/// The name people set it by.
fn variable(arg: &Arg) -> String {
    let variable = arg.get_env().map(|name| name.to_string_lossy().into_owned());
    variable.unwrap_or_else(|| format!("--{}", arg.get_long().unwrap_or_default()))
}

/// What it is, from its help.
fn expected(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    help.split(['\n', ';']).next().unwrap_or_default().trim_end_matches('.').to_owned()
}
