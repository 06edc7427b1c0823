//! Where the password for a server comes from.

use anyhow::{Context, ensure};
use yomi_core::file::read_text_file;

/// The environment variable that may hold the password.
pub(super) const VARIABLE: &str = "YOMI_CSA_PASSWORD";

/// No file with a password is larger, in bytes.
const LARGEST_FILE: u64 = 64 << 10;

/// The ways to hand over a password, besides the environment and the terminal.
#[derive(clap::Args)]
pub(super) struct PasswordArgs {
    /// The password, visible to all who can list the processes of this machine
    #[arg(long, value_name = "WORD", conflicts_with = "password_file")]
    password: Option<String>,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<String>,
}

impl PasswordArgs {
    /// The password: from the command line, from the file, from the environment, or typed at the terminal, which does not show it.
    pub(super) fn get(&self) -> anyhow::Result<String> {
        if self.password.is_some() {
            eprintln!(
                "yomi: --password shows in the list of processes; --password-file, the variable {VARIABLE} and the prompt do not"
            );
        }
        let ask = || {
            rpassword::prompt_password("Password: ").with_context(|| {
                format!("no terminal to ask for the password: use --password-file or set the variable {VARIABLE}")
            })
        };
        self.choose(std::env::var(VARIABLE).ok(), ask)
    }

    fn choose(&self, variable: Option<String>, ask: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<String> {
        let (password, place) = match (&self.password, &self.password_file, variable) {
            (Some(word), ..) => (word.clone(), "--password"),
            (_, Some(file), _) => {
                let text = read_text_file(file, LARGEST_FILE).map_err(|error| anyhow::anyhow!(error.message))?;
                (text.lines().next().unwrap_or_default().to_string(), "the first line of --password-file")
            }
            (_, _, Some(word)) => (word, VARIABLE),
            _ => (ask()?, "the password"),
        };
        // A line break would be a command of its own, and the password itself is never shown.
        ensure!(
            !password.is_empty() && !password.contains(char::is_whitespace),
            "{place} must be one word: not empty, and without blanks"
        );
        Ok(password)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> anyhow::Result<String> {
        Ok("typed".to_string())
    }

    fn unasked() -> anyhow::Result<String> {
        panic!("no prompt is expected")
    }

    #[test]
    fn passwords_come_from_the_nearest_place() {
        let path = std::env::temp_dir().join(format!("yomi-password-{}", std::process::id()));
        std::fs::write(&path, "floodgate-300-10F,filed\nsecond line\n").unwrap();
        let filed = path.to_str().map(str::to_string);
        let args = |password: Option<&str>, password_file: Option<String>| PasswordArgs {
            password: password.map(str::to_string),
            password_file,
        };
        let variable = || Some("environment".to_string());
        assert_eq!(args(Some("said"), None).choose(variable(), unasked).unwrap(), "said");
        assert_eq!(args(None, filed).choose(variable(), unasked).unwrap(), "floodgate-300-10F,filed");
        assert_eq!(args(None, None).choose(variable(), unasked).unwrap(), "environment");
        assert_eq!(args(None, None).choose(None, asked).unwrap(), "typed");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_no_password_is_refused_without_being_shown() {
        for wrong in ["", "two words", "a\nLOGOUT"] {
            let args = PasswordArgs { password: Some(wrong.to_string()), password_file: None };
            let error = args.choose(None, unasked).unwrap_err().to_string();
            assert_eq!(error, "--password must be one word: not empty, and without blanks");
        }
        let missing = PasswordArgs { password: None, password_file: Some("/no/such/file".to_string()) };
        assert!(missing.choose(None, unasked).unwrap_err().to_string().starts_with("/no/such/file: "));
    }
}
