//! Engines for GTP and KataGo's analysis protocol from the text of a player.

use std::cell::Cell;

use yomi_core::TextError;
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_session::player::HIGHEST_LEVEL;
use yomi_session::{Budget, Playable, Player};

use super::{Builder, Engine};

/// The engine of every board: one player, or the default of the board. `budget` completes the player's own.
pub struct Players {
    /// The player; if none, the one of `level`.
    pub player: Option<Player>,
    /// A level of the game; the highest if none.
    pub level: Option<u8>,
    /// What it may spend where it says nothing itself.
    pub budget: Budget,
    /// The level that a controller has asked for, in place of the player.
    pub level_in_force: Cell<Option<u8>>,
}

impl Builder for Players {
    fn go9(&self) -> Result<Engine<Go9>, TextError> {
        self.engine("go9")
    }

    fn go13(&self) -> Result<Engine<Go13>, TextError> {
        self.engine("go13")
    }

    fn go19(&self) -> Result<Engine<Go19>, TextError> {
        self.engine("go19")
    }

    fn blokus(&self) -> Result<Engine<BlokusDuo>, TextError> {
        self.engine("blokus-duo")
    }

    fn set_level(&self, level: u8) -> Result<(), TextError> {
        if !(1..=HIGHEST_LEVEL).contains(&level) {
            return Err(TextError::new(format!("levels go from 1 to {HIGHEST_LEVEL}, not {level}")));
        }
        self.level_in_force.set(Some(level));
        Ok(())
    }
}

impl Players {
    /// The player in the game of this name.
    fn in_game(&self, game: &str) -> Result<Player, TextError> {
        match self.level_in_force.get() {
            Some(level) => Player::of_level(level, game),
            None => Player::chosen(self.player.as_ref(), self.level, game),
        }
    }

    /// The engine of a game. In Go the playouts of its search yield leads and owners.
    fn engine<P: Playable>(&self, game: &str) -> Result<Engine<P>, TextError> {
        let player = self.in_game(game)?;
        let limits = player.limits(&self.budget, 0)?;
        let mut forecaster = None;
        let search = player.build_observed(&mut |evaluator| {
            let (audible, forecasts) = P::forecast(evaluator);
            forecaster = forecasts;
            audible
        })?;
        Ok(Engine { search, win: player.win::<P>()?, limits, forecaster })
    }
}
