//! From the game that a configuration names to its evaluation, simulation policy and records: what a game says to learners is here.

use yomi_core::{Notation, Spec, TextError};
use yomi_eval::blokus::{Learned, Weights};
use yomi_eval::rollout::Patterns;
use yomi_eval::rollout::patterns::Rules;
use yomi_eval::simulation::LARGEST_POLICY;
use yomi_eval::{MoveFeatures, SimulationPolicy};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go;
use yomi_games::shogi::{Shogi, Variant};
use yomi_games::with_known_game;
use yomi_search::QuietOptions;

use super::defaults::Unit;
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
    with_known_game!(&game, |start| start.prepare(config, purpose), not_learned)
}

fn not_learned(game: &Spec) -> TextError {
    TextError::new(format!(
        "{} has no evaluation to learn; shogi, minishogi and blokus-duo have, and go2 to go19 a simulation policy",
        game.name
    ))
}

/// What the settings that a configuration leaves out are counted in; none for hundredths of a pawn.
pub(super) fn unit(game: &str) -> Option<Unit> {
    fn of<P: Learnable>(_: &P) -> Option<Unit> {
        P::UNIT
    }
    let named = |spec: &Spec| -> Result<Option<Unit>, TextError> {
        with_known_game!(spec, |start| Ok(of(&start)), not_learned)
    };
    named(&Spec::parse(game).ok()?).ok()?
}

/// A game with something to learn.
pub(super) trait Learnable: Notation + MoveFeatures {
    /// What its evaluation counts in; none for hundredths of a pawn.
    const UNIT: Option<Unit>;

    /// Its model, policy and records, for this purpose. The games begin at `self`.
    fn prepare<T: Purpose>(self, config: Config, purpose: T) -> Result<T::Made, TextError>;
}

/// Records are read for shogi and minishogi alone.
fn without_records<T>(config: &Config, value: T) -> Result<T, TextError> {
    match config.records.is_empty() {
        true => Ok(value),
        false => Err(TextError::new(format!("records are of shogi or minishogi, not of {}", config.game))),
    }
}

impl<V: Variant> Learnable for Shogi<V>
where
    Shogi<V>: Notation + MoveFeatures,
{
    const UNIT: Option<Unit> = None;

    fn prepare<T: Purpose>(self, config: Config, purpose: T) -> Result<T::Made, TextError> {
        let records = records::read::<V>(&config.records);
        let model = LinearShogi::<V>::new(QUIET, config.start()?, config.k as f32);
        with_control(config, model, self, records, purpose)
    }
}

impl Learnable for BlokusDuo {
    /// The linear value of S1.2: its gain is 1/50.
    const UNIT: Option<Unit> = Some(Unit { k: 50.0, temperature: 4.0, search: 8.0, evaluations: 3000, imitated: None });

    fn prepare<T: Purpose>(self, config: Config, purpose: T) -> Result<T::Made, TextError> {
        let start = match config.start()? {
            Start::Nothing => Weights::default(),
            Start::Embedded => Learned::embedded_weights(),
            Start::Material => return Err(TextError::new("start: blokus-duo begins with nothing or embedded")),
        };
        let records = without_records(&config, Library::default())?;
        with_control(config, LinearBlokus::new(&start), self, records, purpose)
    }
}

/// Go is played out: its evaluation has no parameters, its simulation policy has.
impl<const LEN: usize> Learnable for Go<LEN>
where
    Go<LEN>: Notation + MoveFeatures,
{
    /// Results of games. Imitation learns from a search by mean results: it is far stronger with playouts, and imitation asks for no gradient.
    const UNIT: Option<Unit> =
        Some(Unit { k: 0.5, temperature: 0.05, search: 0.1, evaluations: 1000, imitated: Some("prior-rave(hash=16)") });

    fn prepare<T: Purpose>(self, config: Config, purpose: T) -> Result<T::Made, TextError> {
        if !config.learns_control() {
            return Err(TextError::new(format!(
                "{}: positions of {} are judged by playouts, which have nothing to differentiate; imitation and the methods of S3 learn \
                 its simulation policy",
                config.method, config.game
            )));
        }
        let model = PlayedOut { policy: Patterns::new(Rules::default()), games: PLAYOUTS };
        let records = without_records(&config, Library::default())?;
        let model = controlled(&config, model)?;
        purpose.make(config, model, self, records)
    }
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
