//! Blocks of a page that build on each other, joined to one program.

use std::collections::BTreeSet;

use surmise_instrument::SourceModel;

use crate::page::{Block, CodeLine, Page};

/// Blocks of a page, by their numbers: each but the first reads names that one before it binds.
pub(crate) fn groups(page: &Page) -> Vec<Vec<usize>> {
    let mut groups: Vec<Group> = Vec::new();
    for (number, block) in page.blocks.iter().enumerate() {
        let Ok(model) = SourceModel::parse(block.text()) else { continue };
        let free = model.free_names();
        let builds_on =
            |group: &Group| group.binds_more && !free.is_empty() || free.iter().any(|name| group.bound.contains(*name));
        let (joined, rest): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(builds_on);
        groups = rest;
        let mut group = Group::default();
        for other in joined {
            group.blocks.extend(other.blocks);
            group.bound.extend(other.bound);
            group.binds_more |= other.binds_more;
        }
        group.blocks.push(number);
        group.blocks.sort_unstable();
        group.bound.extend(model.bound_globals().map(str::to_owned));
        group.binds_more |= model.imports_all();
        groups.push(group);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|group| group.blocks).collect();
    groups.sort_unstable();
    groups
}

#[derive(Default)]
struct Group {
    blocks: Vec<usize>,
    bound: BTreeSet<String>,
    /// `from m import *`
    binds_more: bool,
}

/// A program of blocks, with the way back to the page.
pub(crate) struct Program<'p> {
    page: &'p Page,
    /// Block and line in it of each line of the program.
    places: Vec<(usize, usize)>,
    /// Lines that are left out: their statements have raised.
    dropped: BTreeSet<usize>,
}

const FUTURE: &str = "from __future__ import ";

impl<'p> Program<'p> {
    /// Joins blocks. What the page shows to raise at a prompt is left out.
    pub(crate) fn new(page: &'p Page, blocks: &[usize]) -> Self {
        let lines = |block: usize| (0..page.blocks[block].lines.len()).map(move |line| (block, line));
        let mut places: Vec<(usize, usize)> = blocks.iter().flat_map(|block| lines(*block)).collect();
        // Such imports stand at the beginning of a program.
        places.sort_by_key(|&(block, line)| !page.blocks[block].lines[line].text.starts_with(FUTURE));
        let mut program = Self { page, places, dropped: BTreeSet::new() };
        let raising = |at: &usize| {
            let block = program.block(*at as u32 + 1);
            block.is_session && block.shows_error_at(program.line(*at as u32 + 1).line)
        };
        program.dropped = (0..program.places.len()).filter(raising).collect();
        program
    }

    /// The block that a line of the program is from; lines count from 1.
    pub(crate) fn block(&self, line: u32) -> &'p Block {
        &self.page.blocks[self.places[self.at(line)].0]
    }

    /// The line of the page that is a line of the program.
    pub(crate) fn line(&self, line: u32) -> &'p CodeLine {
        let (block, line) = self.places[self.at(line)];
        &self.page.blocks[block].lines[line]
    }

    fn at(&self, line: u32) -> usize {
        (line as usize).saturating_sub(1).min(self.places.len() - 1)
    }

    /// The source as it runs.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (at, &(block, line)) in self.places.iter().enumerate() {
            if !self.dropped.contains(&at) {
                text.push_str(&self.page.blocks[block].lines[line].text);
            }
            text.push('\n');
        }
        text
    }

    /// Leaves out the last statement of the module that a run reached, which has raised: maybe in a function that an earlier
    /// one defines. False if there is none.
    pub(crate) fn drop_last(&mut self, reached: &[u32]) -> bool {
        let Ok(model) = SourceModel::parse(self.text()) else { return false };
        let is_reached = |(first, last): &(u32, u32)| reached.iter().any(|line| (first..=last).contains(&line));
        let Some((first, last)) = model.statement_lines().into_iter().rfind(is_reached) else { return false };
        let before = self.dropped.len();
        self.dropped.extend((first as usize - 1)..(last as usize).min(self.places.len()));
        self.dropped.len() > before
    }

    /// First and last line of the statement of the module that a line belongs to.
    pub(crate) fn statement(&self, line: u32) -> Option<(u32, u32)> {
        let model = SourceModel::parse(self.text()).ok()?;
        model.statement_lines().into_iter().find(|(first, last)| (*first..=*last).contains(&line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::lines_of;

    fn page(blocks: &[&str]) -> Page {
        let block = |text: &&str| Block {
            lines: lines_of(text),
            is_labelled: true,
            is_session: false,
            raising: Vec::new(),
            section: 0,
            prose: String::new(),
            cell: None,
        };
        Page { blocks: blocks.iter().map(block).collect(), ..Page::default() }
    }

    #[test]
    fn blocks_that_read_names_of_others_are_joined() {
        let page = page(&["import os\nx = 1\n", "y = 2\n", "print(x)\n", "z = y\n", "print(1)\n", "print(q, y, x)\n"]);
        assert_eq!(groups(&page), [vec![0, 1, 2, 3, 5], vec![4]]);
        let page = self::page(&["from m import *\n", "print(1)\n", "f()\n", "x = x + 1\n"]);
        assert_eq!(groups(&page), [vec![0, 2, 3], vec![1]]);
    }

    #[test]
    fn statements_are_left_out_as_wholes() {
        let page = page(&["x = 1\nfor a in b:\n    f(\n  a)\ny = 2\n", "from __future__ import annotations\nz\n"]);
        let mut program = Program::new(&page, &[0, 1]);
        assert!(program.text().starts_with("from __future__ import annotations\nx = 1\n"));
        assert_eq!((program.line(1).line, program.line(2).line), (1, 1));
        assert!(program.drop_last(&[2, 4]) && !program.drop_last(&[3]));
        assert_eq!(program.text(), "from __future__ import annotations\nx = 1\n\n\n\ny = 2\nz\n");
    }
}
