//! The driver of NVIDIA's GPUs, behind functions that are safe to call from the rest of this module.
//!
//! This is the only file of the backend with `unsafe` code. What it relies on:
//!
//! - Every call goes through `cudarc`, which finds the libraries when they are first used. It panics where one is missing, so [`Device::open`]
//!   and [`compile`] ask for them first.
//! - Memory belongs to [`DeviceMemory`] and [`HostMemory`], which free it once; both keep the context alive.
//! - Kernels are this crate's own, compiled for the shape their arguments are made for; [`Stream::launch`] takes the memory they use by
//!   reference and its callers keep it until they have waited for the stream's event.
#![allow(unsafe_code, reason = "calls of a C library; every block says why it is sound")]

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaGraph, CudaStream, DriverError, LaunchConfig, result};
use cudarc::nvrtc::{CompileError, CompileOptions, Ptx, compile_ptx_with_opts};
use yomi_core::TextError;
use yomi_core::clock::Stopwatch;

use super::embedded;

/// The oldest driver whose functions are all there: CUDA 12.8.
const OLDEST_DRIVER: i32 = 12_080;

fn fault(what: &str) -> impl Fn(DriverError) -> TextError {
    move |error| {
        // The names come from the driver, which has just answered.
        let text = |part: Result<&std::ffi::CStr, DriverError>| {
            part.map_or_else(|_| format!("error {:?}", error.0), |text| text.to_string_lossy().into_owned())
        };
        TextError::new(format!("{what}: {} ({})", text(error.error_string()), text(error.error_name())))
    }
}

/// What is called of the driver's library before anything else of it can be relied on; the bindings would panic where one is missing.
const DRIVER_FUNCTIONS: [&str; 15] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuMemAlloc_v2",
    "cuModuleLoadData",
    "cuLaunchKernel",
    "cuEventSynchronize",
    "cuEventQuery",
];

/// What is called of the compiler's library.
const COMPILER_FUNCTIONS: [&str; 7] = [
    "nvrtcCreateProgram",
    "nvrtcCompileProgram",
    "nvrtcDestroyProgram",
    "nvrtcGetPTX",
    "nvrtcGetPTXSize",
    "nvrtcGetProgramLog",
    "nvrtcGetProgramLogSize",
];

/// Whether the driver's library is on this machine.
pub fn driver_present() -> bool {
    // SAFETY: loads the library, whose start code is the driver's own; nothing of it is called.
    unsafe { sys::is_culib_present() }
}

/// The function that the driver's library lacks, if it lacks one: it is broken, or something else that has its name.
fn missing_driver_function() -> Option<&'static str> {
    // SAFETY: the library was loaded before; a function is looked up by its name and not called.
    let has = |name: &&str| unsafe { sys::culib().get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_ok();
    DRIVER_FUNCTIONS.into_iter().find(|name| !has(name))
}

/// Whether the run-time compiler's library is on this machine, with all that is called of it.
pub fn compiler_present() -> bool {
    // SAFETY: as above.
    if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        return false;
    }
    // SAFETY: as above.
    let has =
        |name: &str| unsafe { cudarc::nvrtc::sys::culib().get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_ok();
    COMPILER_FUNCTIONS.into_iter().all(has)
}

/// A GPU.
#[derive(Clone, Debug)]
pub struct Device {
    context: Arc<CudaContext>,
    ordinal: usize,
}

/// GPUs that do not answer this program any more, and why: their kernels may run for ever, and every call that waits for them with them.
static LOST: Mutex<BTreeMap<usize, TextError>> = Mutex::new(BTreeMap::new());

