//! The part of Python's pickle format that files of tensors need, and nothing that would run code.
//!
//! A pickle is a program for a machine with a stack; its instructions to import and to call are what makes it
//! dangerous. Here names are never looked up: a handful is known by sight (containers, tensors, storages), calling
//! them builds our own values, and every other name is refused. Values are numbers of entries in lists, so no input
//! makes them nest, grow beyond the file, or refer to themselves in a way that matters.
//!
//! No crate is used: the subset is small, and what may be called is better decided where it can be read.

use super::error::LoadError;
use super::pickled::{Global, Storage, Tensor, Value, global, long, whole};

/// Weights have two; a repeated tuple of thousands would take long to copy.
const MAX_DIMENSIONS: usize = 8;

/// Runs pickles one after the other; what they built stays.
#[derive(Debug)]
pub(super) struct Machine<'p> {
    bytes: &'p [u8],
    position: usize,
    stack: Vec<Value<'p>>,
    marks: Vec<usize>,
    memo: Vec<Option<Value<'p>>>,
    tuples: Vec<Vec<Value<'p>>>,
    lists: Vec<Vec<Value<'p>>>,
    dicts: Vec<Vec<(Value<'p>, Value<'p>)>>,
    pub(super) storages: Vec<Storage<'p>>,
    tensors: Vec<Tensor>,
}

