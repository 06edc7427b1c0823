//! Networks as evaluations: `net(file=F)`, `cached(net(file=F))`.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use yomi_core::{AnyEvaluator, Seed, Spec, TextError};
use yomi_net::backend::Backend;
use yomi_net::cache::Cached;
use yomi_net::input::{Encode, Layout};
use yomi_net::open::{self, Choice, Precision};
use yomi_net::steps::{Features, TimedNet};
use yomi_net::{Architecture, NetEvaluator, Network, WeakNet};

/// What identifies a network that is open: the file as it was, and how it was opened.
#[derive(Clone, PartialEq)]
struct Key {
    source: Source,
    length: u64,
    modified: Option<SystemTime>,
    choice: Choice,
    threads: usize,
    batch: usize,
    precision: Precision,
    /// Whether it finds all moves alike.
    even: bool,
    /// MiB of its cache; 0 for none.
    cache: usize,
}

/// Where the weights come from.
#[derive(Clone, PartialEq)]
enum Source {
    File(String),
    /// Blocks and channels of a network that has learned nothing: for measurements.
    Random(Layout, usize, usize),
}

/// The networks in use: players with the same one share it, and so all games of a process share a device.
static OPEN: Mutex<Vec<(Key, WeakNet)>> = Mutex::new(Vec::new());

/// `net(file=F,device=auto,batch=0,threads=1)`: a network file (safetensors, or ONNX of dlshogi's kind) on `auto`, `cpu`, `cuda` or
/// `cuda:1`, or any ONNX graph on `ort` (ONNX Runtime), on a GPU with `precision=fp8` if asked for; `batch` positions at once, 0 for the default of the device;
/// `threads` of the CPU for each batch. `random=5x192` in the place of `file` is a network that has learned nothing, `steps=packed`, `planes` or `difference` counts
/// the time of each step (S4.5), `policy=even` finds all moves alike (S4.5, tables 2 and 3).
/// `cached(net(...),mb=64)` keeps answers. `default` is the layout of the game's networks, `fits` says which boards its players have.
pub(super) fn net<P: Encode>(
    spec: &Spec,
    default: Layout,
    fits: impl Fn(Layout) -> bool,
) -> Result<AnyEvaluator<P>, TextError> {
    if spec.name == "cached" {
        let inner = spec.positional(0).filter(|inner| inner.name == "net").ok_or_else(|| {
            spec.error("cached keeps the answers of a network: cached(net(file=network.safetensors),mb=64)")
        })?;
        let cache = spec.value_or("mb", 64usize)?;
        if !(1..=1 << 20).contains(&cache) {
            return Err(spec.error("a cache has 1 to 1048576 MiB"));
        }
        spec.reject_unused()?;
        return open(inner, default, fits, cache);
    }
    open(spec, default, fits, 0)
}

fn open<P: Encode>(
    spec: &Spec,
    default: Layout,
    fits: impl Fn(Layout) -> bool,
    cache: usize,
) -> Result<AnyEvaluator<P>, TextError> {
    let (source, word) = source(spec, default)?;
    let choice = match spec.get("device") {
        Some(word) => Choice::parse(&word.to_string()).map_err(|error| word.error(error.message))?,
        None => Choice::Auto,
    };
    let precision = spec.get("precision").map_or(Ok(Precision::Half), |word| word.choice(&Precision::NAMES))?;
    let even = spec.get("policy").map_or(Ok(false), |word| word.choice(&[("learned", false), ("even", true)]))?;
    let inputs = [("packed", Features::Packed), ("planes", Features::Planes), ("difference", Features::Difference)];
    let steps = spec.get("steps").map(|word| word.choice(&inputs)).transpose()?;
    let (batch, threads) = (spec.value_or("batch", 0usize)?, spec.value_or("threads", 1usize)?);
    if !(1..=1024).contains(&threads) || batch > 1 << 16 {
        return Err(spec.error("threads are 1 to 1024, batch is at most 65536"));
    }
    spec.reject_unused()?;
    let about = match &source {
        Source::File(name) => std::fs::metadata(name).ok(),
        Source::Random(..) => None,
    };
    let key = Key {
        source,
        length: about.as_ref().map_or(0, std::fs::Metadata::len),
        modified: about.and_then(|about| about.modified().ok()),
        choice,
        threads,
        batch,
        precision,
        even,
        cache,
    };
    let net = shared(key).map_err(|error| word.error(error.message))?;
    let layout = net.backend().layout();
    if !fits(layout) {
        let (of, game) = (layout.game(), default.game());
        return Err(word.error(format!("{}: the network is for {of}, not for {game}", word.name)));
    }
    Ok(match steps {
        Some(features) => AnyEvaluator::new(TimedNet::new(net, features)),
        None => AnyEvaluator::new(net),
    })
}

