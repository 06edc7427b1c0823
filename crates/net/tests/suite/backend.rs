//! Backends: the CPU as one, spares, and what is said where there is no GPU.

use crate::common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{network, positions};
use yomi_core::{Line, TextError};
use yomi_games::go::Go9;
use yomi_net::backend::{Answers, Backend, CpuBackend, Request, Ticket};
use yomi_net::cpu::{Cpu, Workspace};
use yomi_net::input::Layout;
use yomi_net::open::{Choice, Precision, Provider, findings, open};
use yomi_net::spare::WithSpare;
use yomi_net::{Architecture, Evaluations, NetEvaluator};
use yomi_search::{Limits, Method, Search, TreeSearch};

/// A few labels for each position, not equally many.
fn labels(count: usize, most: usize) -> (Vec<u16>, Vec<u32>) {
    let (mut labels, mut ends) = (Vec::new(), Vec::new());
    for i in 0..count {
        labels.extend((0..i % 5).map(|k| ((7 * i + 13 * k) % most) as u16));
        ends.push(labels.len() as u32);
    }
    (labels, ends)
}

fn go9() -> (CpuBackend, Cpu) {
    let network = network(Architecture::new(Layout::Go(9), 1, 8), 4);
    (CpuBackend::new(&network, 2), Cpu::new(&network))
}

#[test]
fn the_cpu_gathers_logits() {
    let (backend, cpu) = go9();
    let positions = positions(Layout::Go(9), 40);
    let (labels, ends) = labels(40, 82);
    let mut answers = Answers::default();
    let request =
        Request { positions: &positions, labels: &labels, ends: &ends, ownership: true, ..Request::default() };
    backend.evaluate(request, &mut answers).unwrap();
    let mut all = Evaluations::default();
    cpu.evaluate(&positions, 1, &mut Workspace::default(), &mut all);
    assert_eq!((&answers.value, &answers.score, &answers.ownership), (&all.value, &all.score, &all.ownership));
    let mut at = 0;
    for (i, &end) in ends.iter().enumerate() {
        for &label in &labels[at..end as usize] {
            assert_eq!(answers.policy[at], all.policy_of(i)[usize::from(label)]);
            at += 1;
        }
    }
    assert_eq!(answers.policy.len(), at);
    // Without labels and ownership, neither.
    backend.evaluate(Request { positions: &positions, ..Request::default() }, &mut answers).unwrap();
    assert!(answers.policy.is_empty() && answers.ownership.is_empty() && answers.value.len() == 40);
}

#[test]
fn wrong_requests_are_refused() {
    let (backend, _) = go9();
    let positions = positions(Layout::Go(9), 2);
    let said = |labels: &[u16], ends: &[u32]| {
        let request = Request { positions: &positions, labels, ends, ..Request::default() };
        backend.evaluate(request, &mut Answers::default()).unwrap_err().message
    };
    assert!(said(&[82, 0], &[1, 2]).contains("label 82 is not below 82"));
    assert!(said(&[1], &[1]).contains("labels for 1 of 2 positions"));
    assert!(said(&[1, 2, 3], &[1, 2]).contains("do not divide"));
    assert!(said(&[1, 2, 3], &[3, 2]).contains("do not divide"));
}

/// A backend of small batches that counts them, and fails on demand.
struct Fragile {
    inner: CpuBackend,
    sizes: Mutex<Vec<usize>>,
    good: AtomicUsize,
}

impl Fragile {
    fn new(good: usize) -> Fragile {
        Fragile { inner: go9().0, sizes: Mutex::default(), good: AtomicUsize::new(good) }
    }
}

impl Backend for Fragile {
    fn name(&self) -> String {
        "fragile".into()
    }

    fn layout(&self) -> Layout {
        self.inner.layout()
    }

    fn preferred_batches(&self) -> Vec<usize> {
        vec![7]
    }

    fn largest_batch(&self) -> usize {
        7
    }

    fn flights(&self) -> usize {
        2
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        if self.good.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |good| good.checked_sub(1)).is_err() {
            return Err(TextError::new("the device is lost"));
        }
        self.sizes.lock().unwrap().push(request.positions.len());
        self.inner.submit(request)
    }
}

#[test]
fn large_batches_are_divided() {
    let fragile = Fragile::new(usize::MAX);
    let positions = positions(Layout::Go(9), 24);
    let (labels, ends) = labels(24, 82);
    let request =
        Request { positions: &positions, labels: &labels, ends: &ends, ownership: true, ..Request::default() };
    let (mut parts, mut whole) = (Answers::default(), Answers::default());
    fragile.evaluate(request, &mut parts).unwrap();
    fragile.inner.evaluate(request, &mut whole).unwrap();
    assert_eq!(*fragile.sizes.lock().unwrap(), [7, 7, 7, 3]);
    assert_eq!(parts.policy, whole.policy);
    assert_eq!((parts.value.len(), parts.ownership.len()), (24, 24 * 81));
}