fn lost() -> MutexGuard<'static, BTreeMap<usize, TextError>> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// How many GPUs the driver shows; an error if there is no driver, or one that does not work.
    pub fn count() -> Result<usize, TextError> {
        if !driver_present() {
            return Err(TextError::new("there is no NVIDIA driver on this machine (libcuda was not found)"));
        }
        if let Some(name) = missing_driver_function() {
            return Err(TextError::new(format!("the NVIDIA driver is broken: its library (libcuda) has no {name}")));
        }
        result::init().map_err(fault("the NVIDIA driver does not start"))?;
        let version = Device::driver_version()?;
        if version < OLDEST_DRIVER {
            let said = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
            return Err(TextError::new(format!(
                "the NVIDIA driver is for CUDA {}; {} or later is needed",
                said(version),
                said(OLDEST_DRIVER)
            )));
        }
        let count = result::device::get_count().map_err(fault("the NVIDIA driver does not list its devices"))?;
        Ok(count.max(0) as usize)
    }

    /// The CUDA version of the driver, as 13000 for 13.0.
    pub fn driver_version() -> Result<i32, TextError> {
        let mut version = 0;
        // SAFETY: writes one number to the address of a number.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }
            .result()
            .map_err(fault("the NVIDIA driver has no version"))?;
        Ok(version)
    }

    /// Opens a GPU.
    pub fn open(ordinal: usize) -> Result<Device, TextError> {
        if let Some(why) = lost().get(&ordinal) {
            return Err(why.clone());
        }
        let count = Device::count()?;
        if ordinal >= count {
            return Err(TextError::new(format!("there is no GPU {ordinal}: the driver shows {count}")));
        }
        let context = CudaContext::new(ordinal).map_err(fault("the GPU does not open"))?;
        // SAFETY: this module orders its work by streams and events itself and uses none of cudarc's slices.
        unsafe { context.disable_event_tracking() };
        Ok(Device { context, ordinal })
    }

    /// Nothing is asked of this GPU any more. What is in use on it must be forgotten and not dropped: freeing waits for kernels.
    pub(super) fn lose(&self, why: TextError) {
        lost().entry(self.ordinal).or_insert(why);
    }

    /// Why nothing is asked of this GPU any more, if that is so.
    pub(super) fn loss(&self) -> Option<TextError> {
        lost().get(&self.ordinal).cloned()
    }

    /// The name, as `nvidia-smi` shows it.
    pub fn name(&self) -> String {
        self.context.name().unwrap_or_else(|_| "GPU".into())
    }

    /// Major and minor number of the compute capability.
    pub fn capability(&self) -> Result<(i32, i32), TextError> {
        self.context.compute_capability().map_err(fault("the GPU has no compute capability"))
    }

    fn attribute(&self, attribute: Attribute) -> Result<usize, TextError> {
        let value = self.context.attribute(attribute).map_err(fault("the GPU does not describe itself"))?;
        Ok(value.max(0) as usize)
    }

    /// How many multiprocessors it has.
    pub fn multiprocessors(&self) -> Result<usize, TextError> {
        self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    }

    /// The most shared memory a block can have.
    pub fn shared_memory(&self) -> Result<usize, TextError> {
        self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    }

    /// Free and all memory in bytes.
    pub fn memory(&self) -> Result<(usize, usize), TextError> {
        self.context.mem_get_info().map_err(fault("the GPU does not tell its memory"))
    }

    fn bind(&self) -> Result<(), TextError> {
        self.context.bind_to_thread().map_err(fault("the GPU is lost"))
    }

    /// A new stream of work.
    pub fn stream(&self) -> Result<Stream, TextError> {
        let stream = self.context.new_stream().map_err(fault("no stream"))?;
        Ok(Stream { device: self.clone(), stream })
    }

    /// A new event; `timed` ones can tell the time between them.
    pub fn event(&self, timed: bool) -> Result<Event, TextError> {
        let flags =
            if timed { sys::CUevent_flags::CU_EVENT_DEFAULT } else { sys::CUevent_flags::CU_EVENT_DISABLE_TIMING };
        Ok(Event(self.context.new_event(Some(flags)).map_err(fault("no event"))?))
    }

    /// Memory of the device, all zeros.
    pub fn allocate(&self, bytes: usize) -> Result<DeviceMemory, TextError> {
        self.bind()?;
        let what = format!("no {} MiB of device memory", bytes >> 20);
        // SAFETY: the context is bound; the address is freed once, when the result is dropped.
        let address = unsafe { result::malloc_sync(bytes.max(16)) }.map_err(fault(&what))?;
        let memory = DeviceMemory { device: self.clone(), address, bytes: bytes.max(16) };
        // SAFETY: the range was allocated above.
        unsafe { result::memset_d8_sync(address, 0, memory.bytes) }.map_err(fault("device memory"))?;
        Ok(memory)
    }

    /// Memory of the device with these bytes.
    pub fn upload(&self, bytes: &[u8]) -> Result<DeviceMemory, TextError> {
        let memory = self.allocate(bytes.len())?;
        // SAFETY: the range has at least as many bytes; the call returns when they are copied.
        unsafe { result::memcpy_htod_sync(memory.address, bytes) }.map_err(fault("copying to the device"))?;
        Ok(memory)
    }

    /// Memory of the host that the device reads and writes as well, all zeros.
    pub fn allocate_host(&self, bytes: usize) -> Result<HostMemory, TextError> {
        self.bind()?;
        let bytes = bytes.max(16);
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the context is bound; the address is freed once, when the result is dropped.
        let address = unsafe { result::malloc_host(bytes, flags) }.map_err(fault("no pinned memory"))?.cast::<u8>();
        // SAFETY: the range was allocated above.
        unsafe { address.write_bytes(0, bytes) };
        Ok(HostMemory { device: self.clone(), address, bytes })
    }

    /// Loads compiled kernels.
    pub fn load(&self, ptx: &str, name: &str) -> Result<Module, TextError> {
        let module = self.context.load_module(Ptx::from_src(ptx));
        module.map(Module).map_err(fault(&format!("the driver does not take kernel {name}")))
    }
}