/// Where the weights come from, and the word that says it.
fn source(spec: &Spec, default: Layout) -> Result<(Source, &Spec), TextError> {
    match (spec.get("file"), spec.get("random")) {
        (Some(file), None) => Ok((Source::File(file.name.clone()), file)),
        (None, Some(word)) => {
            let sizes = word
                .name
                .split_once('x')
                .and_then(|(blocks, channels)| Some((blocks.parse::<usize>().ok()?, channels.parse::<usize>().ok()?)));
            let (blocks, channels) = sizes
                .filter(|&(blocks, channels)| blocks <= 64 && (1..=512).contains(&channels))
                .ok_or_else(|| word.error("a random network is blocks x channels, at most 64x512: random=5x192"))?;
            Ok((Source::Random(default, blocks, channels), word))
        }
        (Some(_), Some(word)) => Err(word.error("a network has a file or is random, not both")),
        (None, None) => Err(spec.error("a network needs a file: net(file=network.safetensors)")),
    }
}

/// The network of a key, opened if no other player has it open.
fn shared(key: Key) -> Result<NetEvaluator, TextError> {
    // A second caller waits for the first to open it.
    let mut list = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    list.retain(|(_, net)| net.upgrade().is_some());
    let known = list.iter().find(|(other, _)| *other == key).and_then(|(_, net)| net.upgrade());
    if let Some(net) = known {
        return Ok(net);
    }
    let opened = match &key.source {
        Source::File(name) if !key.even => open::open_file(name, key.choice, key.threads, key.precision)?,
        source => {
            let network = match source {
                Source::File(name) => open::read(name)?,
                Source::Random(layout, blocks, channels) => {
                    Network::random(Architecture::new(*layout, *blocks, *channels), Seed::new(1))?
                }
            };
            let network = if key.even { without_policy(&network)? } else { network };
            open::open_with(&network, key.choice, key.threads, key.precision)?
        }
    };
    let mut backend: Box<dyn Backend> = opened.backend;
    if key.cache > 0 {
        backend = Box::new(Cached::new(backend, key.cache));
    }
    let net = if key.batch == 0 { NetEvaluator::new(backend) } else { NetEvaluator::with_batch(backend, key.batch) };
    list.push((key, net.downgrade()));
    Ok(net)
}

/// The network with all weights of its policy head set to 0: the same logit for every move.
fn without_policy(network: &Network) -> Result<Network, TextError> {
    let mut tensors = network.tensors().clone();
    for (_, tensor) in tensors.iter_mut().filter(|(name, _)| name.starts_with("policy.")) {
        tensor.data.fill(0.0);
    }
    Network::new(network.architecture().clone(), tensors)
}

/// A network that players of this process have open, and what it was asked.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkInUse {
    /// Its file, or its size if it is a random one.
    pub name: String,
    /// What evaluates it.
    pub backend: String,
    /// Positions evaluated or looked up, and batches of them.
    pub positions: u64,
    /// Batches.
    pub batches: u64,
    /// Positions looked up in its cache and those found there, if it has one.
    pub cache: Option<(u64, u64)>,
    /// Why positions were answered by an even value, if any were.
    pub failure: Option<TextError>,
}