impl<'p> Machine<'p> {
    pub(super) fn new(bytes: &'p [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Vec::new(),
            tuples: Vec::new(),
            lists: Vec::new(),
            dicts: Vec::new(),
            storages: Vec::new(),
            tensors: Vec::new(),
        }
    }

    /// Where the last pickle ended.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn list(&self, value: Value<'p>) -> Option<&[Value<'p>]> {
        if let Value::List(index) = value { self.lists.get(index).map(Vec::as_slice) } else { None }
    }

    /// Keys and values in the order in which they were set.
    pub(super) fn dict(&self, value: Value<'p>) -> Option<&[(Value<'p>, Value<'p>)]> {
        if let Value::Dict(index) = value { self.dicts.get(index).map(Vec::as_slice) } else { None }
    }

    pub(super) fn tensor(&self, value: Value<'p>) -> Option<&Tensor> {
        if let Value::Tensor(index) = value { self.tensors.get(index) } else { None }
    }

    /// Runs one pickle to its end.
    ///
    /// # Errors
    /// [`LoadError::RunsCode`] for any name or instruction that isn't needed for tensors, [`LoadError::Truncated`] or
    /// [`LoadError::Damaged`].
    pub(super) fn run(&mut self) -> Result<Value<'p>, LoadError> {
        self.stack.clear();
        self.marks.clear();
        self.memo.clear();
        loop {
            let instruction = self.byte()?;
            if instruction == b'.' {
                return self.pop();
            }
            self.step(instruction)?;
        }
    }

    #[expect(clippy::too_many_lines, reason = "one line for each instruction")]
    fn step(&mut self, instruction: u8) -> Result<(), LoadError> {
        match instruction {
            // PROTO, FRAME
            0x80 => {
                let version = self.byte()?;
                if !(2..=5).contains(&version) {
                    return Err(damaged(format!("pickle of protocol {version}")));
                }
            }
            0x95 => {
                self.take(8)?;
            }
            b'(' => self.marks.push(self.stack.len()),
            b'0' => {
                self.pop()?;
            }
            b'N' => self.stack.push(Value::None),
            0x88 => self.stack.push(Value::Bool(true)),
            0x89 => self.stack.push(Value::Bool(false)),
            // BININT, BININT1, BININT2, LONG1
            b'J' => {
                let value = self.array::<4>().map(i32::from_le_bytes)?;
                self.stack.push(Value::Int(value.into()));
            }
            b'K' => {
                let value = self.byte()?;
                self.stack.push(Value::Int(value.into()));
            }
            b'M' => {
                let value = self.array::<2>().map(u16::from_le_bytes)?;
                self.stack.push(Value::Int(value.into()));
            }
            0x8a => {
                let length = self.byte()?.into();
                let value = long(self.take(length)?);
                self.stack.push(value);
            }
            // BINFLOAT
            b'G' => {
                self.take(8)?;
                self.stack.push(Value::Float);
            }
            // BINUNICODE, SHORT_BINUNICODE
            b'X' => {
                let length = self.array::<4>().map(u32::from_le_bytes)?;
                self.text(length as usize)?;
            }
            0x8c => {
                let length = self.byte()?.into();
                self.text(length)?;
            }
            // BINPUT, LONG_BINPUT, MEMOIZE
            b'q' => {
                let slot = self.byte()?.into();
                self.remember(slot)?;
            }
            b'r' => {
                let slot = self.array::<4>().map(u32::from_le_bytes)?;
                self.remember(slot as usize)?;
            }
            0x94 => self.remember(self.memo.len())?,
            // BINGET, LONG_BINGET
            b'h' => {
                let slot = self.byte()?.into();
                self.recall(slot)?;
            }
            b'j' => {
                let slot = self.array::<4>().map(u32::from_le_bytes)?;
                self.recall(slot as usize)?;
            }
            b')' => self.tuple(Vec::new()),
            0x85..=0x87 => {
                let first = self.stack.len().checked_sub(usize::from(instruction - 0x84));
                let items = self.stack.split_off(first.ok_or_else(underflow)?);
                self.tuple(items);
            }
            b't' => {
                let items = self.marked()?;
                self.tuple(items);
            }
            b']' => {
                self.lists.push(Vec::new());
                self.stack.push(Value::List(self.lists.len() - 1));
            }
            b'}' => self.empty_dict(),
            b'a' => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            b'e' => {
                let items = self.marked()?;
                self.append(items)?;
            }
            b's' => {
                let first = self.stack.len().checked_sub(2).ok_or_else(underflow)?;
                let items = self.stack.split_off(first);
                self.set_items(&items)?;
            }
            b'u' => {
                let items = self.marked()?;
                self.set_items(&items)?;
            }
            // GLOBAL, STACK_GLOBAL
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.stack.push(Value::Global(global(module, name)?));
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Value::Str(module), Value::Str(name)) = (module, name) else {
                    return Err(damaged("a name that is not text"));
                };
                self.stack.push(Value::Global(global(module, name)?));
            }
            b'R' => self.call()?,
            // BUILD: state dictionaries carry their versions as an attribute, which is of no use here.
            b'b' => {
                self.pop()?;
                if !matches!(self.stack.last(), Some(Value::Dict(_))) {
                    return Err(LoadError::RunsCode("it sets the state of an object".into()));
                }
            }
            b'Q' => self.storage()?,
            b'i' => {
                let (module, name) = (self.line()?, self.line()?);
                return Err(LoadError::RunsCode(format!("{module}.{name}")));
            }
            b'o' | 0x81 | 0x92 => return Err(LoadError::RunsCode("it makes objects of classes".into())),
            0x82..=0x84 => return Err(LoadError::RunsCode("it uses registered extensions".into())),
            other => return Err(damaged(format!("pickle instruction {other:#04x}, which no file of tensors has"))),
        }
        Ok(())
    }

    /// REDUCE.
    fn call(&mut self) -> Result<(), LoadError> {
        let Value::Tuple(tuple) = self.pop()? else { return Err(damaged("a call without arguments")) };
        let arguments = std::mem::take(&mut self.tuples[tuple]);
        match (self.pop()?, &arguments[..]) {
            (Value::Global(Global::OrderedDict), []) => self.empty_dict(),
            (Value::Global(Global::RebuildParameter), [tensor @ Value::Tensor(_), ..]) => self.stack.push(*tensor),
            (Value::Global(Global::RebuildTensor), [Value::Storage(storage), offset, shape, strides, ..]) => {
                let offset = whole(*offset)?;
                let (shape, strides) = (self.sizes(*shape)?, self.sizes(*strides)?);
                self.tensors.push(Tensor { storage: *storage, offset, shape, strides });
                self.stack.push(Value::Tensor(self.tensors.len() - 1));
            }
            (Value::Global(known), _) => return Err(damaged(format!("unknown arguments of {known:?}"))),
            _ => return Err(LoadError::RunsCode("it calls a value".into())),
        }
        self.tuples[tuple] = arguments;
        Ok(())
    }

    /// BINPERSID: `('storage', type, key, device, count)`, in old files with an unused sixth part.
    fn storage(&mut self) -> Result<(), LoadError> {
        let identifier = self.pop()?;
        let parts = if let Value::Tuple(index) = identifier { &self.tuples[index][..] } else { &[] };
        let [Value::Str("storage"), Value::Global(Global::Storage(element)), Value::Str(key), _, count, rest @ ..] =
            parts
        else {
            return Err(damaged("a reference to something other than a storage"));
        };
        if !matches!(rest, [] | [Value::None]) {
            return Err(damaged("a storage that views another"));
        }
        let storage = Storage { key, element: *element, count: whole(*count)? };
        self.storages.push(storage);
        self.stack.push(Value::Storage(self.storages.len() - 1));
        Ok(())
    }

    fn sizes(&self, value: Value<'p>) -> Result<Vec<usize>, LoadError> {
        let Value::Tuple(index) = value else { return Err(damaged("a shape that is not a tuple")) };
        if self.tuples[index].len() > MAX_DIMENSIONS {
            return Err(damaged("a tensor of too many dimensions"));
        }
        self.tuples[index].iter().map(|size| whole(*size)).collect()
    }

    fn pop(&mut self) -> Result<Value<'p>, LoadError> {
        self.stack.pop().ok_or_else(underflow)
    }

    /// What lies above the last mark.
    fn marked(&mut self) -> Result<Vec<Value<'p>>, LoadError> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len());
        Ok(self.stack.split_off(mark.ok_or_else(underflow)?))
    }

    fn tuple(&mut self, items: Vec<Value<'p>>) {
        self.tuples.push(items);
        self.stack.push(Value::Tuple(self.tuples.len() - 1));
    }

    fn empty_dict(&mut self) {
        self.dicts.push(Vec::new());
        self.stack.push(Value::Dict(self.dicts.len() - 1));
    }

    fn append(&mut self, items: Vec<Value<'p>>) -> Result<(), LoadError> {
        let Some(Value::List(list)) = self.stack.last() else { return Err(damaged("an item of something not a list")) };
        self.lists[*list].extend(items);
        Ok(())
    }

    fn set_items(&mut self, items: &[Value<'p>]) -> Result<(), LoadError> {
        let Some(Value::Dict(dict)) = self.stack.last() else { return Err(damaged("a key of something not a dict")) };
        let (pairs, rest) = items.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(damaged("a key without a value"));
        }
        self.dicts[*dict].extend(pairs.iter().map(|[key, value]| (*key, *value)));
        Ok(())
    }

    fn remember(&mut self, slot: usize) -> Result<(), LoadError> {
        let value = *self.stack.last().ok_or_else(underflow)?;
        // Pickles number their slots without gaps; an invented number must not make the memo large.
        if slot > self.memo.len().saturating_add(256) {
            return Err(damaged("a memo with gaps"));
        }
        if slot >= self.memo.len() {
            self.memo.resize(slot + 1, None);
        }
        self.memo[slot] = Some(value);
        Ok(())
    }

    fn recall(&mut self, slot: usize) -> Result<(), LoadError> {
        let value = self.memo.get(slot).copied().flatten();
        self.stack.push(value.ok_or_else(|| damaged("a reference to an empty slot of the memo"))?);
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, LoadError> {
        Ok(self.array::<1>()?[0])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        self.take(N)?.try_into().map_err(|_| truncated())
    }

    fn take(&mut self, length: usize) -> Result<&'p [u8], LoadError> {
        let end = self.position.checked_add(length).ok_or_else(truncated)?;
        let part = self.bytes.get(self.position..end).ok_or_else(truncated)?;
        self.position = end;
        Ok(part)
    }

    fn text(&mut self, length: usize) -> Result<(), LoadError> {
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| damaged("text that is not UTF-8"))?;
        self.stack.push(Value::Str(text));
        Ok(())
    }

    fn line(&mut self) -> Result<&'p str, LoadError> {
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(|byte| *byte == b'\n').ok_or_else(truncated)?;
        self.position += length + 1;
        std::str::from_utf8(&rest[..length]).map_err(|_| damaged("a name that is not UTF-8"))
    }
}

pub(super) fn damaged(what: impl Into<String>) -> LoadError {
    LoadError::Damaged(what.into())
}

fn underflow() -> LoadError {
    damaged("a pickle that takes more than it has put")
}

fn truncated() -> LoadError {
    LoadError::Truncated("the pickle has no end".into())
}
