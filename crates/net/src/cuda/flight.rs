//! Batches in flight: each has a stream, device memory and pinned memory of its own, used again by later batches.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use yomi_core::TextError;
use yomi_core::clock::Stopwatch;

use crate::Network;
use crate::backend::{Answers, Backend, Flight, Input, Pending, Request, StepTimes, Ticket};
use crate::input::{Layout, PackedPosition};
use crate::label::Labels;
use crate::safetensors::half_to_f32;

use super::driver::{DeviceMemory, Event, Graph, HostMemory, Stream};
use super::engine::{Engine, Memory, Options, Places};

/// Room for this many labels for each position at first; it grows when a batch has more.
const LABELS: usize = 96;
/// Win, draw, loss, score.
const VALUE_BYTES: usize = 16;
/// Graphs of as many batch sizes are kept for each slot.
const MOST_GRAPHS: usize = 16;

/// A network on a GPU.
#[derive(Clone, Debug)]
pub struct Cuda(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    engine: Engine,
    options: Options,
    free: Mutex<Vec<Slot>>,
    returned: Condvar,
}

/// What a batch in flight needs.
#[derive(Debug)]
struct Slot {
    stream: Stream,
    done: Event,
    memory: Memory,
    positions: HostMemory,
    values: HostMemory,
    ends: HostMemory,
    labels: HostMemory,
    logits: HostMemory,
    ownership: Option<HostMemory>,
    /// Planes that were written out, if there were any.
    dense: Option<DeviceMemory>,
    /// Recorded batches by size, and whether they have labels.
    graphs: BTreeMap<(usize, bool), Graph>,
}

impl Slot {
    fn new(engine: &Engine, most: usize) -> Result<Slot, TextError> {
        let host = |bytes: usize| engine.device.allocate_host(bytes);
        Ok(Slot {
            stream: engine.device.stream()?,
            done: engine.device.event(false)?,
            memory: engine.memory(most)?,
            positions: host(most * engine.shape.layout.packed_bytes())?,
            values: host(most * VALUE_BYTES)?,
            ends: host(4 * most)?,
            labels: host(2 * LABELS * most)?,
            logits: host(4 * LABELS * most)?,
            ownership: None,
            dense: None,
            graphs: BTreeMap::new(),
        })
    }

    /// Copies a request to pinned memory.
    fn fill(&mut self, engine: &Engine, request: &Request<'_>) -> Result<(), TextError> {
        let bytes = engine.shape.layout.packed_bytes();
        for (to, from) in self.positions.bytes_mut().chunks_exact_mut(bytes).zip(request.positions) {
            to.copy_from_slice(&from.0[..bytes]);
        }
        self.fill_labels(engine, request)
    }

    fn fill_labels(&mut self, engine: &Engine, request: &Request<'_>) -> Result<(), TextError> {
        if 2 * request.labels.len() > self.labels.bytes().len() {
            let room = request.labels.len().next_power_of_two();
            self.labels = engine.device.allocate_host(2 * room)?;
            self.logits = engine.device.allocate_host(4 * room)?;
            // They were recorded with the addresses of the memory before.
            self.graphs.clear();
        }
        for (to, from) in self.labels.bytes_mut().as_chunks_mut::<2>().0.iter_mut().zip(request.labels) {
            *to = from.to_le_bytes();
        }
        for (to, from) in self.ends.bytes_mut().as_chunks_mut::<4>().0.iter_mut().zip(request.ends) {
            *to = from.to_le_bytes();
        }
        Ok(())
    }

    fn places(&self) -> Places {
        Places {
            positions: self.positions.at(0),
            labels: self.labels.at(0),
            ends: self.ends.at(0),
            values: self.values.at(0),
            logits: self.logits.at(0),
        }
    }

    /// Copies planes that were written out to the device, from memory as a program has it.
    fn fill_planes(&mut self, engine: &Engine, planes: &[f32]) -> Result<(), TextError> {
        if self.dense.as_ref().is_none_or(|dense| dense.bytes() < 4 * planes.len()) {
            self.dense = Some(engine.device.allocate(4 * planes.len())?);
        }
        match &mut self.dense {
            Some(dense) => dense.write(planes),
            None => Ok(()),
        }
    }

    /// Starts the kernels.
    fn start(&mut self, engine: &Engine, count: usize, labels: bool, graphs: bool) -> Result<(), TextError> {
        let places = self.places();
        let Slot { stream, memory, .. } = self;
        if !graphs {
            return engine.start(stream, memory, &places, count, labels);
        }
        let key = (count, labels);
        if !self.graphs.contains_key(&key) {
            if self.graphs.len() >= MOST_GRAPHS {
                return engine.start(stream, memory, &places, count, labels);
            }
            let graph = stream.capture(|| engine.start(stream, memory, &places, count, labels))?;
            self.graphs.insert(key, graph);
        }
        self.graphs[&key].launch()
    }

