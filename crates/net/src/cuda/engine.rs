//! A network on a device, and the kernels that a batch starts.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::Duration;

use yomi_core::TextError;
use yomi_core::clock::Stopwatch;

use crate::Network;
use crate::fold::Folded;
use crate::open::Precision;

use super::driver::{self, Argument, Device, DeviceMemory, Kernel, Stream};
use super::plan::{self, Form};
use super::shape::{STEP, Shape};
use super::trial::{self, LeftOut, Verdicts};
use super::{pack, source};

/// What the channels of the portable kernels are rounded up to.
pub(super) const PORTABLE_CHANNELS: usize = 64;
/// Threads of a block of the last kernel, and positions whose logits it gathers.
const FINISH_THREADS: usize = 512;
const FINISH_POSITIONS: usize = FINISH_THREADS / 32;
/// Positions whose values its blocks compute together, and numbers that each group of hidden ones leaves for them.
const VALUE_POSITIONS: usize = 16;
const PART_NUMBERS: usize = 4 * VALUE_POSITIONS;
/// Rows and outputs of a block of the portable convolution.
const TILE_ROWS: usize = 128;
const TILE_OUTPUTS: usize = 64;

/// Sizes of clusters that share boards of small batches, the quickest first.
pub(super) const CLUSTERS: [usize; 2] = [4, 2];

/// Which kernels compute the tower.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tier {
    /// The fused kernel where it can be used, else the portable ones.
    #[default]
    Best,
    /// The fused kernel, or an error.
    Fused,
    /// A kernel for each layer.
    Portable,
}

/// How a network is put on a device.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which GPU, from 0.
    pub device: usize,
    /// Which kernels.
    pub tier: Tier,
    /// Which numbers.
    pub precision: Precision,
    /// The largest batch.
    pub largest_batch: usize,
    /// How many batches can be in flight.
    pub flights: usize,
    /// Sizes of clusters of blocks that share boards of small batches.
    pub clusters: Vec<usize>,
    /// Whether small batches may use the forms with squares as columns. They may by default although their text has changed since a device ran it:
    /// what they compute has not, and each is tried against the CPU before it is used.
    pub columns: bool,
    /// The only form of the fused kernel, by boards, blocks that share them and whether squares are columns, for measurements; else all that help.
    pub only_form: Option<(usize, usize, bool)>,
    /// Whether batches of a size that was seen before are started as one graph.
    pub graphs: bool,
    /// Whether many batches share the device all the time: each then takes the form that wastes least, not the one that is done first.
    pub crowded: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            device: 0,
            tier: Tier::Best,
            precision: Precision::Half,
            clusters: CLUSTERS.to_vec(),
            columns: true,
            only_form: None,
            largest_batch: 4096,
            flights: 3,
            graphs: true,
            crowded: false,
        }
    }
}

/// A form of the fused kernel, compiled.
#[derive(Debug)]
pub(super) struct Compiled {
    form: Form,
    kernel: Kernel,
    /// Blocks, or clusters of them, that run at once.
    at_once: usize,
}

impl Compiled {
    pub(super) fn name(&self) -> String {
        self.form.name()
    }

    /// Positions that are computed at once.
    pub(super) fn wave(&self) -> usize {
        self.form.boards * self.at_once
    }
}

#[derive(Debug)]
enum Kernels {
    Fused(Vec<Compiled>),
    Portable { expand: Kernel, take_planes: Kernel, convolution: Kernel, heads: Kernel, offsets: Vec<usize> },
}

/// A network on a device. What changes with each batch lies in [`Memory`].
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) device: Device,
    pub(super) shape: Shape,
    pub(super) blocks: usize,
    pub(super) score: bool,
    multiprocessors: usize,
    crowded: bool,
    kernels: Kernels,
    /// The fused kernel for planes that were written out, compiled and tried when it is first asked for.
    dense: OnceLock<Result<Usable, TextError>>,
    /// Forms that were wanted and are not in use.
    left_out: Vec<LeftOut>,
    finish: Kernel,
    weights: DeviceMemory,
    /// The same as the blocks of clusters of each size read them.
    weights_of_clusters: Vec<(usize, DeviceMemory)>,
    biases: DeviceMemory,
    hidden: DeviceMemory,
    hidden_bias: DeviceMemory,
    last: DeviceMemory,
    last_bias: DeviceMemory,
    label_bias: Option<DeviceMemory>,
    /// Time that compiling and loading the kernels took.
    pub(super) compiled_in: Duration,
}

