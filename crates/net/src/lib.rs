//! Policy and value networks: residual towers over the boards of the four games.
//!
//! Read it in this order:
//!
//! 1. [`input`]: packed positions, planes, and what a move changes in them; [`label`]: moves as outputs of the policy head.
//! 2. [`architecture`], [`network`], [`safetensors`]: which networks there are, their weights, their files; `fold` prepares them for use.
//! 3. [`cpu`]: the backend that is always there: a plain reference, and kernels that are fast.
//! 4. [`backend`]: how searches ask, whatever computes the answers; [`cuda`]: the backend for NVIDIA's GPUs;
//!    [`open`]: the choice among them, and why; [`spare`]: what happens when a device fails, or is found to be wrong.
//! 5. [`evaluator`]: a network as an evaluation of a search; [`cache`]: answers kept; [`steps`]: where its time goes.
//! 6. [`onnx`]: networks for other programs, and networks of dlshogi.
//!
//! [`symmetry`] is how positions look turned or mirrored, for trainers. [`sample`] and [`measure`] are for checks and measurements. `docs/networks.md` describes planes, labels, tensors and measured speeds.
//!
//! A network that has learned nothing, through a file and as an evaluation of a search:
//!
//! ```
//! use yomi_core::{Answer, Evaluator, Position, Question, Seed, Want};
//! use yomi_games::shogi::Minishogi;
//! use yomi_net::input::Encode;
//! use yomi_net::open::{Choice, open};
//! use yomi_net::{Architecture, NetEvaluator, Network};
//!
//! let (start, mut moves) = (Minishogi::default(), Vec::new());
//! start.generate(&mut moves);
//! let network = Network::random(Architecture::new(start.layout(), 1, 8), Seed::new(1))?;
//! let network = Network::read(&network.write())?;
//! let net = NetEvaluator::new(open(&network, Choice::Cpu, 1)?.backend);
//!
//! let mut answer = Answer::default();
//! let question = Question::of(&start, &moves).wanting(Want::VALUE | Want::PRIORS);
//! let mut scratch = Evaluator::<Minishogi>::scratch(&net, 1);
//! net.judge(&question, &mut answer, &mut scratch);
//! assert!(answer.value.abs() <= 1.0);
//! assert!((answer.priors.iter().sum::<f32>() - 1.0).abs() < 1e-4);
//! # Ok::<(), yomi_core::TextError>(())
//! ```

mod agreement;
pub mod architecture;
pub mod backend;
pub mod cache;
pub mod cpu;
#[cfg(any(target_os = "linux", target_os = "windows"))]
pub mod cuda;
pub mod evaluation;
pub mod evaluator;
pub mod fold;
pub mod input;
pub mod label;
pub mod measure;
pub mod network;
pub mod onnx;
pub mod open;
#[cfg(feature = "ort")]
pub mod runtime;
pub mod safetensors;
pub mod sample;
pub mod spare;
pub mod steps;
pub mod symmetry;

pub use architecture::Architecture;
pub use evaluation::Evaluations;
pub use evaluator::{NetEvaluator, WeakNet};
pub use network::Network;
