//! What a page may ask of a search: none that reads a file of its own choice or starts a program, none that takes more than it is given.

use serde_json::{Value, json};
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

/// A file that players of pages may use: a network or weights. Pages call it by its name, never by its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// What pages write: `linear(file=NAME)`.
    pub name: String,
    /// Where it lies.
    pub path: String,
    /// The game it is for, if its name tells.
    pub game: Option<String>,
    /// A player that uses it.
    pub player: String,
}

impl Offer {
    /// As the catalogue shows it.
    pub fn json(&self) -> Value {
        json!({ "name": self.name, "game": self.game, "player": self.player })
    }
}

/// Parameters that multiply the work of one simulation, and the most that is granted.
const MULTIPLIERS: [(&str, u64); 4] = [("n", 1000), ("trees", 64), ("multipv", 100), ("batch", 4096)];

/// Parameters that name files.
const FILES: [&str; 2] = ["file", "moves"];

/// The player in the game of this name, with threads and memory as they are granted, and with the files that are offered.
pub fn admit(player: &Player, game: &str, limits: &Limits, offers: &[Offer]) -> Result<Player, TextError> {
    let player = player.in_game(game)?;
    if !player.programs().is_empty() {
        return Err(TextError::new("a page starts no programs: name one of our own searches"));
    }
    for part in player.parts() {
        let most = |key: &str, most: u64| -> Result<(), TextError> {
            let Some(value) = part.get(key) else { return Ok(()) };
            let asked: f64 = value.value()?;
            let fits = asked <= most as f64;
            if fits { Ok(()) } else { Err(value.error(format!("{key} goes up to {most} here"))) }
        };
        most("threads", limits.threads as u64)?;
        most("hash", limits.hash as u64)?;
        MULTIPLIERS.iter().try_for_each(|&(key, bound)| most(key, bound))?;
        if let Some(size) =
            part.get("random").filter(|size| random_network_bytes(&size.name) > (limits.hash as u64) << 20)
        {
            return Err(size.error(format!("a random network has at most {} MiB here", limits.hash)));
        }
    }
    let with_files = player.map_keyed(&mut |key, value| {
        if !FILES.contains(&key) {
            return Ok(None);
        }
        // Names are compared, never made into paths.
        match offers.iter().find(|offer| offer.name == value.name) {
            Some(offer) => Ok(Some(Spec::named(&offer.path))),
            None => Err(value.error(format!("a page reads no files but those that are offered: leave out {key}=…"))),
        }
    })?;
    Ok(with_files.granted(1, limits.hash.min(64), 1))
}

/// What the weights of `net(random=5x192)` take: two convolutions of 3x3 per block.
fn random_network_bytes(size: &str) -> u64 {
    let sizes = size.split_once('x').and_then(|(a, b)| Some((a.parse::<u64>().ok()?, b.parse::<u64>().ok()?)));
    sizes.map_or(0, |(blocks, channels)| {
        blocks.saturating_mul(channels).saturating_mul(channels).saturating_mul(2 * 9 * 4)
    })
}

/// The name of the game that a text names with its rules: `go9` of `go9(komi=6.5)`.
pub(crate) fn game_name(text: &str) -> Result<String, TextError> {
    Ok(text.parse::<Spec>()?.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_in(game: &str, player: &str, offers: &[Offer]) -> Result<String, String> {
        let player: Player = player.parse().unwrap();
        let admitted = admit(&player, game, &Limits::default(), offers);
        admitted.map(|player| player.to_string()).map_err(|error| error.message)
    }

    fn asked(player: &str) -> Result<String, String> {
        asked_in("minishogi", player, &[])
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
            "mcss + guided(quiet(linear),file=x.policy)",
        ] {
            let error = asked(player).unwrap_err();
            assert!(error.contains("no files") || error.contains("no programs"), "{player}: {error}");
        }
        let error = asked_in("blokus-duo", "uct + blokus(rollout,moves=/etc/passwd)", &[]).unwrap_err();
        assert!(error.contains("no files"), "{error}");
    }

    #[test]
    fn files_that_are_offered_are_used_by_their_name() {
        let offer = |name: &str, path: &str| Offer {
            name: name.to_string(),
            path: path.to_string(),
            game: None,
            player: String::new(),
        };
        let offers = [offer("a.nnue", "/data/weights/a.nnue")];
        let asked = |player: &str| asked_in("minishogi", player, &offers);
        assert!(asked("alpha-beta + nnue(file=a.nnue)").unwrap().contains("/data/weights/a.nnue"));
        assert!(asked("mate-first(mcss) + quiet(nnue(file=a.nnue))").unwrap().contains("/data/weights/a.nnue"));
        for wrong in ["/data/weights/a.nnue", "b.nnue", "./a.nnue", "../weights/a.nnue", "A.NNUE"] {
            let error = asked(&format!("alpha-beta + nnue(file={wrong})")).unwrap_err();
            assert!(error.contains("no files but those"), "{wrong}: {error}");
        }
    }

    #[test]
    fn no_player_takes_more_than_is_granted() {
        assert_eq!(asked("mcss(t=80)").unwrap(), "mcss(t=80,threads=1,hash=64)");
        assert_eq!(asked("level(3)").unwrap().split('(').next(), Some("weakened"));
        assert!(asked("mcss(hash=1000000)").unwrap_err().contains("hash goes up to 256"));
        assert!(asked("mate-first(mcss(threads=64))").unwrap_err().contains("threads goes up to 1"));
        assert!(asked("uct + rollout(n=99999999)").unwrap_err().contains("n goes up to"));
        assert!(asked("puct + net(random=64x512)").unwrap_err().contains("at most 256 MiB"));
        assert!(asked("puct + net(random=5x64)").is_ok());
    }
}