/// Device memory of one batch in flight.
#[derive(Debug)]
pub(super) struct Memory {
    policy: DeviceMemory,
    reduced: DeviceMemory,
    pub(super) ownership: DeviceMemory,
    /// What groups of hidden numbers add to values, and how many of them are done.
    parts: DeviceMemory,
    done: DeviceMemory,
    /// Planes, then three buffers of activations: for the portable kernels only.
    layers: Option<[DeviceMemory; 4]>,
}

/// Where a batch's data lies in memory of the host.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) positions: Argument,
    pub(super) labels: Argument,
    pub(super) ends: Argument,
    pub(super) values: Argument,
    pub(super) logits: Argument,
}

/// Forms of a kernel in use, and those that are not.
type Usable = (Vec<Compiled>, Vec<LeftOut>);

/// The fused kernel in these forms; without those that do not compile and those of clusters that the device has no room for.
fn compile_forms(device: &Device, shape: &Shape, forms: &[Form], dense: bool) -> Result<Usable, TextError> {
    let (stream, multiprocessors) = (device.stream()?, device.multiprocessors()?);
    trial::prepare(forms, Form::name, |&form| {
        let ptx = driver::ptx(&source::tower(shape, &form, dense), source::HOPPER_ARCHITECTURE)?;
        let kernel = device.load(&ptx, "tower")?.kernel("tower", form.shared_bytes(shape))?;
        let at_once = match form.cluster {
            1 => multiprocessors,
            cluster => kernel.clusters_at_once(&stream, cluster, form.threads())?,
        };
        match at_once {
            0 => Err(TextError::new("the device has no room for its clusters")),
            _ => Ok(Compiled { form, kernel, at_once }),
        }
    })
}

/// What is left of forms after a trial; an error if that is nothing.
fn keep((forms, mut left_out): Usable, verdicts: Verdicts) -> Result<Usable, TextError> {
    let good: Vec<bool> = verdicts.iter().map(Option::is_none).collect();
    left_out.extend(verdicts.into_iter().flatten());
    let kept: Vec<Compiled> = forms.into_iter().zip(good).filter_map(|(form, good)| good.then_some(form)).collect();
    if kept.is_empty() { Err(trial::none_left(&left_out)) } else { Ok((kept, left_out)) }
}

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

