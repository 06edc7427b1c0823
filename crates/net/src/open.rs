//! The choice of a backend: a GPU where there is one that works, else the CPU, with the reason.

use yomi_core::TextError;
use yomi_core::file::read_file;

use crate::Network;
use crate::backend::{Backend, CpuBackend};
#[cfg(any(target_os = "linux", target_os = "windows"))]
use crate::cuda::{self, Cuda, Device, Options};
use crate::onnx;
use crate::spare::WithSpare;

/// What should evaluate positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// A GPU if there is one that works, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// This GPU, from 0, or an error.
    Cuda(usize),
    /// ONNX Runtime with one of its providers, or an error (feature `ort`).
    Runtime(Provider),
}

/// What ONNX Runtime computes with; its library must have been built for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Provider {
    /// The CPU.
    Cpu,
    /// NVIDIA's GPUs.
    Cuda,
    /// NVIDIA's GPUs, compiled for them.
    TensorRt,
    /// Any GPU of a Windows machine.
    DirectMl,
    /// Apple's processors.
    CoreMl,
    /// Intel's processors.
    OpenVino,
    /// AMD's GPUs.
    MiGraphX,
}

impl Provider {
    const NAMES: [(&str, Provider); 7] = [
        ("ort", Provider::Cpu),
        ("ort:cuda", Provider::Cuda),
        ("ort:tensorrt", Provider::TensorRt),
        ("ort:directml", Provider::DirectMl),
        ("ort:coreml", Provider::CoreMl),
        ("ort:openvino", Provider::OpenVino),
        ("ort:migraphx", Provider::MiGraphX),
    ];

    /// As a user writes it.
    pub fn name(self) -> &'static str {
        Provider::NAMES.iter().find(|(_, known)| *known == self).map_or("ort", |(name, _)| name)
    }
}

impl Choice {
    /// What a user wrote: `auto`, `cpu`, `cuda`, `cuda:1`, `ort`, `ort:directml`.
    pub fn parse(text: &str) -> Result<Choice, TextError> {
        match text {
            "auto" => return Ok(Choice::Auto),
            "cpu" => return Ok(Choice::Cpu),
            "cuda" => return Ok(Choice::Cuda(0)),
            _ => {}
        }
        if let Some((_, provider)) = Provider::NAMES.iter().find(|(name, _)| *name == text) {
            return Ok(Choice::Runtime(*provider));
        }
        let number = text.strip_prefix("cuda:").and_then(|number| number.parse().ok());
        number.map(Choice::Cuda).ok_or_else(|| {
            TextError::new(format!("there is no device `{text}`"))
                .hinting("devices: auto, cpu, cuda, cuda:0, cuda:1, ..., ort, ort:cuda, ort:tensorrt, ort:directml, ort:coreml, ort:openvino, ort:migraphx")
        })
    }
}

impl Choice {
    /// As a user writes it.
    pub fn name(self) -> String {
        match self {
            Choice::Auto => "auto".into(),
            Choice::Cpu => "cpu".into(),
            Choice::Cuda(device) => format!("cuda:{device}"),
            Choice::Runtime(provider) => provider.name().into(),
        }
    }
}

/// Which numbers products of the tower are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precision {
    /// Sixteen bits.
    #[default]
    Half,
    /// Products as exact as those of 32 bits, by three of sixteen: for the kernels of the CUDA backend that work layer by layer, about a third as fast.
    Single,
    /// Eight bits (e4m3), for the fused kernel of the CUDA backend: nearly twice as fast, and two digits less exact. What it changes depends on the network:
    /// `yomi net check` shows it.
    Eight,
}

impl Precision {
    /// What a user writes, and what it means.
    pub const NAMES: [(&str, Precision); 3] =
        [("fp16", Precision::Half), ("fp32", Precision::Single), ("fp8", Precision::Eight)];
}

/// No network of the field is larger.
const LARGEST: u64 = 1 << 30;

/// The network of a file: safetensors, or ONNX of dlshogi's kind (by its ending).
pub fn read(name: &str) -> Result<Network, TextError> {
    let bytes = read_file(name, LARGEST)?;
    let is_onnx = name.to_lowercase().ends_with(".onnx");
    let network = if is_onnx { onnx::import(&bytes) } else { Network::read(&bytes) };
    network.map_err(|error| TextError::new(format!("{name}: {}", error.message)))
}

/// Opens the network of a file. ONNX Runtime takes any ONNX graph with the inputs and outputs of a known layout, as it is.
pub fn open_file(name: &str, choice: Choice, threads: usize, precision: Precision) -> Result<Opened, TextError> {
    match choice {
        Choice::Runtime(provider) if name.to_lowercase().ends_with(".onnx") => {
            let backend = open_graph(&read_file(name, LARGEST)?, provider, threads)
                .map_err(|error| TextError { message: format!("{name}: {}", error.message), ..error })?;
            Ok(Opened { backend, why_not_gpu: None })
        }
        _ => open_with(&read(name)?, choice, threads, precision),
    }
}

#[cfg(feature = "ort")]
fn open_graph(graph: &[u8], provider: Provider, threads: usize) -> Result<Box<dyn Backend>, TextError> {
    Ok(Box::new(crate::runtime::Runtime::new(graph, provider, threads)?))
}

