//! From the game that a configuration names to its evaluation, simulation policy and records.

use yomi_core::{Notation, Spec, TextError};
use yomi_eval::blokus::{Learned, Weights};
use yomi_eval::rollout::Patterns;
use yomi_eval::rollout::patterns::Rules;
use yomi_eval::simulation::LARGEST_POLICY;
use yomi_eval::{MoveFeatures, SimulationPolicy};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go, Go9, Go13, Go19};
use yomi_games::shogi::{Five, Nine, Shogi, Variant};
use yomi_search::QuietOptions;

use super::{Config, Purpose};
use crate::model::{Controlled, LinearBlokus, LinearShogi, Model, PlayedOut};
use crate::prior::Start;
use crate::records::{self, Library};

/// Leaves are judged exactly, however bad: a learner differentiates them.
pub const QUIET: QuietOptions =
    QuietOptions { depth: 3, checks: 0, nodes: 16, exchange: true, futility: 100, window: 0, lazy: false, pawn: 87.0 };

/// Playouts per position of Go: siblings are judged once and never again, so single ones freeze the search on a lucky line.
const PLAYOUTS: u32 = 4;

pub(super) fn prepare<T: Purpose>(config: Config, purpose: T) -> Result<T::Made, TextError> {
    let game = Spec::parse(&config.game)?;
    let board: Option<usize> = game.name.strip_prefix("go").and_then(|size| size.parse().ok());
    match (game.name.as_str(), board) {
        ("minishogi", _) => shogi::<Five, T>(config, purpose),
        ("shogi", _) => shogi::<Nine, T>(config, purpose),
        ("blokus-duo", _) => blokus(config, purpose),
        (_, Some(size)) if Go9::SIZES.contains(&size) => go(config, &Go9::start(&game)?, purpose),
        (_, Some(size)) if Go13::SIZES.contains(&size) => go(config, &Go13::start(&game)?, purpose),
        (_, Some(size)) if Go19::SIZES.contains(&size) => go(config, &Go19::start(&game)?, purpose),
        (other, _) => Err(TextError::new(format!(
            "{other} has no evaluation to learn; shogi, minishogi and blokus-duo have, and go2 to go19 a simulation policy"
        ))),
    }
}

/// Records are read for shogi and minishogi alone.
fn without_records<T>(config: &Config, value: T) -> Result<T, TextError> {
    match config.records.is_empty() {
        true => Ok(value),
        false => Err(TextError::new(format!("records are of shogi or minishogi, not of {}", config.game))),
    }
}

fn shogi<V: Variant, T: Purpose>(config: Config, purpose: T) -> Result<T::Made, TextError> {
    let records = records::read::<V>(&config.records);
    let model = LinearShogi::<V>::new(QUIET, config.start()?, config.k as f32);
    with_control(config, model, Shogi::<V>::default(), records, purpose)
}

fn blokus<T: Purpose>(config: Config, purpose: T) -> Result<T::Made, TextError> {
    let start = match config.start()? {
        Start::Nothing => Weights::default(),
        Start::Embedded => Learned::embedded_weights(),
        Start::Material => return Err(TextError::new("start: blokus-duo begins with nothing or embedded")),
    };
    let records = without_records(&config, Library::default())?;
    with_control(config, LinearBlokus::new(&start), BlokusDuo::default(), records, purpose)
}

/// Go is played out: its evaluation has no parameters, its simulation policy has.
fn go<const LEN: usize, T: Purpose>(config: Config, start: &Go<LEN>, purpose: T) -> Result<T::Made, TextError> {
    if !config.learns_control() {
        return Err(TextError::new(format!(
            "{}: positions of {} are judged by playouts, which have nothing to differentiate; imitation and the methods of S3 learn its \
             simulation policy",
            config.method, config.game
        )));
    }
    let model = PlayedOut { policy: Patterns::new(Rules::default()), games: PLAYOUTS };
    let records = without_records(&config, Library::default())?;
    let model = controlled(&config, model)?;
    purpose.make(config, model, start.clone(), records)
}

fn with_control<P, M, T>(
    config: Config,
    model: M,
    start: P,
    records: Library<P>,
    purpose: T,
) -> Result<T::Made, TextError>
where
    P: Notation + MoveFeatures,
    M: Model<P> + 'static,
    T: Purpose,
{
    if config.learns_control() {
        let model = controlled(&config, model)?;
        return purpose.make(config, model, start, records);
    }
    purpose.make(config, model, start, records)
}

/// The model with the simulation policy that the configuration begins with.
fn controlled<P: MoveFeatures, M: Model<P>>(config: &Config, model: M) -> Result<Controlled<P, M>, TextError> {
    let theta = match config.policy.as_str() {
        "even" => vec![0.0; P::feature_names().len()],
        "embedded" => P::embedded_policy(),
        file => {
            let text = yomi_core::file::read_text_file(file, LARGEST_POLICY)?;
            SimulationPolicy::<P>::read(&text).map_err(|error| error.context(file))?.theta().to_vec()
        }
    };
    Controlled::new(model, &theta)
}