impl Engine {
    pub(super) fn new(network: &Network, options: &Options) -> Result<Engine, TextError> {
        let device = Device::open(options.device)?;
        let folded = Folded::new(network);
        let eight = options.precision == Precision::Eight;
        let shape = if eight { Shape::eight(&folded) } else { Shape::new(&folded, STEP) };
        let shared = device.shared_memory()?;
        let capability = device.capability()?;
        let hopper = capability == (9, 0);
        let single = options.precision == Precision::Single;
        let forms = match options.only_form {
            // A device that is always full has no use for clusters.
            None if options.crowded => plan::chosen(&shape, shared, &[], false),
            None => plan::chosen(&shape, shared, &options.clusters, options.columns),
            Some(only) => {
                let (alone, shared) = plan::candidates(&shape, shared, &options.clusters, true);
                let name = |form: &Form| (form.boards, form.cluster, form.columns);
                alone.into_iter().chain(shared).filter(|form| name(form) == only).collect()
            }
        };
        let fused = match options.tier {
            Tier::Best if single => false,
            Tier::Best => hopper && !forms.is_empty(),
            Tier::Portable => false,
            Tier::Fused if !hopper => {
                return Err(TextError::new(format!(
                    "the fused kernel is for compute capability 9.0, {} has {}.{}",
                    device.name(),
                    capability.0,
                    capability.1
                )));
            }
            Tier::Fused if single => {
                return Err(TextError::new("32 bits are for the kernels that work layer by layer"));
            }
            Tier::Fused if forms.is_empty() => {
                return Err(TextError::new("the network is too wide for the fused kernel on its board"));
            }
            Tier::Fused => true,
        };
        if eight && !fused {
            return Err(TextError::new(
                "eight bits are for the fused kernel: compute capability 9.0, and a tower that fits",
            ));
        }
        if capability.0 < 8 {
            return Err(TextError::new(format!(
                "{} has compute capability {}.{}; 8.0 or later is needed",
                device.name(),
                capability.0,
                capability.1
            )));
        }
        let watch = Stopwatch::start();
        let shape = match (fused, single) {
            (true, _) => shape,
            (false, true) => Shape::single(&folded, PORTABLE_CHANNELS),
            (false, false) => Shape::new(&folded, PORTABLE_CHANNELS),
        };
        let mut left_out = Vec::new();
        let (kernels, finish, weights) = if fused {
            let compiled;
            (compiled, left_out) = compile_forms(&device, &shape, &forms, false)?;
            let ptx = driver::ptx(&source::finish(&shape), source::PORTABLE_ARCHITECTURE)?;
            let finish = device.load(&ptx, "finish")?.kernel("finish", 0)?;
            let weights = if eight { pack::tower_of_eight(&folded, &shape)? } else { pack::tower(&folded, &shape)? };
            (Kernels::Fused(compiled), finish, weights)
        } else {
            let ptx = driver::ptx(&source::portable(&shape), source::PORTABLE_ARCHITECTURE)?;
            let module = device.load(&ptx, "portable")?;
            let kernels = Kernels::Portable {
                expand: module.kernel("expand", 0)?,
                take_planes: module.kernel("take_planes", 0)?,
                convolution: module.kernel("convolution", 0)?,
                heads: module.kernel("heads", 0)?,
                offsets: pack::portable_offsets(&folded, &shape),
            };
            (kernels, module.kernel("finish", 0)?, pack::portable(&folded, &shape)?)
        };
        let compiled_in = watch.elapsed();
        let upload = |numbers: &[f32]| device.upload(&bytes_of(numbers));
        let clusters: BTreeSet<usize> = match &kernels {
            Kernels::Fused(forms) => forms.iter().map(|compiled| compiled.form.cluster).filter(|&n| n > 1).collect(),
            Kernels::Portable { .. } => BTreeSet::new(),
        };
        let weights_of = |cluster: usize| {
            let packed = pack::of_cluster(&weights, &shape, folded.blocks.len(), cluster);
            Ok((cluster, device.upload(&packed)?))
        };
        let weights_of_clusters = clusters.into_iter().map(weights_of).collect::<Result<Vec<_>, TextError>>()?;
        Ok(Engine {
            multiprocessors: device.multiprocessors()?,
            crowded: options.crowded,
            weights: device.upload(&weights)?,
            weights_of_clusters,
            biases: upload(&if eight {
                pack::biases_of_eight(&folded, &shape)
            } else {
                pack::biases(&folded, &shape)
            })?,
            hidden: device.upload(&pack::hidden(&folded, &shape)?)?,
            hidden_bias: upload(&pack::hidden_bias(&folded, &shape))?,
            last: upload(&pack::last(&folded, &shape))?,
            last_bias: upload(&pack::last_bias(&folded))?,
            label_bias: if folded.label_bias.is_empty() { None } else { Some(upload(&folded.label_bias)?) },
            blocks: folded.blocks.len(),
            score: folded.score.is_some(),
            device,
            shape,
            kernels,
            dense: OnceLock::new(),
            left_out,
            finish,
            compiled_in,
        })
    }

    /// Leaves out the forms that have failed their trial; an error if none is left.
    pub(super) fn judge(&mut self, verdicts: Verdicts) -> Result<(), TextError> {
        match &mut self.kernels {
            Kernels::Fused(forms) => {
                let usable = (std::mem::take(forms), std::mem::take(&mut self.left_out));
                (*forms, self.left_out) = keep(usable, verdicts)?;
                Ok(())
            }
            // There are no others.
            Kernels::Portable { .. } => match verdicts.into_iter().flatten().next() {
                None => Ok(()),
                Some(left_out) => Err(trial::none_left(&[left_out])),
            },
        }
    }

    /// The names of all forms that can be started alone.
    pub(super) fn forms(&self) -> Vec<String> {
        match &self.kernels {
            Kernels::Fused(forms) => forms.iter().map(|compiled| compiled.form.name()).collect(),
            Kernels::Portable { .. } => vec![self.tier()],
        }
    }

    /// How many positions a form computes at once.
    pub(super) fn wave(&self, form: usize) -> usize {
        match &self.kernels {
            Kernels::Fused(forms) => forms[form].wave(),
            Kernels::Portable { .. } => self.portable_wave(),
        }
    }