    /// Reads the answers of a batch that is done.
    fn read(&self, engine: &Engine, count: usize, labels: usize, ownership: bool, answers: &mut Answers) {
        answers.clear();
        fn numbers(memory: &HostMemory, count: usize) -> impl Iterator<Item = f32> {
            memory.bytes().as_chunks::<4>().0[..count].iter().map(|&bytes| f32::from_le_bytes(bytes))
        }
        for four in self.values.bytes().as_chunks::<VALUE_BYTES>().0[..count].iter().map(|four| four.as_chunks::<4>().0)
        {
            let number = |i: usize| f32::from_le_bytes(four[i]);
            answers.value.push([number(0), number(1), number(2)]);
            if engine.score {
                answers.score.push(number(3));
            }
        }
        answers.policy.extend(numbers(&self.logits, labels));
        if let Some(memory) = self.ownership.as_ref().filter(|_| ownership) {
            answers.ownership.extend(numbers(memory, count * engine.shape.layout.squares()));
        }
    }
}

impl Cuda {
    /// Puts a network on a GPU.
    pub fn new(network: &Network, options: Options) -> Result<Cuda, TextError> {
        let engine = Engine::new(network, &options)?;
        let flights = options.flights.max(1);
        let most = options.largest_batch.max(1);
        let slots = (0..flights).map(|_| Slot::new(&engine, most)).collect::<Result<Vec<_>, _>>()?;
        Ok(Cuda(Arc::new(Shared { engine, options, free: Mutex::new(slots), returned: Condvar::new() })))
    }

    /// Which kernels are in use, in words.
    pub fn tier(&self) -> String {
        self.0.engine.tier()
    }

    /// Time that compiling and loading the kernels took.
    pub fn compiled_in(&self) -> Duration {
        self.0.engine.compiled_in
    }

    /// Bytes that cross the bus for a position without labels: the position, and its value. Each label adds six.
    pub fn bus_bytes(&self) -> (usize, usize) {
        (self.0.engine.shape.layout.packed_bytes(), VALUE_BYTES)
    }

    /// The planes of positions as the portable kernels expand them, dense: for each position and square, a number for each plane. For checks.
    pub fn planes(&self, positions: &[PackedPosition]) -> Result<Vec<f32>, TextError> {
        let engine = &self.0.engine;
        let mut flying = self.0.take()?;
        let count = positions.len().min(self.largest_batch());
        let slot = flying.slot()?;
        slot.fill(engine, &Request { positions: &positions[..count], ..Request::default() })?;
        slot.start(engine, count, false, false)?;
        let planes = engine.planes(&slot.memory).ok_or_else(|| TextError::new("the fused kernel keeps its planes"))?;
        let inputs = engine.shape.inputs;
        let bytes = 2 * count * engine.shape.layout.squares() * inputs;
        let mut host = engine.device.allocate_host(bytes)?;
        slot.stream.download(planes, &mut host, 0, bytes)?;
        slot.stream.synchronize()?;
        let rows = host.bytes()[..bytes].chunks_exact(2 * inputs);
        Ok(rows
            .flat_map(|row| row.as_chunks::<2>().0[..engine.shape.layout.planes()].iter())
            .map(|&half| half_to_f32(u16::from_le_bytes(half)))
            .collect())
    }

    /// Microseconds that the device takes for a batch, alone and started again and again: the median of `times` groups of `each` batches.
    pub fn device_time(&self, request: Request<'_>, each: usize, times: usize) -> Result<f64, TextError> {
        request.check(Labels::of(self.layout()))?;
        let mut flying = self.0.take()?;
        let engine = &self.0.engine;
        let slot = flying.slot()?;
        slot.fill(engine, &request)?;
        let (begin, end) = (engine.device.event(true)?, engine.device.event(true)?);
        let mut medians = Vec::new();
        for time in 0..=times {
            slot.stream.record(&begin)?;
            for _ in 0..each {
                slot.start(engine, request.positions.len(), !request.labels.is_empty(), self.0.options.graphs)?;
            }
            slot.stream.record(&end)?;
            end.wait()?;
            // The first is for warming up.
            if time > 0 {
                medians.push(begin.microseconds_to(&end)? / each as f64);
            }
        }
        medians.sort_by(f64::total_cmp);
        Ok(medians.get(medians.len() / 2).copied().unwrap_or(f64::NAN))
    }
}

