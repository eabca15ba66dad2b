//! Secrets that must not be recorded: values that are, or are named like, passwords, tokens and keys.

/// Parts of names whose values are not recorded.
const NAMES: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "credential",
    "private_key",
    "auth",
    "session_id",
    "cookie",
];
/// Prefixes of well-known kinds of secrets.
const PREFIXES: [&str; 10] =
    ["ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "sk-", "AKIA", "eyJ", "-----BEGIN"];
/// Length from which a run of letters and digits can look random.
const RANDOM_RUN: usize = 20;

/// Whether a name suggests a secret.
pub(crate) fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|part| name.contains(part))
}

/// Whether a text looks like a secret itself.
pub(crate) fn looks_secret(text: &str) -> bool {
    if PREFIXES.iter().any(|prefix| text.starts_with(prefix)) && text.len() >= 12 {
        return true;
    }
    text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|run| run.len() >= RANDOM_RUN).any(|run| {
        let has = |test: fn(&char) -> bool| run.chars().filter(test).count() >= 3;
        has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_name_and_by_look() {
        assert!(names_secret("DB_PASSWORD") && names_secret("access_token") && !names_secret("passed"));
        assert!(looks_secret("ghp_16C7e42F292c6912E7710c838347Ae178B4a"));
        assert!(looks_secret("d41d8cd98f00b204e9800998ecf8427e"));
        assert!(!looks_secret("a sentence of ordinary words, quite long"));
        assert!(!looks_secret("utf-8") && !looks_secret("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    }
}
