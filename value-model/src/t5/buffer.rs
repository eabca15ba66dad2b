//! Buffers that calls share one after the other.

/// The first `length` values of a buffer, which grows if need be. They hold what was there before.
pub(super) fn room<T: Clone + Default>(buffer: &mut Vec<T>, length: usize) -> &mut [T] {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
    &mut buffer[..length]
}
