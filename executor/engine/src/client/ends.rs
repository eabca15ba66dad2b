//! What the zygote says of the processes that it made.

use std::io;
use std::os::unix::net::UnixStream;

use super::ClientError;
use crate::descriptors;

/// The zygote's word that a process has ended, and everybody with it: its number and status.
pub(super) fn read_end(zygote: &UnixStream) -> Result<Option<(u32, i32)>, ClientError> {
    let message = descriptors::receive::<8>(zygote).map_err(ClientError::Lost)?;
    let Some(([a, b, c, d, status @ ..], _)) = message else {
        return Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into()));
    };
    Ok(Some((u32::from_le_bytes([a, b, c, d]), i32::from_le_bytes(status))))
}
