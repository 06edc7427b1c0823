//! Networks that learn from games against themselves.
//!
//! Read it in this order:
//!
//! 1. [`samples`]: positions with what a network should say about them, and the files they are kept in.
//! 2. [`game`] and [`target`]: what a game adds to learning from it, and what a search teaches.
//! 3. [`live`] and [`self_play`]: many games on one device, whose network may be replaced while they are played.
//! 4. [`trainer`]: who turns samples into better networks: [`trainer::native`] on the CPU, [`trainer::python`] at scale.
//! 5. [`policy_gradient`]: S0.8 with a network as evaluation, gradients through the tree of a search into the tower.
//! 6. [`contest`]: which of two networks is better.
//! 7. [`run`], [`tally`] and [`dispatch`]: self-play, training, next generation; stopped and resumed at any time.
//! 8. [`farm`] and [`worker`]: games that are played elsewhere.

pub mod contest;
pub mod dispatch;
pub mod farm;
pub mod files;
pub mod game;
pub mod live;
mod noise;
pub mod open;
pub mod policy_gradient;
pub mod run;
pub mod samples;
pub mod self_play;
pub mod tally;
pub mod target;
pub mod trainer;
pub mod worker;

pub use game::Trainable;
pub use live::Live;
