//! What a page may ask of a search: none that reads a file or starts a program, none that takes more than it is given.

use yomi_core::{Spec, TextError};
use yomi_session::Player;

/// What a search of a page may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Simulations, evaluations or nodes of one search.
    pub simulations: u64,
    /// Seconds of one search.
    pub seconds: f64,
    /// Threads of one search.
    pub threads: usize,
    /// Mebibytes of one search.
    pub hash: usize,
    /// Searches at the same time.
    pub searches: usize,
}

impl Default for Limits {
    /// What one page on a small machine may take.
    fn default() -> Limits {
        Limits { simulations: 100_000_000, seconds: 600.0, threads: 1, hash: 256, searches: 4 }
    }
}

/// Parameters that multiply the work of one simulation, and the most that is granted.
const MULTIPLIERS: [(&str, u64); 4] = [("n", 1000), ("trees", 64), ("multipv", 100), ("batch", 4096)];

/// The player in the game of this name, with threads and memory as they are granted.
pub fn admit(player: &Player, game: &str, limits: &Limits) -> Result<Player, TextError> {
    let player = player.in_game(game)?;
    if !player.programs().is_empty() {
        return Err(TextError::new("a page starts no programs: name one of our own searches"));
    }
    for part in player.parts() {
        if part.get("file").is_some() {
            return Err(part.error("a page reads no files: leave out file=…"));
        }
        let most = |key: &str, most: u64| -> Result<(), TextError> {
            let Some(value) = part.get(key) else { return Ok(()) };
            let asked: f64 = value.value()?;
            let fits = asked <= most as f64;
            if fits { Ok(()) } else { Err(value.error(format!("{key} goes up to {most} here"))) }
        };
        most("threads", limits.threads as u64)?;
        most("hash", limits.hash as u64)?;
        MULTIPLIERS.iter().try_for_each(|&(key, bound)| most(key, bound))?;
    }
    Ok(player.granted(1, limits.hash.min(64), 1))
}

/// The name of the game that a text names with its rules: `go9` of `go9(komi=6.5)`.
pub(crate) fn game_name(text: &str) -> Result<String, TextError> {
    Ok(text.parse::<Spec>()?.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(player: &str) -> Result<String, String> {
        let player: Player = player.parse().unwrap();
        let admitted = admit(&player, "minishogi", &Limits::default());
        admitted.map(|player| player.to_string()).map_err(|error| error.message)
    }

    #[test]
    fn neither_files_nor_programs_are_named() {
        for player in [
            "usi(engine)",
            "gtp:gnugo --mode gtp",
            "mate-first(book(mcss,file=/etc/passwd))",
            "mcss + quiet(linear(file=/etc/passwd))",
            "mcss + net(file=x.onnx)",
            "knowledge(\"gnugo --mode gtp\",uct)",
            "alpha-beta + linear(file=../../secret)",
        ] {
            let error = asked(player).unwrap_err();
            assert!(error.contains("no files") || error.contains("no programs"), "{player}: {error}");
        }
    }

    #[test]
    fn nobody_takes_more_than_is_granted() {
        assert_eq!(asked("mcss(t=80)").unwrap(), "mcss(t=80,threads=1,hash=64)");
        assert_eq!(asked("level(3)").unwrap().split('(').next(), Some("weakened"));
        assert!(asked("mcss(hash=1000000)").unwrap_err().contains("hash goes up to 256"));
        assert!(asked("mate-first(mcss(threads=64))").unwrap_err().contains("threads goes up to 1"));
        assert!(asked("uct + rollout(n=99999999)").unwrap_err().contains("n goes up to"));
    }
}
