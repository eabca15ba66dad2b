//! Starts a command as an ordinary user if the tests run as root.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Id of the user `nobody`.
pub const USER: u32 = 65534;

/// Makes a command run as [`USER`] and gives it access to the `needed` files and folders even below a folder that only
/// root may enter: in the mount namespace of the command, such a folder is replaced by one with nothing else in it.
pub fn unprivileged<'a>(command: &'a mut Command, needed: &[PathBuf]) -> &'a mut Command {
    let mut closed: Vec<PathBuf> = needed.iter().filter_map(|path| closed_folder(path)).collect();
    closed.sort();
    closed.dedup();
    let needed: Vec<&PathBuf> =
        needed.iter().filter(|path| closed.iter().any(|folder| path.starts_with(folder))).collect();
    let covers: Vec<CString> = closed.iter().map(|folder| c_string(folder)).collect();
    let binds: Vec<Bind> = needed.iter().map(|path| Bind::new(path, &closed)).collect();
    // SAFETY: between fork and exec only system calls are made, on strings that were made before.
    unsafe { command.pre_exec(move || enter(&covers, &binds)) }
}

struct Bind {
    path: CString,
    folders: Vec<CString>,
    is_folder: bool,
}

impl Bind {
    fn new(path: &Path, closed: &[PathBuf]) -> Self {
        let is_folder = path.is_dir();
        let mut folders: Vec<PathBuf> = path.ancestors().skip(usize::from(!is_folder)).map(Path::to_owned).collect();
        folders.retain(|folder| closed.iter().any(|cover| folder.starts_with(cover) && folder != cover));
        folders.reverse();
        Self { path: c_string(path), folders: folders.iter().map(|folder| c_string(folder)).collect(), is_folder }
    }
}

/// The outermost folder of a path that other users may not enter.
fn closed_folder(path: &Path) -> Option<PathBuf> {
    let mut folders: Vec<&Path> = path.ancestors().collect();
    folders.reverse();
    let closed = folders.into_iter().find(|folder| {
        std::fs::metadata(folder).is_ok_and(|data| data.is_dir() && data.permissions().mode() & 0o1 == 0)
    });
    closed.map(Path::to_owned)
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("no path has a zero byte")
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn enter(covers: &[CString], binds: &[Bind]) -> io::Result<()> {
    const MOST: usize = 8;
    let mut open = [-1; MOST];
    // SAFETY: system calls on zero-terminated strings that live as long as the calls; null where nothing is needed.
    unsafe {
        checked(libc::unshare(libc::CLONE_NEWNS))?;
        let none = std::ptr::null();
        let private = libc::MS_REC | libc::MS_PRIVATE;
        checked(libc::mount(none, c"/".as_ptr(), none, private, none.cast()))?;
        for (bind, slot) in binds.iter().zip(&mut open) {
            *slot = checked(libc::open(bind.path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC))?;
        }
        for cover in covers {
            let mode = c"mode=755".as_ptr().cast();
            checked(libc::mount(c"cover".as_ptr(), cover.as_ptr(), c"tmpfs".as_ptr(), 0, mode))?;
        }
        for (bind, slot) in binds.iter().zip(open) {
            for folder in &bind.folders {
                let _may_exist = libc::mkdir(folder.as_ptr(), 0o755);
            }
            if !bind.is_folder {
                let file = checked(libc::open(bind.path.as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o644))?;
                libc::close(file);
            }
            let mut name = [0u8; 32];
            let source = descriptor_name(slot, &mut name);
            checked(libc::mount(source, bind.path.as_ptr(), none, libc::MS_BIND | libc::MS_REC, none.cast()))?;
        }
        checked(libc::setgroups(0, std::ptr::null()))?;
        checked(libc::setresgid(USER, USER, USER))?;
        checked(libc::setresuid(USER, USER, USER))?;
    }
    Ok(())
}

/// Formats `/proc/self/fd/N` without allocating memory, because it runs between fork and exec.
fn descriptor_name(number: i32, name: &mut [u8; 32]) -> *const libc::c_char {
    use std::io::Write;
    let mut rest = &mut name[..31];
    let _fits = write!(rest, "/proc/self/fd/{number}");
    name.as_ptr().cast()
}