/// Compiled kernels on a device.
#[derive(Debug)]
pub struct Module(Arc<cudarc::driver::CudaModule>);

impl Module {
    /// A kernel that may use this much shared memory.
    pub fn kernel(&self, name: &str, shared_bytes: usize) -> Result<Kernel, TextError> {
        let function = self.0.load_function(name).map_err(fault(&format!("kernel {name}")))?;
        if shared_bytes > 48 << 10 {
            function
                .set_attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes as i32)
                .map_err(fault(&format!("{shared_bytes} bytes of shared memory for kernel {name}")))?;
        }
        Ok(Kernel { function, shared_bytes })
    }
}

/// A kernel, with the shared memory of its blocks.
#[derive(Clone, Debug)]
pub struct Kernel {
    function: CudaFunction,
    shared_bytes: usize,
}

impl Kernel {
    /// Registers of a thread and bytes of local memory, as the driver compiled it.
    pub fn resources(&self) -> (i32, i32) {
        (self.function.num_regs().unwrap_or(-1), self.function.local_size_bytes().unwrap_or(-1))
    }

    /// How many clusters of blocks the device runs at once.
    pub fn clusters_at_once(&self, stream: &Stream, cluster: usize, threads: usize) -> Result<usize, TextError> {
        stream.device.bind()?;
        let config = LaunchConfig {
            grid_dim: (cluster as u32, 1, 1),
            block_dim: (threads as u32, 1, 1),
            shared_mem_bytes: self.shared_bytes as u32,
        };
        let clusters = self.function.occupancy_max_active_clusters(config, &stream.stream);
        clusters.map(|n| n as usize).map_err(fault("the GPU does not tell how many clusters it runs"))
    }
}

