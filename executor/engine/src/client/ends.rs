//! Waiting for the zygote and its processes, and what it says of their ends.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollTimeout, poll};

use super::ClientError;
use crate::descriptors;

/// Waits until one of them can be read, or for some time, or until a signal comes.
pub(super) fn wait_for(fds: &mut [PollFd<'_>], left: Duration) -> Result<(), ClientError> {
    let millis = u16::try_from(left.as_millis().saturating_add(1)).unwrap_or(u16::MAX);
    match poll(fds, PollTimeout::from(millis)) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(ClientError::Setup(error.into())),
    }
}

/// The zygote's word that a process has ended, and everybody with it: its number and status.
pub(super) fn read_end(zygote: &UnixStream) -> Result<Option<(u32, i32)>, ClientError> {
    let message = descriptors::receive::<8>(zygote).map_err(ClientError::Lost)?;
    let Some(([a, b, c, d, status @ ..], _)) = message else {
        return Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into()));
    };
    Ok(Some((u32::from_le_bytes([a, b, c, d]), i32::from_le_bytes(status))))
}
