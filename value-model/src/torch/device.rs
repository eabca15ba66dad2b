//! The device that tensors are on.

use tch::Device;

/// CUDA was asked for, and there is no CUDA device.
#[derive(Debug, thiserror::Error)]
#[error("no CUDA device: {0}")]
pub struct NoDevice(String);

/// The CPU, or the first CUDA device.
///
/// # Errors
/// If libtorch was built without CUDA, or there is no such device.
pub fn device(cuda: bool) -> Result<Device, NoDevice> {
    if !cuda {
        return Ok(Device::Cpu);
    }
    load_cuda()?;
    if !tch::Cuda::is_available() {
        return Err(NoDevice("libtorch finds none".to_owned()));
    }
    Ok(Device::Cuda(0))
}

/// Loads the CUDA half of libtorch, which registers itself; the linker drops it, since nothing here calls it.
fn load_cuda() -> Result<(), NoDevice> {
    // SAFETY: loading a library runs its initializers, which is what it is loaded for; the name ends with a zero.
    let handle = unsafe { libc::dlopen(c"libtorch_cuda.so".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if !handle.is_null() {
        return Ok(());
    }
    // SAFETY: after a failure `dlerror` gives a string that lives until the next call.
    let problem = unsafe { std::ffi::CStr::from_ptr(libc::dlerror()) };
    Err(NoDevice(problem.to_string_lossy().into_owned()))
}