impl Shared {
    /// A free slot; waits until there is one.
    fn take(self: &Arc<Shared>) -> Result<Flying, TextError> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(slot) = free.pop() {
                return Ok(Flying {
                    shared: self.clone(),
                    slot: Some(slot),
                    count: 0,
                    labels: 0,
                    ownership: false,
                    landed: false,
                });
            }
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Backend for Cuda {
    fn name(&self) -> String {
        format!("{}, {}", self.0.engine.device.name(), self.tier())
    }

    fn layout(&self) -> Layout {
        self.0.engine.shape.layout
    }

    fn preferred_batches(&self) -> Vec<usize> {
        self.0.engine.preferred_batches(self.largest_batch())
    }

    fn largest_batch(&self) -> usize {
        self.0.options.largest_batch.max(1)
    }

    fn flights(&self) -> usize {
        self.0.options.flights.max(1)
    }

    /// Packed positions are read by the kernels themselves, so their way over the bus is part of the evaluation; planes are copied first.
    fn evaluate_in_steps(
        &self,
        input: Input<'_>,
        request: Request<'_>,
        answers: &mut Answers,
    ) -> Result<StepTimes, TextError> {
        let engine = &self.0.engine;
        let count = input.check(&request, self.layout())?;
        if count == 0 || count > self.largest_batch() {
            return Err(TextError::new(format!("a batch of {count} positions; 1 to {}", self.largest_batch())));
        }
        let labels = !request.labels.is_empty();
        let mut flying = self.0.take()?;
        let slot = flying.slot()?;
        let watch = Stopwatch::start();
        match input {
            Input::Packed(positions) => slot.fill(engine, &Request { positions, ..request })?,
            Input::Planes(planes) => {
                slot.fill_planes(engine, planes)?;
                slot.fill_labels(engine, &request)?;
            }
        }
        let to_device = watch.elapsed();
        match (&slot.dense, input) {
            (Some(dense), Input::Planes(_)) => {
                let places = Places { positions: dense.at(0), ..slot.places() };
                engine.start_dense(&slot.stream, &slot.memory, &places, count, labels)?;
            }
            _ => slot.start(engine, count, labels, self.0.options.graphs)?,
        }
        slot.stream.record(&slot.done)?;
        slot.done.wait()?;
        let evaluation = watch.elapsed() - to_device;
        slot.read(engine, count, request.labels.len(), false, answers);
        Ok(StepTimes { to_device, evaluation, back: watch.elapsed() - to_device - evaluation })
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        let count = request.positions.len();
        request.check(Labels::of(self.layout()))?;
        if count > self.largest_batch() {
            return Err(TextError::new(format!("a batch of {count} positions; at most {}", self.largest_batch())));
        }
        if count == 0 {
            return Ok(Ticket(Pending::Done(Answers::default())));
        }
        let engine = &self.0.engine;
        let mut flying = self.0.take()?;
        let ownership = request.ownership && engine.shape.ownership;
        (flying.count, flying.labels, flying.ownership) = (count, request.labels.len(), ownership);
        let most = self.largest_batch();
        let slot = flying.slot()?;
        slot.fill(engine, &request)?;
        slot.start(engine, count, !request.labels.is_empty(), self.0.options.graphs)?;
        if ownership {
            let squares = engine.shape.layout.squares();
            let Slot { stream, memory, ownership, .. } = slot;
            if ownership.is_none() {
                *ownership = Some(engine.device.allocate_host(4 * most * squares)?);
            }
            if let Some(to) = ownership {
                stream.download(&memory.ownership, to, 0, 4 * count * squares)?;
            }
        }
        slot.stream.record(&slot.done)?;
        Ok(Ticket(Pending::Flight(Box::new(flying))))
    }
}

/// A slot that is in use. It goes back when this is dropped, and its work is done by then.
struct Flying {
    shared: Arc<Shared>,
    slot: Option<Slot>,
    count: usize,
    labels: usize,
    ownership: bool,
    /// Whether its event was waited for.
    landed: bool,
}

impl Flying {
    fn slot(&mut self) -> Result<&mut Slot, TextError> {
        self.slot.as_mut().ok_or_else(|| TextError::new("a batch that has landed"))
    }
}

impl Flight for Flying {
    fn land(mut self: Box<Self>, answers: &mut Answers) -> Result<(), TextError> {
        let (count, labels, ownership) = (self.count, self.labels, self.ownership);
        let shared = self.shared.clone();
        let slot = self.slot()?;
        slot.done.wait()?;
        slot.read(&shared.engine, count, labels, ownership, answers);
        self.landed = true;
        match answers.not_finite() {
            None => Ok(()),
            Some(at) => Err(TextError::new(format!(
                "the value of position {at} of a batch is not a number: the network overflows half precision"
            ))),
        }
    }
}

impl Drop for Flying {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            if !self.landed {
                // A device that is lost has no work to wait for; the next batch will say so.
                let _ = slot.stream.synchronize();
            }
            self.shared.free.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
            self.shared.returned.notify_one();
        }
    }
}
