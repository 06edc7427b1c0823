//! Players by their level: `level(3)`.

use yomi_core::{Spec, TextError};

use super::Player;
use super::defaults::{Defaults, HIGHEST_LEVEL, defaults};

/// The word for a level among players.
const LEVEL: &str = "level";

/// The table of a game.
pub(crate) fn table(game: &str) -> Result<&'static Defaults, TextError> {
    defaults(game).ok_or_else(|| TextError::new(format!("{game} has no levels")))
}

impl Player {
    /// The player of a level in the game of this name.
    pub fn of_level(level: u8, game: &str) -> Result<Player, TextError> {
        let text = table(game)?.level(level);
        text.ok_or_else(|| TextError::new(format!("levels go from 1 to {HIGHEST_LEVEL}, not {level}")))?.parse()
    }

    /// The player that was asked for by its text or by a level, in the game of this name; the strongest if neither was.
    pub fn chosen(player: Option<&Player>, level: Option<u8>, game: &str) -> Result<Player, TextError> {
        match player {
            Some(player) => player.in_game(game),
            None => Player::of_level(level.unwrap_or(HIGHEST_LEVEL), game),
        }
    }

    /// What `level(3)` stands for in the game of this name; any other player is what it says. An evaluation or a budget beside the
    /// word takes the place of the level's own.
    pub fn in_game(&self, game: &str) -> Result<Player, TextError> {
        if self.search.name != LEVEL {
            return Ok(self.clone());
        }
        let number: &Spec =
            self.search.positional(0).ok_or_else(|| self.search.error("a level has a number: level(3)"))?;
        let level = Player::of_level(number.value()?, game).map_err(|error| number.error(error.message))?;
        self.search.reject_unused()?;
        let budget = self.budget.completed_by(level.budget);
        Ok(Player { evaluator: self.evaluator.clone().or(level.evaluator), budget, search: level.search })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FAMILIES, Playable, with_game};

    fn read(text: &str, game: &str) -> String {
        text.parse::<Player>().unwrap().in_game(game).map_or_else(|error| error.to_string(), |found| found.to_string())
    }

    #[test]
    fn levels_stand_for_players() {
        let table = table("minishogi").unwrap();
        assert_eq!(read("level(9)", "minishogi"), table.player);
        assert_eq!(read("level(1)", "minishogi"), table.levels[0].player);
        assert_eq!(read("level(9) nodes=77", "minishogi"), format!("{} nodes=77", table.player));
        assert_eq!(read("mcss(t=80)", "minishogi"), "mcss(t=80)");
        assert!(read("level(10)", "go9").starts_with("levels go from 1 to 9"));
        assert!(read("level", "go9").contains("level(3)"));
        assert!(read("level(3,t=2)", "go9").contains("no parameter called t"));
    }

    #[test]
    fn every_level_of_every_game_can_be_built() -> Result<(), TextError> {
        fn check<P: Playable>(_: &P, game: &str) {
            for number in 1..=HIGHEST_LEVEL {
                let player = Player::of_level(number, game).unwrap();
                player.build::<P>().map(drop).unwrap_or_else(|error| panic!("{game} {number}: {error}"));
                let bounded = player.budget.limits(yomi_core::Seed::new(0)).is_bounded();
                assert_eq!(bounded, number < HIGHEST_LEVEL, "{game} {number}");
            }
        }
        for game in FAMILIES.iter().map(|family| family.names[0]) {
            with_game!(&Spec::named(game), |start| check(&start, game));
        }
        Ok(())
    }
}