    /// The fused kernel for planes that were written out; the first time `try_out` is given all forms of it. None where other kernels are in
    /// use.
    pub(super) fn dense(
        &self,
        try_out: impl FnOnce(&[Compiled]) -> Result<Verdicts, TextError>,
    ) -> Option<Result<&[Compiled], TextError>> {
        let Kernels::Fused(forms) = &self.kernels else { return None };
        let dense = self.dense.get_or_init(|| {
            let forms: Vec<Form> = forms.iter().map(|compiled| compiled.form).collect();
            let usable = compile_forms(&self.device, &self.shape, &forms, true)?;
            let verdicts = try_out(&usable.0)?;
            keep(usable, verdicts)
        });
        Some(dense.as_ref().map(|(forms, _)| &forms[..]).map_err(TextError::clone))
    }

    /// What computes the tower, in words, and what should and does not.
    pub(super) fn tier(&self) -> String {
        let dense = self.dense.get().and_then(|dense| dense.as_ref().ok());
        let of_dense = dense.into_iter().flat_map(|(_, left_out)| left_out).map(|one| format!("for planes {one}"));
        let left_out: Vec<String> = self.left_out.iter().map(LeftOut::to_string).chain(of_dense).collect();
        if left_out.is_empty() {
            return self.kernels_in_use();
        }
        format!("{}; left out: {}", self.kernels_in_use(), left_out.join("; "))
    }

    fn kernels_in_use(&self) -> String {
        match &self.kernels {
            Kernels::Fused(forms) => {
                let forms: Vec<String> = forms
                    .iter()
                    .map(|compiled| {
                        let (form, (registers, local)) = (compiled.form, compiled.kernel.resources());
                        let cluster = match form.cluster {
                            1 => String::new(),
                            n => format!(" for {n} blocks, {} at once,", compiled.at_once),
                        };
                        let columns = if form.columns { " squares as columns," } else { "" };
                        format!(
                            "{} boards{cluster}{columns} {}x{} tiles {} stages registers {registers} local {local}",
                            form.boards, form.warpgroups, form.tiles, form.stages
                        )
                    })
                    .collect();
                format!("fused {} ({})", if self.shape.eight { "fp8" } else { "fp16" }, forms.join("; "))
            }
            Kernels::Portable { .. } if self.shape.single => "portable fp32".into(),
            Kernels::Portable { .. } => "portable fp16".into(),
        }
    }

