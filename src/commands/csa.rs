//! `yomi csa`: games on a shogi server.

mod password;

use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use yomi_core::text::counted;
use yomi_core::{Notation, Seed, Spec};
use yomi_games::shogi::records::{self, Format};
use yomi_games::shogi::{Nine, Shogi9};
use yomi_protocol::csa::{self, Login, Options, Played};
use yomi_protocol::server::Console;
use yomi_protocol::server::usi::Engine;

use self::password::PasswordArgs;
use crate::arguments::PlayerArgs;
use crate::files;

/// Play shogi on a server of the CSA protocol (floodgate, shogi-server)
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi csa localhost --user yomi --games 10 --out games
  yomi csa wdoor.c.u-tokyo.ac.jp --user Yomi --password-file trip --floodgate

The password comes from --password-file, from the environment variable
YOMI_CSA_PASSWORD, or is asked for at the terminal without being shown. On
floodgate it is the name of the game and a trip: floodgate-300-10F,secret.
Each game gets a connection of its own; its record is written as CSA.")]
pub(crate) struct Args {
    /// The server, with a port unless it is 4081
    #[arg(value_name = "HOST[:PORT]")]
    server: String,
    /// The name on the server
    #[arg(long)]
    user: String,
    #[command(flatten)]
    password: PasswordArgs,
    /// The game: servers play shogi
    #[arg(long, short, value_name = "GAME", default_value = "shogi")]
    game: Spec,
    #[command(flatten)]
    player: PlayerArgs,
    /// How many games to play
    #[arg(long, default_value_t = 1, value_name = "N")]
    games: u32,
    /// Where the records go
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    out: PathBuf,
    /// What a move may lose on its way to the server, in milliseconds
    #[arg(long, default_value_t = 500, value_name = "MS")]
    margin: u64,
    /// Give up when the score, in hundredths of a pawn, is worse than minus this
    #[arg(long, default_value_t = 99_999, value_name = "SCORE")]
    resign: i64,
    /// Send score and line with each move, as floodgate shows them
    #[arg(long)]
    floodgate: bool,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The port of shogi servers.
const PORT: u16 = 4081;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.game.name != "shogi" {
        bail!("servers of this protocol play shogi, not {}", args.game.name);
    }
    Shogi9::start(&args.game)?;
    // A line break would be a command of its own.
    if args.user.is_empty() || args.user.contains(char::is_whitespace) {
        bail!("--user must be one word: not empty, and without blanks");
    }
    let password = args.password.get()?;
    let mut engine = Engine::<Nine>::of(&args.player.in_game(&args.game.name)?)?;
    let address = if args.server.contains(':') { args.server.clone() } else { format!("{}:{PORT}", args.server) };
    let login = Login { user: args.user.clone(), password };
    for number in 1..=args.games {
        let stream = TcpStream::connect(&address).with_context(|| format!("cannot reach {address}"))?;
        let _ = stream.set_nodelay(true);
        let mut console = Console::new(stream.try_clone()?, stream);
        let options = Options {
            margin: Duration::from_millis(args.margin),
            resign_value: args.resign,
            floodgate: args.floodgate,
            seed: Seed::new(args.seed).branch("game", number.into()),
            ..Options::default()
        };
        let played = csa::play(&mut console, &login, &mut engine, &options)?;
        let path = save(&played, &args.out, number)?;
        let [black, white] = &played.summary.names;
        let moves = counted(played.record.moves().len() as u64, "move", "moves");
        let (result, reason) = (played.result, &played.reason);
        writeln!(out, "game {number}: {black} - {white}, {result:?} by {reason} after {moves}, {}", path.display())?;
        out.flush()?;
    }
    Ok(())
}

/// Writes the record under the server's name for the game, as far as that can be the name of a file.
fn save(played: &Played, directory: &Path, number: u32) -> anyhow::Result<PathBuf> {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '_' };
    let name: String = played.summary.id.chars().take(100).map(safe).collect();
    let name = name.trim_start_matches('.');
    let name = if name.is_empty() { format!("game-{number}") } else { name.to_string() };
    let path = directory.join(format!("{name}.csa"));
    let text = records::write(&played.record, Format::Csa)?;
    files::write(&path, text.as_bytes(), &mut std::io::sink())?;
    Ok(path)
}
