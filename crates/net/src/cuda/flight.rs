//! Batches in flight: each has a stream, device memory and pinned memory of its own, used again by later batches.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use yomi_core::TextError;
use yomi_core::clock::Stopwatch;

use crate::Network;
use crate::backend::{Answers, Backend, Flight, Input, Pending, Request, StepTimes, Ticket};
use crate::input::{Layout, PackedPosition, Planes};
use crate::label::Labels;
use crate::safetensors::half_to_f32;
use crate::sample::Sample;

use super::driver::{DeviceMemory, Event, Graph, HostMemory, Stream};
use super::engine::{Compiled, Engine, Memory, Options, Places};
use super::trial::{Fault, Forms, Silent, Trial, Verdicts};

/// Room for this many labels for each position at first; it grows when a batch has more.
const LABELS: usize = 96;
/// Win, draw, loss, score.
const VALUE_BYTES: usize = 16;
/// Graphs of as many batch sizes are kept for each slot.
const MOST_GRAPHS: usize = 16;
/// A form that is tried and has not answered by then never will: it takes less than a thousandth of that.
const LONGEST_TRIAL: Duration = Duration::from_secs(5);
/// What memory is overwritten with before a form is tried: as halves and as floats a small number that nothing would give.
const SPOILT: u8 = 0x3C;

/// A network on a GPU.
#[derive(Clone, Debug)]
pub struct Cuda(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    engine: Engine,
    options: Options,
    trial: Trial,
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

/// The forms of an engine, or those for planes that were written out, to be tried on a slot.
struct OnSlot<'a> {
    engine: &'a Engine,
    dense: Option<&'a [Compiled]>,
    slot: &'a mut Slot,
}

impl OnSlot<'_> {
    /// Tries all forms. A device that does not answer is lost.
    fn try_out(mut self, trial: &Trial) -> Result<Verdicts, TextError> {
        let verdicts = trial.run(&mut self).map_err(|Silent(form)| {
            let why = format!(
                "{} is lost: form {form} of the kernels has not answered for {} s",
                self.engine.device.name(),
                LONGEST_TRIAL.as_secs()
            );
            let why = TextError::new(why);
            self.engine.device.lose(why.clone());
            why
        })?;
        // Where a form has failed so that nothing else works, the forms say so.
        let _ = self.engine.spoil(&self.slot.stream, &self.slot.memory, 0);
        Ok(verdicts)
    }

    /// Starts a form.
    fn start(&mut self, form: usize, sample: &Sample) -> Result<(), TextError> {
        let OnSlot { engine, dense, slot } = self;
        let count = sample.positions.len();
        slot.fill(engine, &sample.request())?;
        // As floats these are no numbers.
        slot.values.bytes_mut().fill(0xFF);
        slot.logits.bytes_mut().fill(0xFF);
        engine.spoil(&slot.stream, &slot.memory, SPOILT)?;
        let places = slot.places();
        let Some(forms) = dense else {
            engine.start_alone(form, &slot.stream, &slot.memory, &places, count)?;
            return slot.stream.record(&slot.done);
        };
        let (layout, mut planes, mut numbers) = (engine.shape.layout, Planes::default(), Vec::new());
        for position in &sample.positions {
            layout.expand(position, &mut planes);
            numbers.extend(planes.dense(layout.planes(), layout.squares()));
        }
        slot.fill_planes(engine, &numbers)?;
        let Some(memory) = &slot.dense else { return Err(TextError::new("planes without memory for them")) };
        let places = Places { positions: memory.at(0), ..places };
        engine.start_dense(
            Some(std::slice::from_ref(&forms[form])),
            &slot.stream,
            &slot.memory,
            &places,
            count,
            true,
        )?;
        slot.stream.record(&slot.done)
    }
}

impl Forms for OnSlot<'_> {
    fn names(&self) -> Vec<String> {
        self.dense.map_or_else(|| self.engine.forms(), |forms| forms.iter().map(Compiled::name).collect())
    }

    fn wave(&self, form: usize) -> usize {
        self.dense.map_or_else(|| self.engine.wave(form), |forms| forms[form].wave())
    }

    fn answer(&mut self, form: usize, sample: &Sample) -> Result<Answers, Fault> {
        self.start(form, sample).map_err(Fault::Failed)?;
        if !self.slot.done.wait_for(LONGEST_TRIAL).map_err(Fault::Failed)? {
            return Err(Fault::Silent);
        }
        let mut answers = Answers::default();
        self.slot.read(self.engine, sample.positions.len(), sample.labels.len(), false, &mut answers);
        Ok(answers)
    }
}

impl Cuda {
    /// Puts a network on a GPU, with the forms of the kernels that answer as the CPU does; an error if none does.
    pub fn new(network: &Network, options: Options) -> Result<Cuda, TextError> {
        let mut engine = Engine::new(network, &options)?;
        let flights = options.flights.max(1);
        let most = options.largest_batch.max(1);
        let mut slots = (0..flights).map(|_| Slot::new(&engine, most)).collect::<Result<Vec<_>, _>>()?;
        let trial = Trial::new(network, options.precision, most)?;
        match (OnSlot { engine: &engine, dense: None, slot: &mut slots[0] }).try_out(&trial) {
            Ok(verdicts) => engine.judge(verdicts)?,
            Err(lost) => {
                // Freeing any of it would wait for the kernel that never ends.
                std::mem::forget((engine, slots));
                return Err(lost);
            }
        }
        Ok(Cuda(Arc::new(Shared { engine, options, trial, free: Mutex::new(slots), returned: Condvar::new() })))
    }

    /// Which kernels are in use, in words.
    pub fn tier(&self) -> String {
        self.0.engine.tier()
    }

    /// Which forms of the fused kernel a batch is given to, in words.
    pub fn division(&self, count: usize) -> String {
        self.0.engine.division(count)
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
        let inputs = engine.shape.inputs * engine.shape.terms();
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
        if let Some(why) = self.engine.device.loss() {
            return Err(why);
        }
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
        let forms = match input {
            Input::Planes(_) => flying.dense_forms(&self.0)?,
            Input::Packed(_) => None,
        };
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
                engine.start_dense(forms, &slot.stream, &slot.memory, &places, count, labels)?;
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

    /// The forms for planes that were written out, which are tried on this slot if they were not yet.
    fn dense_forms<'a>(&mut self, shared: &'a Shared) -> Result<Option<&'a [Compiled]>, TextError> {
        let engine = &shared.engine;
        if engine.shape.eight {
            return Ok(None);
        }
        let slot = self.slot()?;
        let tried =
            engine.dense(|forms| OnSlot { engine, dense: Some(forms), slot }.try_out(&shared.trial)).transpose();
        if tried.is_err() && engine.device.loss().is_some() {
            // Not even the engine may be dropped.
            std::mem::forget((self.slot.take(), self.shared.clone()));
        }
        tried
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