/// The networks in use, and what they were asked since they were opened.
pub fn networks_in_use() -> Vec<NetworkInUse> {
    let list = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = list.iter().filter_map(|(key, net)| Some((key, net.upgrade()?)));
    open.map(|(key, net)| {
        let name = match &key.source {
            Source::File(name) => name.clone(),
            Source::Random(_, blocks, channels) => format!("random {blocks}x{channels}"),
        };
        let counters = net.backend().counters();
        let count = |name: &str| counters.iter().find(|(known, _)| *known == name).map(|&(_, count)| count);
        let (positions, batches) = net.counts();
        NetworkInUse {
            name,
            backend: net.backend().name(),
            positions,
            batches,
            cache: count("cache lookups").zip(count("cache hits")),
            failure: net.failure().cloned(),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use crate::Playable;
    use yomi_core::{Line, Notation, Spec};
    use yomi_games::blokus::BlokusDuo;
    use yomi_games::shogi::Minishogi;
    use yomi_search::{Limits, Search};

    fn player<P: Playable>(search: &str, evaluator: &str) -> Result<Box<dyn Search<P>>, yomi_core::TextError> {
        P::build(&Spec::parse(search).unwrap(), Some(&Spec::parse(evaluator).unwrap()))
    }

    /// Every search that can use priors plays with a network, and a cache and timers change nothing.
    #[test]
    fn networks_play_with_every_search() {
        let line = Line::new(Minishogi::default());
        for search in [
            "puct",
            "mcss-puct",
            "gumbel",
            "mcss(t=0.1)",
            "ments(t=0.1)",
            "rents(t=0.1)",
            "tents(t=0.1)",
            "dents",
            "bts",
        ] {
            let limits = Limits::simulations(40);
            let verdict = |evaluator: &str| {
                let mut search = player::<Minishogi>(search, evaluator).unwrap();
                let verdict = search.search(&line, &limits, &mut ());
                (verdict.best, verdict.value, verdict.simulations)
            };
            let plain = verdict("net(random=1x8,device=cpu)");
            assert!(plain.0.is_some() && plain.2 >= 30, "{search}: {plain:?}");
            assert_eq!(plain, verdict("cached(net(random=1x8,device=cpu),mb=1)"), "{search}");
            assert_eq!(plain, verdict("net(random=1x8,device=cpu,steps=packed)"), "{search}");
        }
    }

    /// Without the policy all moves have the same prior; what the network says about their values stays.
    #[test]
    fn a_network_without_its_policy_finds_all_moves_alike() {
        let line = Line::new(Minishogi::default());
        let moves = |evaluator: &str| {
            let mut search = player::<Minishogi>("mcss-puct", evaluator).unwrap();
            let mut moves = search.search(&line, &Limits::simulations(1), &mut ()).moves;
            moves.sort_by_key(|row| row.mv);
            moves.iter().map(|row| (row.prior, row.value)).collect::<Vec<_>>()
        };
        let (with, without) = (moves("net(random=1x8,device=cpu)"), moves("net(random=1x8,device=cpu,policy=even)"));
        let even = 1.0 / without.len() as f32;
        assert!(without.iter().all(|(prior, _)| (prior - even).abs() < 1e-6), "{without:?}");
        assert!(with.iter().any(|(prior, _)| (prior - even).abs() > 1e-3), "{with:?}");
        assert!(with.iter().zip(&without).all(|(a, b)| a.1 == b.1), "{with:?} {without:?}");
    }

    #[test]
    fn blokus_plays_with_networks() {
        let start = BlokusDuo::start(&Spec::named("blokus-duo")).unwrap();
        let mut search = player::<BlokusDuo>("puct", "net(random=0x8,device=cpu)").unwrap();
        assert!(search.search(&Line::new(start), &Limits::simulations(8), &mut ()).best.is_some());
    }

    #[test]
    fn errors_point_at_the_wrong_word() {
        for (evaluator, column, says) in [
            ("net", 1, "needs a file"),
            ("net(file=/no/such/file)", 10, "/no/such/file"),
            ("net(random=5)", 12, "blocks x channels"),
            ("net(random=1x8,file=f)", 12, "not both"),
            ("net(random=1x8,device=tpu)", 23, "no device"),
            ("net(random=1x8,steps=slow)", 22, "slow"),
            ("cached(linear)", 1, "cached keeps the answers of a network"),
            ("cached(net(random=1x8),mb=0)", 1, "1 to 1048576"),
        ] {
            let error = player::<Minishogi>("puct", evaluator).err().unwrap();
            assert!(error.column == column && error.to_string().contains(says), "{evaluator}: {error}");
        }
    }
}