/// Memory of a device.
#[derive(Debug)]
pub struct DeviceMemory {
    device: Device,
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl DeviceMemory {
    /// The address `offset` bytes in, for a kernel.
    pub fn at(&self, offset: usize) -> Argument {
        debug_assert!(offset < self.bytes);
        Argument::Address(self.address + offset as u64)
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Copies numbers to the beginning and waits until they are there.
    pub fn write(&mut self, numbers: &[f32]) -> Result<(), TextError> {
        self.device.bind()?;
        if size_of_val(numbers) > self.bytes {
            return Err(TextError::new("copying to the device: too many bytes"));
        }
        // SAFETY: the range is long enough; the call returns when everything is copied.
        unsafe { result::memcpy_htod_sync(self.address, numbers) }.map_err(fault("copying to the device"))
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: allocated by `allocate`, freed nowhere else. A device that is lost has no memory to free: the error says nothing new.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Memory of the host that the device has mapped.
#[derive(Debug)]
pub struct HostMemory {
    device: Device,
    address: *mut u8,
    bytes: usize,
}

// SAFETY: the memory belongs to this value alone, as that of a `Box<[u8]>` does; the device writes to it only between a launch and its event,
// while the owner keeps from reading it.
unsafe impl Send for HostMemory {}
// SAFETY: shared references only read.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// The bytes. Not to be looked at while kernels write them.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: allocated with this length, and initialised.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }

    /// The bytes, to be changed. Not while kernels use them.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
    }

    /// The address `offset` bytes in, for a kernel: with unified addressing the device uses the host's.
    pub fn at(&self, offset: usize) -> Argument {
        debug_assert!(offset < self.bytes);
        Argument::Address(self.address as u64 + offset as u64)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: allocated by `allocate_host`, freed nowhere else.
            let _ = unsafe { result::free_host(self.address.cast::<c_void>()) };
        }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// A pointer, or 0 for none.
    Address(u64),
    /// An `int`.
    Int(i32),
}

/// Work that is done in order.
#[derive(Debug)]
pub struct Stream {
    device: Device,
    stream: Arc<CudaStream>,
}

impl Stream {
    /// Starts a kernel. Its arguments must be those of its declaration, and the memory they point to must stay until the work is done.
    pub fn launch(
        &self,
        kernel: &Kernel,
        blocks: [usize; 2],
        threads: usize,
        arguments: &[Argument],
    ) -> Result<(), TextError> {
        self.device.bind()?;
        let mut pointers: Vec<*mut c_void> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Address(address) => std::ptr::from_ref(address).cast::<c_void>().cast_mut(),
                Argument::Int(int) => std::ptr::from_ref(int).cast::<c_void>().cast_mut(),
            })
            .collect();
        // SAFETY: the arguments live until the call returns, which copies them; what they point to is the callers' duty, see above.
        unsafe {
            result::launch_kernel(
                kernel.function.cu_function(),
                (blocks[0] as u32, blocks[1] as u32, 1),
                (threads as u32, 1, 1),
                kernel.shared_bytes as u32,
                self.stream.cu_stream(),
                &mut pointers,
            )
        }
        .map_err(fault("a kernel does not start"))
    }

    /// Starts copying from the beginning of device memory to `to`, `offset` bytes in.
    pub fn download(
        &self,
        from: &DeviceMemory,
        to: &mut HostMemory,
        offset: usize,
        bytes: usize,
    ) -> Result<(), TextError> {
        self.device.bind()?;
        if bytes > from.bytes || offset + bytes > to.bytes {
            return Err(TextError::new("copying from the device: too few bytes"));
        }
        let part = &mut to.bytes_mut()[offset..offset + bytes];
        // SAFETY: both ranges are long enough; the host's is pinned and stays until the event after the copy.
        unsafe { result::memcpy_dtoh_async(part, from.address, self.stream.cu_stream()) }
            .map_err(fault("copying from the device"))
    }

    /// Starts filling device memory with a byte.
    pub fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<(), TextError> {
        self.device.bind()?;
        // SAFETY: the range was allocated; it is freed only after the stream's work was waited for, as with kernels.
        unsafe { result::memset_d8_async(memory.address, byte, memory.bytes, self.stream.cu_stream()) }
            .map_err(fault("device memory"))
    }

    /// Marks this place in the stream.
    pub fn record(&self, event: &Event) -> Result<(), TextError> {
        event.0.record(&self.stream).map_err(fault("the GPU is lost"))
    }

    /// Waits until everything is done.
    pub fn synchronize(&self) -> Result<(), TextError> {
        self.stream.synchronize().map_err(fault("the GPU is lost"))
    }

