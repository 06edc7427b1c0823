//! A network that may be replaced while searches ask it.

use std::sync::{Arc, PoisonError, RwLock};

use yomi_core::{Answer, Evaluator, Flight, Question};
use yomi_net::NetEvaluator;
use yomi_net::input::Encode;

use crate::open;

/// An evaluator that asks the newest network. Clones share it.
#[derive(Clone)]
pub struct Live {
    net: Arc<RwLock<(NetEvaluator, u32)>>,
    /// Asked for with every sample, and the same for all networks of a run: no lock is needed to know it.
    batch: usize,
}

/// What a won game is worth to networks.
const WIN: f32 = 1.0;

impl Live {
    /// Begins with a network that has taken this many training steps.
    pub fn new(net: NetEvaluator, step: u32) -> Live {
        let batch = open::BATCH;
        Live { net: Arc::new(RwLock::new((net, step))), batch }
    }

    /// Asks another network from now on.
    pub fn replace(&self, net: NetEvaluator, step: u32) {
        *self.net.write().unwrap_or_else(PoisonError::into_inner) = (net, step);
    }

    /// The network asked now, and its training steps.
    pub fn current(&self) -> (NetEvaluator, u32) {
        self.net.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<P: Encode> Evaluator<P> for Live {
    type Scratch = <NetEvaluator as Evaluator<P>>::Scratch;

    fn scratch(&self, seed: u64) -> Self::Scratch {
        Evaluator::<P>::scratch(&self.current().0, seed)
    }

    fn win(&self) -> f32 {
        WIN
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Self::Scratch) {
        self.current().0.judge(question, answer, scratch);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        self.current().0.judge_all(flights, scratch);
    }

    fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        self.current().0.submit_all(flights, scratch);
    }

    /// What was sent to a network before this one comes back from there.
    fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        self.current().0.collect_all(flights, scratch);
    }

    fn batch(&self) -> usize {
        self.batch
    }
}