#[cfg(not(feature = "ort"))]
fn open_graph(_: &[u8], _: Provider, _: usize) -> Result<Box<dyn Backend>, TextError> {
    Err(TextError::new("this program was built without ONNX Runtime").hinting("cargo build --release --features ort"))
}

/// A backend, and why it is not another one.
pub struct Opened {
    /// The backend.
    pub backend: Box<dyn Backend>,
    /// Why the CPU is used although a GPU would have been taken.
    pub why_not_gpu: Option<TextError>,
}

/// Opens a network. A GPU that fails later, or is found to answer wrongly, is replaced by the CPU ([`WithSpare`]).
pub fn open(network: &Network, choice: Choice, threads: usize) -> Result<Opened, TextError> {
    open_with(network, choice, threads, Precision::Half)
}

/// The same with another precision on a GPU; the CPU computes in single precision whatever is asked for.
pub fn open_with(network: &Network, choice: Choice, threads: usize, precision: Precision) -> Result<Opened, TextError> {
    let cpu = || Box::new(CpuBackend::new(network, threads));
    let gpu = match choice {
        Choice::Cpu => return Ok(Opened { backend: cpu(), why_not_gpu: None }),
        Choice::Auto => open_gpu(network, 0, precision),
        Choice::Cuda(device) => open_gpu(network, device, precision),
        Choice::Runtime(provider) => {
            let backend = open_graph(&onnx::export(network), provider, threads)?;
            return Ok(Opened { backend, why_not_gpu: None });
        }
    };
    match gpu {
        Ok(gpu) => Ok(Opened { backend: Box::new(WithSpare::new(gpu, cpu(), precision)), why_not_gpu: None }),
        Err(error) if choice == Choice::Auto => Ok(Opened { backend: cpu(), why_not_gpu: Some(error) }),
        Err(error) => Err(error),
    }
}

#[cfg(any(target_os = "linux", target_os = "windows"))]
fn open_gpu(network: &Network, device: usize, precision: Precision) -> Result<Box<dyn Backend>, TextError> {
    Ok(Box::new(Cuda::new(network, Options { device, precision, ..Options::default() })?))
}

#[cfg(not(any(target_os = "linux", target_os = "windows")))]
fn open_gpu(_: &Network, _: usize, _: Precision) -> Result<Box<dyn Backend>, TextError> {
    Err(TextError::new("this program has no GPU backend for this system"))
}

/// A line of a report on devices: a name, and what was found or why not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What was looked for.
    pub what: String,
    /// What was found, or why it cannot be used.
    pub found: Result<String, TextError>,
}

/// What there is on this machine to evaluate networks with.
pub fn findings() -> Vec<Finding> {
    let units: Vec<&str> = crate::cpu::Unit::available().into_iter().map(crate::cpu::Unit::name).collect();
    let mut list = vec![Finding { what: "CPU".into(), found: Ok(units.join(", ")) }];
    list.extend(gpu_findings());
    list.push(Finding { what: "ONNX Runtime".into(), found: runtime_found() });
    list
}

#[cfg(feature = "ort")]
fn runtime_found() -> Result<String, TextError> {
    crate::runtime::version()
}

#[cfg(not(feature = "ort"))]
fn runtime_found() -> Result<String, TextError> {
    Err(TextError::new("this program was built without it").hinting("cargo build --release --features ort"))
}

#[cfg(any(target_os = "linux", target_os = "windows"))]
fn gpu_findings() -> Vec<Finding> {
    let count = Device::count();
    let driver = count.clone().and_then(|count| {
        let version = Device::driver_version()?;
        Ok(format!("CUDA {}.{}, GPUs: {count}", version / 1000, version % 1000 / 10))
    });
    let embedded = cuda::embedded_kernels();
    let compiler = if cuda::compiler_present() {
        Ok("libnvrtc".to_string())
    } else if embedded > 0 {
        Ok(format!("not found; {embedded} kernels of the usual networks are in this program"))
    } else {
        Err(TextError::new("libnvrtc was not found, and this program was built without kernels")
            .hinting("it comes with the CUDA toolkit and with the Python package nvidia-cuda-nvrtc"))
    };
    let mut list = vec![
        Finding { what: "NVIDIA driver".into(), found: driver },
        Finding { what: "NVIDIA run-time compiler".into(), found: compiler },
    ];
    for ordinal in 0..count.unwrap_or(0) {
        list.push(Finding { what: format!("GPU {ordinal}"), found: describe(ordinal) });
    }
    list
}

#[cfg(any(target_os = "linux", target_os = "windows"))]
fn describe(ordinal: usize) -> Result<String, TextError> {
    let device = Device::open(ordinal)?;
    let ((major, minor), (free, all)) = (device.capability()?, device.memory()?);
    let kernels = match (major, minor) {
        (9, 0) => "fused kernel",
        (8.., _) => "portable kernels",
        _ => return Err(TextError::new(format!("{}: compute capability {major}.{minor} is below 8.0", device.name()))),
    };
    Ok(format!(
        "{}, compute capability {major}.{minor} ({kernels}), multiprocessors {}, {} of {} MiB free",
        device.name(),
        device.multiprocessors()?,
        free >> 20,
        all >> 20
    ))
}

#[cfg(not(any(target_os = "linux", target_os = "windows")))]
fn gpu_findings() -> Vec<Finding> {
    Vec::new()
}
