//! Passing bytes and file descriptors over a Unix socket.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

/// Maximum number of descriptors in one message.
const MAX_DESCRIPTORS: usize = 8;

/// Sends a short header together with descriptors.
///
/// # Errors
/// If the other side has closed the socket.
pub fn send(socket: &UnixStream, head: &[u8], descriptors: &[RawFd]) -> io::Result<()> {
    let rights = [ControlMessage::ScmRights(descriptors)];
    let control: &[ControlMessage<'_>] = if descriptors.is_empty() { &[] } else { &rights };
    let sent = sendmsg::<()>(socket.as_raw_fd(), &[IoSlice::new(head)], control, MsgFlags::MSG_NOSIGNAL, None)?;
    let mut rest: &UnixStream = socket;
    rest.write_all(&head[sent..])
}

/// Receives a header of exactly `N` bytes and the descriptors that came with it; `None` at the end of the stream.
///
/// # Errors
/// If receiving fails, or the stream ends within the header.
pub fn receive<const N: usize>(socket: &UnixStream) -> io::Result<Option<([u8; N], Vec<OwnedFd>)>> {
    let mut head = [0; N];
    let mut space = nix::cmsg_space!([RawFd; MAX_DESCRIPTORS]);
    let (read, descriptors) = loop {
        let mut parts = [IoSliceMut::new(&mut head)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        match recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags) {
            Ok(message) => {
                let mut descriptors = Vec::new();
                for control in message.cmsgs()? {
                    if let ControlMessageOwned::ScmRights(rights) = control {
                        // SAFETY: the kernel has just created these descriptors for this process, and nothing else owns
                        // them.
                        descriptors.extend(rights.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
                    }
                }
                break (message.bytes, descriptors);
            }
            Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    if read == 0 {
        return Ok(None);
    }
    let mut rest: &UnixStream = socket;
    rest.read_exact(&mut head[read..])?;
    Ok(Some((head, descriptors)))
}
