//! The searches of all pages: a limited number at a time, and as many trees kept for the next move and for looking around.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_page::{Limits, Offer, SearchOrder, TreeOrder, error_json, numbered};
use yomi_session::{Control, Player, Session};

use crate::outbox::Outbox;
use crate::trees::Trees;

/// A page among all pages.
pub(crate) type PageId = u64;

/// Alpha-beta recurses: a search has this much stack.
const STACK: usize = 16 << 20;

/// All searches.
pub(crate) struct Searches {
    pub(crate) limits: Limits,
    pub(crate) offers: Vec<Offer>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Vec<Running>,
    /// The latest first.
    kept: Vec<Kept>,
}

struct Running {
    page: PageId,
    id: u64,
    control: Control,
}

/// A session whose search is over.
struct Kept {
    page: PageId,
    id: u64,
    order: SearchOrder,
    player: Player,
    session: Box<dyn Session>,
}

impl Searches {
    pub(crate) fn new(limits: Limits, offers: Vec<Offer>) -> Searches {
        Searches { limits, offers, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a search on a thread of its own. What it finds goes to the outbox of its page.
    pub(crate) fn begin(
        self: &Arc<Searches>,
        page: PageId,
        id: u64,
        order: SearchOrder,
        outbox: &Arc<Outbox>,
    ) -> Result<(), TextError> {
        let player = order.player(&self.limits, &self.offers)?;
        let control = Control::default();
        let kept = {
            let mut state = self.lock();
            if state.running.len() >= self.limits.searches {
                return Err(TextError::new(format!("busy: {} searches run already", state.running.len())));
            }
            state.running.push(Running { page, id, control: control.clone() });
            let fits = state.kept.iter().position(|kept| kept.page == page && kept.leads_to(&order, &player));
            fits.map(|place| state.kept.remove(place).session)
        };
        let (searches, outbox) = (Arc::clone(self), Arc::clone(outbox));
        let work = move || {
            let last = searches.search(page, id, order, player, kept, &control, &outbox);
            searches.lock().running.retain(|running| (running.page, running.id) != (page, id));
            outbox.conclude(id, &numbered(last.unwrap_or_else(|error| error_json(&error)), id));
        };
        let spawned = std::thread::Builder::new().name("search".into()).stack_size(STACK).spawn(work);
        spawned.map(drop).map_err(|error| {
            self.lock().running.retain(|running| (running.page, running.id) != (page, id));
            TextError::new(format!("no thread for a search: {error}"))
        })
    }

    #[allow(clippy::too_many_arguments, reason = "one caller, above")]
    fn search(
        &self,
        page: PageId,
        id: u64,
        order: SearchOrder,
        player: Player,
        kept: Option<Box<dyn Session>>,
        control: &Control,
        outbox: &Outbox,
    ) -> Result<Value, TextError> {
        let mut session = match kept {
            Some(mut session) => {
                let played: Vec<&str> = order.place.moves.split_whitespace().skip(session.plies()).collect();
                session.play_line(&played.join(" "))?;
                session
            }
            None => order.place.open()?,
        };
        let mut tell = |value: Value| outbox.replace(id, &numbered(value, id));
        let last = order.run(&mut *session, &player, &self.limits, control, &mut tell)?;
        let mut state = self.lock();
        state.kept.insert(0, Kept { page, id, order, player, session });
        state.kept.truncate(self.limits.searches);
        Ok(last)
    }

    /// Ends a search. False if it is over already.
    pub(crate) fn stop(&self, page: PageId, id: u64) -> bool {
        let state = self.lock();
        let found = state.running.iter().find(|running| (running.page, running.id) == (page, id));
        found.inspect(|running| running.control.stop()).is_some()
    }

    /// Ends everything that a page began.
    pub(crate) fn leave(&self, page: PageId) {
        let mut state = self.lock();
        state.running.iter().filter(|running| running.page == page).for_each(|running| running.control.stop());
        state.kept.retain(|kept| kept.page != page);
    }

    /// Looks around in a tree. A search that runs answers by itself.
    pub(crate) fn explore(&self, page: PageId, id: u64, tree: &TreeOrder) -> Result<Option<Value>, TextError> {
        let state = self.lock();
        if let Some(running) = state.running.iter().find(|running| (running.page, running.id) == (page, id)) {
            running.control.explore(tree.query());
            return Ok(None);
        }
        let kept = state.kept.iter().find(|kept| (kept.page, kept.id) == (page, id));
        let kept = kept.ok_or_else(|| TextError::new("this tree is not kept any more: search again"))?;
        let report = kept.session.explore(&kept.player, &tree.query())?;
        Ok(report.map(|report| numbered(report.json(kept.order.player.trim()), id)))
    }

    /// Keeps the tree of a search that is over among the saved ones, and gives its name.
    pub(crate) fn save(&self, page: PageId, id: u64, trees: &Trees) -> Result<String, TextError> {
        let state = self.lock();
        let kept = state.kept.iter().find(|kept| (kept.page, kept.id) == (page, id));
        let kept = kept.ok_or_else(|| TextError::new("this tree is not kept any more: search again"))?;
        let method = kept.player.search().name.clone();
        let label = format!("{}-{method}", kept.session.rules().split('(').next().unwrap_or_default());
        trees.keep(&label, |out| kept.session.save_tree(&kept.player, out))
    }

    /// How many run.
    pub(crate) fn running(&self) -> usize {
        self.lock().running.len()
    }

    /// What runs, as an answer.
    pub(crate) fn json(&self) -> Value {
        json!({ "running": self.running(), "most": self.limits.searches })
    }
}

impl Kept {
    /// Whether the order goes on from where this session stands, so that its tree is still of use.
    fn leads_to(&self, order: &SearchOrder, player: &Player) -> bool {
        let (then, now) = (&self.order.place, &order.place);
        let same = (&then.game, &then.position) == (&now.game, &now.position);
        let mut words = now.moves.split_whitespace();
        same && self.player.to_string() == player.to_string()
            && then.moves.split_whitespace().all(|word| words.next() == Some(word))
    }
}
