//! Networks and weights that players of pages may use: found once, when the studio starts, and called by their names.

use std::path::{Path, PathBuf};

use yomi_page::Offer;
use yomi_session::game_names;

/// How deep below a folder they lie.
const DEPTH: u32 = 2;
/// No list is longer.
const MOST: usize = 200;

/// A player that uses a file of this ending; `FILE` stands for its name.
const PLAYERS: [(&str, &str); 6] = [
    ("nnue", "alpha-beta + nnue(file=FILE)"),
    ("linear", "alpha-beta + linear(file=FILE)"),
    ("weights", "alpha-beta + learned(unit=value,file=FILE)"),
    ("policy", "mcss(t=80) + guided(quiet(linear),file=FILE)"),
    ("safetensors", "puct + net(file=FILE)"),
    ("onnx", "puct + net(file=FILE)"),
];

/// Policies of moves are of a game; those of shogi and minishogi stand above.
fn policy_player(game: &str) -> Option<&'static str> {
    match game {
        "blokus-duo" => Some("mcss(t=8) + guided(learned(unit=value),file=FILE)"),
        game if game.starts_with("go") => Some("prior-rave + guided(rollout(patterns),file=FILE)"),
        _ => None,
    }
}

/// The files of these folders that players can use, in order of their names.
pub fn offers(folders: &[PathBuf]) -> Vec<Offer> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| walk(folder, "", DEPTH, &mut found));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.name == b.name);
    found.truncate(MOST);
    found
}

fn walk(folder: &Path, prefix: &str, depth: u32, found: &mut Vec<Offer>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, Ok(own)) = (entry.path(), entry.file_name().into_string()) else { continue };
        let name = format!("{prefix}{own}");
        if path.is_dir() {
            if depth > 0 {
                walk(&path, &format!("{name}-"), depth - 1, found);
            }
        } else if let Some(offer) = offer(&path, &own, &name) {
            found.push(offer);
        }
    }
}

/// What a file is good for, by its name.
fn offer(path: &Path, own: &str, name: &str) -> Option<Offer> {
    let ending = path.extension()?.to_str()?;
    let (_, player) = PLAYERS.iter().find(|(other, _)| *other == ending)?;
    // A name of letters that players' texts keep as they are.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !name.chars().all(plain) {
        return None;
    }
    // The longest name fits: go19, not go1.
    let game = game_names().filter(|game| own.starts_with(game)).max_by_key(|game| game.len());
    let of_game = game.filter(|_| ending == "policy").and_then(policy_player);
    let player = of_game.unwrap_or(player);
    Some(Offer {
        name: name.to_string(),
        path: path.to_string_lossy().into_owned(),
        game: game.map(str::to_string),
        player: player.replace("FILE", name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_offered_by_names_that_are_no_paths() {
        let folder = std::env::temp_dir().join(format!("yomi-studio-weights-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("nets/deep/deeper")).unwrap();
        for file in [
            "minishogi.nnue",
            "nets/go9.safetensors",
            "nets/deep/x.onnx",
            "nets/deep/deeper/y.onnx",
            "notes.txt",
            "a b.linear",
            "go9.policy",
            "blokus-duo.policy",
        ] {
            std::fs::write(folder.join(file), "").unwrap();
        }
        let found = offers(std::slice::from_ref(&folder));
        std::fs::remove_dir_all(&folder).unwrap();
        let names: Vec<&str> = found.iter().map(|offer| offer.name.as_str()).collect();
        assert_eq!(
            names,
            ["blokus-duo.policy", "go9.policy", "minishogi.nnue", "nets-deep-x.onnx", "nets-go9.safetensors"]
        );
        let games: Vec<Option<&str>> = found.iter().map(|offer| offer.game.as_deref()).collect();
        assert_eq!(games, [Some("blokus-duo"), Some("go9"), Some("minishogi"), None, Some("go9")]);
        assert_eq!(found[2].player, "alpha-beta + nnue(file=minishogi.nnue)");
        assert_eq!(found[0].player, "mcss(t=8) + guided(learned(unit=value),file=blokus-duo.policy)");
        assert_eq!(found[1].player, "prior-rave + guided(rollout(patterns),file=go9.policy)");
    }
}
