//! Explanations of a snippet that a language model writes, of which only those sentences are shown that runs confirm.
//!
//! The model gets the snippet with what its runs did ([`Facts`]), and ties each sentence to lines, values and errors of
//! these runs. A sentence is dropped if it is tied to nothing, if one of its ties is wrong, if it names a line, an
//! exception, a number or code that none of its ties has, or if it says that something fails or succeeds which they do not
//! show ([`check`]). What a sentence says beyond its ties is the model's opinion.

mod check;
mod facts;
mod question;

pub use check::{Claim, Dropped, Explanation, Sentence, check};
pub use facts::{Fact, Facts};
pub use question::question;