    /// The planes that the portable kernels have expanded, if these are in use.
    pub(super) fn planes<'a>(&self, memory: &'a Memory) -> Option<&'a DeviceMemory> {
        memory.layers.as_ref().map(|[planes, ..]| planes)
    }

    /// Groups of hidden numbers that the last kernel computes apart.
    fn hidden_groups(&self) -> usize {
        self.shape.hidden / 32
    }

    /// Device memory for batches of up to `most` positions.
    pub(super) fn memory(&self, most: usize) -> Result<Memory, TextError> {
        let squares = self.shape.layout.squares();
        let rows = most * squares;
        Ok(Memory {
            policy: self.device.allocate(4 * most * self.shape.policy_stride())?,
            reduced: self.device.allocate(2 * most * self.shape.features * self.shape.terms())?,
            ownership: self.device.allocate(if self.shape.ownership { 4 * rows } else { 16 })?,
            parts: self.device.allocate(4 * PART_NUMBERS * self.hidden_groups() * most.div_ceil(VALUE_POSITIONS))?,
            done: self.device.allocate(4 * most.div_ceil(VALUE_POSITIONS))?,
            layers: match self.kernels {
                Kernels::Fused(_) => None,
                Kernels::Portable { .. } => {
                    let activations = || self.device.allocate(2 * rows * self.shape.channels * self.shape.terms());
                    let planes = self.device.allocate(2 * rows * self.shape.inputs * self.shape.terms())?;
                    Some([planes, activations()?, activations()?, activations()?])
                }
            },
        })
    }

    /// Batch sizes that fill the device.
    pub(super) fn preferred_batches(&self, most: usize) -> Vec<usize> {
        match &self.kernels {
            Kernels::Fused(forms) => {
                let alone = forms.iter().filter(|compiled| compiled.form.cluster == 1);
                let mut sizes: Vec<usize> = alone.map(Compiled::wave).collect();
                if sizes.is_empty() {
                    // Only forms of clusters were good.
                    sizes.extend(forms.last().map(Compiled::wave));
                }
                sizes.dedup();
                let last = sizes.last().copied().unwrap_or(1);
                sizes.extend((2..).map(|waves| waves * last).take_while(|&size| size <= most));
                sizes.retain(|&size| size <= most);
                sizes
            }
            Kernels::Portable { .. } => {
                let wave = self.portable_wave();
                (1..).map(|waves| waves * wave).take_while(|&size| size <= most).take(8).collect()
            }
        }
    }

    /// Positions of as many blocks of the widest layer as two on each multiprocessor.
    fn portable_wave(&self) -> usize {
        let blocks = 2 * self.multiprocessors / (self.shape.channels / TILE_OUTPUTS).max(1);
        (blocks * TILE_ROWS / self.shape.layout.squares()).max(1)
    }

    /// Starts overwriting what the tower leaves for the last kernel, and what layers leave for each other, so that a kernel that writes nothing
    /// is not taken for one that writes what another one did. With 0 it is as new.
    pub(super) fn spoil(&self, stream: &Stream, memory: &Memory, byte: u8) -> Result<(), TextError> {
        let layers = memory.layers.iter().flatten();
        [&memory.policy, &memory.reduced].into_iter().chain(layers).try_for_each(|memory| stream.fill(memory, byte))
    }

    /// Starts everything that answers a batch.
    pub(super) fn start(
        &self,
        stream: &Stream,
        memory: &Memory,
        places: &Places,
        count: usize,
        labels: bool,
    ) -> Result<(), TextError> {
        match &self.kernels {
            Kernels::Fused(forms) => self.start_fused(forms, &self.parts(forms, count), stream, memory, places)?,
            Kernels::Portable { expand, .. } => self.start_portable(expand, stream, memory, places, count)?,
        }
        self.finish(stream, memory, places, count, labels)
    }

    /// The same by one form alone.
    pub(super) fn start_alone(
        &self,
        form: usize,
        stream: &Stream,
        memory: &Memory,
        places: &Places,
        count: usize,
    ) -> Result<(), TextError> {
        match &self.kernels {
            Kernels::Fused(forms) => self.start_fused(forms, &[(form, count)], stream, memory, places)?,
            Kernels::Portable { expand, .. } => self.start_portable(expand, stream, memory, places, count)?,
        }
        self.finish(stream, memory, places, count, true)
    }

    /// The same for positions that are planes already: `places.positions` is where they lie, a float for each plane and square. `forms` are
    /// those of [`Engine::dense`], if there are any.
    pub(super) fn start_dense(
        &self,
        forms: Option<&[Compiled]>,
        stream: &Stream,
        memory: &Memory,
        places: &Places,
        count: usize,
        labels: bool,
    ) -> Result<(), TextError> {
        match (&self.kernels, forms) {
            (Kernels::Fused(_), _) if self.shape.eight => {
                return Err(TextError::new("planes that are written out are for sixteen bits"));
            }
            (Kernels::Fused(_), forms) => {
                let forms = forms.unwrap_or_default();
                self.start_fused(forms, &self.parts(forms, count), stream, memory, places)?;
            }
            (Kernels::Portable { take_planes, .. }, _) => {
                self.start_portable(take_planes, stream, memory, places, count)?;
            }
        }
        self.finish(stream, memory, places, count, labels)
    }

    /// Values, scores and the wanted logits, from what the tower has left.
    fn finish(
        &self,
        stream: &Stream,
        memory: &Memory,
        places: &Places,
        count: usize,
        labels: bool,
    ) -> Result<(), TextError> {
        let value_blocks = count.div_ceil(VALUE_POSITIONS) * self.hidden_groups();
        let gather_blocks = if labels { count.div_ceil(FINISH_POSITIONS) } else { 0 };
        stream.launch(
            &self.finish,
            [value_blocks + gather_blocks, 1],
            FINISH_THREADS,
            &[
                memory.reduced.at(0),
                memory.policy.at(0),
                self.hidden.at(0),
                self.hidden_bias.at(0),
                self.last.at(0),
                self.last_bias.at(0),
                self.label_bias.as_ref().map_or(Argument::Address(0), |bias| bias.at(0)),
                places.labels,
                places.ends,
                places.values,
                places.logits,
                memory.parts.at(0),
                memory.done.at(0),
                Argument::Int(count as i32),
                Argument::Int(value_blocks as i32),
            ],
        )
    }

    /// Which of these forms get how many positions of a batch.
    fn parts(&self, forms: &[Compiled], count: usize) -> Vec<(usize, usize)> {
        let plain: Vec<(Form, usize)> = forms.iter().map(|compiled| (compiled.form, compiled.at_once)).collect();
        match self.crowded {
            true => vec![(plain.len().saturating_sub(1), count)],
            false => plan::divide(&plain, &self.shape, count),
        }
    }

    /// The same in words: forms and positions.
    pub(super) fn division(&self, count: usize) -> String {
        let Kernels::Fused(forms) = &self.kernels else { return self.tier() };
        let part = |(i, part): (usize, usize)| format!("{}: {part}", forms[i].name());
        self.parts(forms, count).into_iter().map(part).collect::<Vec<_>>().join(", ")
    }

    fn start_fused(
        &self,
        forms: &[Compiled],
        parts: &[(usize, usize)],
        stream: &Stream,
        memory: &Memory,
        places: &Places,
    ) -> Result<(), TextError> {
        let mut first = 0;
        for &(i, part) in parts {
            let Compiled { form, kernel, at_once } = &forms[i];
            // A block goes from boards to boards; a cluster, and a block with squares as columns, has one turn.
            let blocks = match form.cluster {
                1 if !form.columns => part.div_ceil(form.boards).min(*at_once),
                cluster => part.div_ceil(form.boards) * cluster,
            };
            let of_cluster = self.weights_of_clusters.iter().find(|(cluster, _)| *cluster == form.cluster);
            let weights = of_cluster.map_or(&self.weights, |(_, weights)| weights);
            stream.launch(
                kernel,
                [blocks, 1],
                form.threads(),
                &[
                    places.positions,
                    weights.at(0),
                    self.biases.at(0),
                    memory.policy.at(0),
                    memory.reduced.at(0),
                    memory.ownership.at(0),
                    Argument::Int(first as i32),
                    Argument::Int(part as i32),
                    Argument::Int(self.blocks as i32),
                ],
            )?;
            first += part;
        }
        Ok(())
    }

    fn start_portable(
        &self,
        expand: &Kernel,
        stream: &Stream,
        memory: &Memory,
        places: &Places,
        count: usize,
    ) -> Result<(), TextError> {
        let (Kernels::Portable { convolution, heads, offsets, .. }, Some([planes, x, t, y])) =
            (&self.kernels, &memory.layers)
        else {
            return Err(TextError::new("a batch without memory for its layers"));
        };
        let rows = count * self.shape.layout.squares();
        stream.launch(expand, [count, 1], 128, &[places.positions, planes.at(0)])?;
        let row_blocks = rows.div_ceil(TILE_ROWS);
        let convolve = |i: usize, from: &DeviceMemory, skip: Option<&DeviceMemory>, to: &DeviceMemory| {
            let inputs = if i == 0 { self.shape.inputs } else { self.shape.channels };
            stream.launch(
                convolution,
                [row_blocks, self.shape.channels / TILE_OUTPUTS],
                256,
                &[
                    from.at(0),
                    self.weights.at(offsets[i]),
                    self.biases.at(4 * i * self.shape.channels),
                    skip.map_or(Argument::Address(0), |skip| skip.at(0)),
                    to.at(0),
                    Argument::Int(rows as i32),
                    Argument::Int(inputs as i32),
                ],
            )
        };
        let (mut trunk, mut next) = (x, y);
        convolve(0, planes, None, trunk)?;
        for block in 0..self.blocks {
            convolve(2 * block + 1, trunk, None, t)?;
            convolve(2 * block + 2, t, Some(trunk), next)?;
            std::mem::swap(&mut trunk, &mut next);
        }
        let layers = 2 * self.blocks + 1;
        let head_blocks = source::padded_heads(&self.shape) / TILE_OUTPUTS;
        stream.launch(
            heads,
            [row_blocks, head_blocks],
            256,
            &[
                trunk.at(0),
                self.weights.at(offsets[layers]),
                self.biases.at(4 * layers * self.shape.channels),
                memory.policy.at(0),
                memory.reduced.at(0),
                memory.ownership.at(0),
                Argument::Int(rows as i32),
            ],
        )
    }
}