/// The device is lost between two batches: nothing is lost with it, and the reason is kept.
#[test]
fn a_spare_takes_over() {
    let with_spare = WithSpare::new(Box::new(Fragile::new(2)), Box::new(go9().0), Precision::Half);
    let positions = positions(Layout::Go(9), 20);
    let (mut answers, mut expected) = (Answers::default(), Answers::default());
    let request = Request { positions: &positions, ..Request::default() };
    assert_eq!(with_spare.name(), "fragile");
    with_spare.evaluate(request, &mut answers).unwrap();
    go9().0.evaluate(request, &mut expected).unwrap();
    assert_eq!(answers.value.len(), 20);
    assert!(answers.value.iter().zip(&expected.value).all(|(a, b)| (a[0] - b[0]).abs() < 1e-5));
    assert_eq!(with_spare.failure().map(|error| error.message.as_str()), Some("the device is lost"));
    assert!(with_spare.name().starts_with("cpu"));
    with_spare.evaluate(request, &mut answers).unwrap();
    assert_eq!(answers.value.len(), 20);
}

#[test]
fn devices_have_names() {
    assert_eq!(Choice::parse("auto"), Ok(Choice::Auto));
    assert_eq!(Choice::parse("cpu"), Ok(Choice::Cpu));
    assert_eq!(Choice::parse("cuda"), Ok(Choice::Cuda(0)));
    assert_eq!(Choice::parse("cuda:3"), Ok(Choice::Cuda(3)));
    assert_eq!(Choice::parse("ort"), Ok(Choice::Runtime(Provider::Cpu)));
    assert_eq!(Choice::parse("ort:directml"), Ok(Choice::Runtime(Provider::DirectMl)));
    assert!(Choice::parse("ort:abacus").is_err());
    assert!(Choice::parse("gpu").unwrap_err().to_string().contains("cuda:0"));
    for name in ["auto", "cpu", "cuda:2", "ort", "ort:cuda", "ort:migraphx"] {
        assert_eq!(Choice::parse(name).unwrap().name(), name);
    }
}

/// Without a driver the automatic choice is the CPU, and says why; asking for a GPU is an error.
#[test]
#[cfg(any(target_os = "linux", target_os = "windows"))]
fn without_a_gpu() {
    if yomi_net::cuda::driver_present() {
        return;
    }
    let network = network(Architecture::new(Layout::Minishogi, 1, 8), 4);
    let opened = open(&network, Choice::Auto, 1).unwrap();
    assert!(opened.backend.name().starts_with("cpu"));
    assert!(opened.why_not_gpu.unwrap().message.contains("no NVIDIA driver"));
    assert!(open(&network, Choice::Cuda(0), 1).err().unwrap().message.contains("no NVIDIA driver"));
    assert!(open(&network, Choice::Cpu, 1).unwrap().why_not_gpu.is_none());
    let findings = findings();
    assert!(findings.iter().any(|finding| finding.what == "CPU" && finding.found.is_ok()));
    assert!(findings.iter().any(|finding| finding.what == "NVIDIA driver" && finding.found.is_err()));
}

/// The device is lost in the middle of a search: the search goes on with the spare and comes to the verdict that the spare alone gives.
#[test]
fn a_device_lost_in_mid_search() {
    let line = Line::new(common::start::<Go9>("go9"));
    let limits = Limits::simulations(60);
    let verdict = |backend: Box<dyn Backend>| {
        let net = NetEvaluator::with_batch(backend, 5);
        let mut search = TreeSearch::new("puct".parse::<Method>().unwrap(), net.clone());
        let verdict = search.search(&line, &limits, &mut ());
        assert!(net.failure().is_none());
        (verdict.best, verdict.simulations, verdict.value)
    };
    let lost = WithSpare::new(Box::new(Fragile::new(6)), Box::new(go9().0), Precision::Half);
    let (best, simulations, value) = verdict(Box::new(lost.clone()));
    assert_eq!(lost.failure().map(|error| error.message.as_str()), Some("the device is lost"));
    let expected = verdict(Box::new(go9().0));
    assert_eq!((best, simulations), (expected.0, expected.1));
    assert!((value - expected.2).abs() < 1e-4);
}
