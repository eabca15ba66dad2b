//! Standard input of a program that may run many times.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::fcntl::{FcntlArg, OFlag, SealFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::pipe2;

/// Maximum size of input that is kept for further runs, in bytes.
const KEPT_BYTES: usize = 16 << 20;
/// A stream that has sent nothing for this many milliseconds is treated as live.
const FIRST_PATIENCE_MS: u16 = 20;
/// A stream that pauses for this many milliseconds after its first bytes is treated as live.
const PATIENCE_MS: u16 = 500;

/// Standard input of the runs of one program.
#[derive(Debug)]
pub struct Input(Kind);

#[derive(Debug)]
enum Kind {
    /// Input that was read to its end, or several samples of it: runs of one sample get the same bytes.
    Kept(Vec<File>),
    /// A live stream with the bytes already read from it: both go to the first run.
    Live(Vec<u8>, File),
    /// A live stream that was handed to the first run; the flag is set once it has sent anything.
    Given(Arc<AtomicBool>),
}

impl Input {
    /// Opens a file, or this process's own standard input for `-`; without a path the input is empty.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        match path {
            None => Self::of_text(&[]),
            Some(path) if path.as_os_str() == "-" => Self::of_stream(io::stdin().as_fd().try_clone_to_owned()?),
            Some(path) => Self::of_stream(File::open(path)?.into()),
        }
    }

    /// A text as the input of every run.
    ///
    /// # Errors
    /// If the system provides no memory for it.
    pub fn of_text(text: &[u8]) -> io::Result<Self> {
        Ok(Self(Kind::Kept(vec![sealed(text)?])))
    }

    /// Samples of an input, of which each run reads one.
    ///
    /// # Errors
    /// If the system provides no memory for them.
    pub fn of_samples<'s>(samples: impl IntoIterator<Item = &'s str>) -> io::Result<Self> {
        let files: io::Result<Vec<File>> = samples.into_iter().map(|text| sealed(text.as_bytes())).collect();
        Ok(Self(Kind::Kept(files?)))
    }

    /// How many samples there are.
    #[must_use]
    pub fn samples(&self) -> u32 {
        if let Kind::Kept(files) = &self.0 { files.len() as u32 } else { 1 }
    }

    fn of_stream(stream: OwnedFd) -> io::Result<Self> {
        let mut stream = File::from(stream);
        let mut kept = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        while kept.len() < KEPT_BYTES {
            let patience = if kept.is_empty() { FIRST_PATIENCE_MS } else { PATIENCE_MS };
            let mut ready = [PollFd::new(stream.as_fd(), PollFlags::POLLIN)];
            if poll(&mut ready, PollTimeout::from(patience))? == 0 {
                break;
            }
            let read = stream.read(&mut buffer)?;
            if read == 0 {
                return Self::of_text(&kept);
            }
            kept.extend_from_slice(&buffer[..read]);
        }
        Ok(Self(Kind::Live(kept, stream)))
    }

    /// Whether another run would read the same input as the runs before it.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        match &self.0 {
            Kind::Kept(_) => true,
            Kind::Live(..) => false,
            Kind::Given(said_something) => !said_something.load(Ordering::Relaxed),
        }
    }

    /// Opens a descriptor for one run, on one of the samples where there are several.
    ///
    /// # Errors
    /// If the system provides no descriptor.
    pub fn for_run(&mut self, sample: u32) -> io::Result<OwnedFd> {
        if let Kind::Kept(files) = &self.0 {
            return match files.get(sample as usize) {
                Some(file) => opened(file),
                None => opened(&sealed(&[])?),
            };
        }
        let said_something = Arc::new(AtomicBool::new(false));
        match std::mem::replace(&mut self.0, Kind::Given(Arc::clone(&said_something))) {
            Kind::Live(kept, stream) => {
                let (read, write) = pipe2(OFlag::O_CLOEXEC)?;
                said_something.store(!kept.is_empty(), Ordering::Relaxed);
                std::thread::spawn(move || pass_on(&kept, stream, write.into(), &said_something));
                Ok(read)
            }
            given => {
                self.0 = given;
                opened(&sealed(&[])?)
            }
        }
    }
}

/// A sealed file in memory: if a run could change it, the next run would read the change. Empty input is one as well,
/// because a run could change the mode of the machine's `/dev/null`.
fn sealed(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(c"surmise-stdin", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING)?);
    file.write_all(bytes)?;
    fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::all()))?;
    Ok(file)
}

/// Opened anew, it has a position of its own and cannot be written through.
fn opened(file: &File) -> io::Result<OwnedFd> {
    // The run before may have taken the right to read it away.
    file.set_permissions(Permissions::from_mode(0o400))?;
    Ok(File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?.into())
}

/// Copies until either side ends: the run may not read all.
fn pass_on(kept: &[u8], mut from: File, mut to: File, said_something: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    let mut passed = to.write_all(kept);
    while passed.is_ok() {
        let Ok(read @ 1..) = from.read(&mut buffer) else { return };
        said_something.store(true, Ordering::Relaxed);
        passed = to.write_all(&buffer[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &mut Input) -> String {
        let mut text = String::new();
        File::from(input.for_run(0).expect("a descriptor")).read_to_string(&mut text).expect("it is text");
        text
    }

    #[test]
    fn a_file_is_read_anew_by_every_run() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(b"1\n2\n").expect("it takes bytes");
        let mut input = Input::open(Some(file.path())).expect("it is there");
        assert_eq!([text(&mut input), text(&mut input)], ["1\n2\n"; 2]);
        assert!(input.is_repeatable());
    }

    #[test]
    fn each_run_reads_one_sample() {
        let mut input = Input::of_samples(["1\n", "2\n"]).expect("there is memory");
        let mut read = |sample| {
            let mut text = String::new();
            let mut file = File::from(input.for_run(sample).expect("a descriptor"));
            file.read_to_string(&mut text).expect("it is text");
            text
        };
        assert_eq!([read(1), read(0), read(1), read(7)], ["2\n", "1\n", "2\n", ""]);
        assert!(input.is_repeatable() && input.samples() == 2);
    }

    #[test]
    fn a_stream_that_stays_open_serves_one_run() {
        let (read, write) = nix::unistd::pipe().expect("a pipe");
        let mut input = Input::of_stream(read).expect("it can be polled");
        assert!(matches!(input.0, Kind::Live(..)));
        let mut run = File::from(input.for_run(0).expect("a descriptor"));
        assert!(input.is_repeatable(), "it has said nothing");
        let mut write = File::from(write);
        write.write_all(b"late").expect("it takes bytes");
        let mut late = [0; 4];
        run.read_exact(&mut late).expect("it is passed on");
        assert_eq!(&late, b"late");
        assert!(!input.is_repeatable());
        assert_eq!(text(&mut input), "");
    }
}