    /// Records what `work` starts on this stream, to be started again as one. Nothing is computed.
    pub fn capture(&self, work: impl FnOnce() -> Result<(), TextError>) -> Result<Graph, TextError> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).map_err(fault("no graph"))?;
        let done = work();
        let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = self.stream.end_capture(flags).map_err(fault("no graph"));
        done?;
        graph?.map(Graph).ok_or_else(|| TextError::new("an empty graph"))
    }
}

/// Work recorded by [`Stream::capture`], on the stream that recorded it.
pub struct Graph(CudaGraph);

// SAFETY: a graph is used through the stream it was recorded on by one owner at a time; the driver does not bind it to a thread.
unsafe impl Send for Graph {}

impl Graph {
    /// Starts the work.
    pub fn launch(&self) -> Result<(), TextError> {
        self.0.launch().map_err(fault("a graph does not start"))
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Graph")
    }
}

/// A place in a stream.
#[derive(Debug)]
pub struct Event(CudaEvent);

impl Event {
    /// Waits until the stream has come here.
    pub fn wait(&self) -> Result<(), TextError> {
        self.0.synchronize().map_err(fault("the GPU is lost"))
    }

    /// Waits until the stream has come here, but not longer than that; whether it has.
    pub fn wait_for(&self, limit: Duration) -> Result<bool, TextError> {
        self.0.context().bind_to_thread().map_err(fault("the GPU is lost"))?;
        let watch = Stopwatch::start();
        while !self.0.try_is_complete().map_err(fault("the GPU is lost"))? {
            if watch.elapsed() > limit {
                return Ok(false);
            }
            std::thread::yield_now();
        }
        Ok(true)
    }

    /// Microseconds from this event to a later one.
    pub fn microseconds_to(&self, later: &Event) -> Result<f64, TextError> {
        Ok(f64::from(self.0.elapsed_ms(&later.0).map_err(fault("timing"))?) * 1000.0)
    }
}

/// The PTX of a source for a virtual architecture: what was compiled when the program was built, or compiled now.
pub(super) fn ptx(source: &str, architecture: &'static str) -> Result<String, TextError> {
    embedded::find(source, architecture).map_or_else(|| compile(source, architecture), |ptx| Ok(ptx.to_string()))
}

/// Kernels that were compiled. Sources depend on the shape of a network only, so a run that opens one network of a shape after another compiles
/// once.
static COMPILED: Mutex<BTreeMap<(&'static str, String), String>> = Mutex::new(BTreeMap::new());

/// Compiles kernels for a virtual architecture, as `compute_80`, or remembers them.
pub(super) fn compile(source: &str, architecture: &'static str) -> Result<String, TextError> {
    let key = (architecture, source.to_string());
    let remembered = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(ptx) = remembered().get(&key) {
        return Ok(ptx.clone());
    }
    let ptx = compile_anew(source, architecture)?;
    remembered().insert(key, ptx.clone());
    Ok(ptx)
}

fn compile_anew(source: &str, architecture: &'static str) -> Result<String, TextError> {
    if !compiler_present() {
        return Err(TextError::new("NVIDIA's run-time compiler was not found (libnvrtc)"));
    }
    let options =
        CompileOptions { arch: Some(architecture), options: vec!["-std=c++17".into()], ..CompileOptions::default() };
    // A library without one of the symbols makes the bindings panic.
    let compiled = catch_unwind(AssertUnwindSafe(|| compile_ptx_with_opts(source, options)));
    match compiled {
        Ok(Ok(ptx)) => Ok(ptx.to_src()),
        Ok(Err(CompileError::CompileError { log, .. })) => {
            let log = log.to_string_lossy();
            let first: Vec<&str> = log.lines().filter(|line| line.contains("error")).take(3).collect();
            Err(TextError::new(format!("kernels do not compile: {}", first.join("; "))).hinting(log.as_ref()))
        }
        Ok(Err(error)) => Err(TextError::new(format!("kernels do not compile: {error:?}"))),
        Err(_) => Err(TextError::new("NVIDIA's run-time compiler (libnvrtc) is of an unknown kind")),
    }
}
