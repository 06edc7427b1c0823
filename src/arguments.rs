//! Arguments that several commands share: where to start, who plays, and what it may spend.

use std::cell::Cell;

use anyhow::Context;
use yomi_core::{Line, Spec, TextError};
use yomi_net::open::Choice;
use yomi_protocol::server::gtp::Players;
use yomi_session::player::NetworkChoice;
use yomi_session::{Budget, Game, Player, Session, parse_moves};

use crate::known;

/// The command as it was typed, for manifests: words that a shell would split are in quotes.
pub(crate) fn typed() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    let word = |word: std::ffi::OsString| {
        let word = word.to_string_lossy().into_owned();
        let bare = !word.is_empty() && word.chars().all(plain);
        if bare { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    ["yomi".to_string()].into_iter().chain(std::env::args_os().skip(1).map(word)).collect::<Vec<_>>().join(" ")
}

/// Which player: the same options wherever there is one.
#[derive(clap::Args)]
pub(crate) struct PlayerArgs {
    /// The search and its evaluation: 'mcss(t=80) + quiet(material)'; if left out, the strongest of the game
    #[arg(long, value_name = "PLAYER")]
    pub(crate) player: Option<Player>,
    /// A named strength instead, 1 to 9; yomi levels lists them
    #[arg(long, value_name = "N", conflicts_with = "player", value_parser = clap::value_parser!(u8).range(1..=9))]
    pub(crate) level: Option<u8>,
    /// A network as the evaluation, if the player names none: net(file=FILE)
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    pub(crate) net: Option<String>,
    /// What evaluates the network: auto, cpu, cuda, cuda:1
    #[arg(long, value_name = "DEVICE", requires = "net", default_value = "auto")]
    pub(crate) net_device: String,
    /// Positions that the network is asked about at once; 0 for the default of the device
    #[arg(long, value_name = "N", requires = "net", default_value_t = 0)]
    pub(crate) net_batch: u32,
}

impl PlayerArgs {
    /// The player that was asked for, in the game of this name.
    pub(crate) fn in_game(&self, game: &str) -> Result<Player, TextError> {
        let player = Player::chosen(self.player.as_ref(), self.level, game)?;
        // The usual player names an evaluation; a network takes its place.
        let by_network = self.player.is_none() && self.net.is_some();
        Ok(if by_network { "puct".parse()? } else { player }.with_network(&self.network()))
    }

    fn network(&self) -> NetworkChoice {
        let file = self.net.clone().unwrap_or_default();
        NetworkChoice { file, device: self.net_device.clone(), batch: self.net_batch }
    }

    /// The same on boards of every size, for servers.
    pub(crate) fn on_every_board(&self, budget: BudgetArgs) -> Players {
        let player = match (&self.player, &self.net) {
            (None, Some(_)) => "puct".parse().ok(),
            (player, _) => player.clone(),
        };
        Players {
            player: player.map(|player: Player| player.with_network(&self.network())),
            level: self.level,
            budget: budget.into(),
            level_in_force: Cell::default(),
        }
    }
}

/// What a player may spend on a move: whichever comes first.
#[derive(Clone, Copy, Default, Debug, clap::Args)]
pub(crate) struct BudgetArgs {
    /// Simulations (samples of a tree search, playouts of flat Monte Carlo)
    #[arg(long, value_name = "N")]
    pub(crate) sims: Option<u64>,
    /// Evaluated positions
    #[arg(long, value_name = "N")]
    pub(crate) evals: Option<u64>,
    /// Nodes
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Plies below the root
    #[arg(long, value_name = "PLIES")]
    pub(crate) depth: Option<u32>,
    /// Seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time: Option<f64>,
}

impl From<BudgetArgs> for Budget {
    fn from(args: BudgetArgs) -> Budget {
        let BudgetArgs { sims, evals, nodes, depth, time } = args;
        Budget { sims, evals, nodes, depth, time }
    }
}

/// How a command plays games of networks: shared by self-play, training and rating.
#[derive(clap::Args)]
pub(crate) struct NetworkRunArgs {
    /// Where networks are evaluated: auto, cpu, cuda, cuda:1
    #[arg(long, default_value = "auto", value_name = "DEVICE")]
    device: String,
    /// Threads that play games
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// JSON instead of lines to read
    #[arg(long)]
    pub(crate) json: bool,
}

impl NetworkRunArgs {
    /// The device that was asked for.
    pub(crate) fn device(&self) -> Result<Choice, TextError> {
        Choice::parse(&self.device)
    }

    /// The threads, of which there is at least one.
    pub(crate) fn threads(&self) -> usize {
        self.threads.clamp(1, 1024)
    }
}

/// Where a command starts from: shared by all that take a position.
#[derive(clap::Args)]
pub(crate) struct PositionArgs {
    /// The game and its rules: shogi, minishogi, go9, go13, go19 (goN), blokus-duo; see `yomi games`
    #[arg(long, short, value_name = "GAME", value_parser = known::game(), hide_possible_values = true)]
    pub(crate) game: Spec,
    /// The position in the game's own text (SFEN for shogi); the start position if left out
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) position: Option<String>,
    /// Moves to play from there, separated by spaces
    #[arg(long, short, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
}

impl PositionArgs {
    /// A session at the position that the arguments describe.
    pub(crate) fn open(&self) -> anyhow::Result<Box<dyn Session>> {
        let mut session = yomi_session::open(&self.game)?;
        if let Some(text) = &self.position {
            session.set_position(Some(text)).context("--position")?;
        }
        session.play_line(self.moves.as_deref().unwrap_or_default()).map_err(of_moves)?;
        Ok(session)
    }

    /// The same as a line of positions of one type, given the start position of the game.
    pub(crate) fn line<P: Game>(&self, start: P) -> anyhow::Result<Line<P>> {
        let mut line = Line::new(match &self.position {
            None => start,
            Some(text) => start.parse_position(text).context("--position")?,
        });
        parse_moves(&mut line, self.moves.as_deref().unwrap_or_default()).map_err(of_moves)?;
        Ok(line)
    }
}

/// An error about a move, which it names by its number, as one of the option.
pub(crate) fn of_moves(error: TextError) -> TextError {
    TextError { message: format!("--moves, {}", error.message), ..error }
}
