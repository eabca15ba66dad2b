//! Blocks of a page that build on each other, joined to one program.

use std::collections::{BTreeMap, BTreeSet};

use surmise_instrument::extract::imported;
use surmise_instrument::{SourceModel, called_by_others};

use crate::page::{Block, CodeLine, Page};

/// Blocks of a page, by their numbers: each but the first reads names that one before it binds, or all are of one docstring.
pub(crate) fn groups(page: &Page) -> Vec<Vec<usize>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut docstrings: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, block) in page.blocks.iter().enumerate() {
        if let Some(docstring) = block.docstring {
            docstrings.entry(docstring).or_default().push(number);
            continue;
        }
        let Ok(model) = SourceModel::parse(block.text()) else { continue };
        let (free, builtins) = (model.free_names(), model.free_builtins());
        let builds_on = |group: &Group| {
            group.binds_more && !free.is_empty()
                || free.iter().any(|name| group.bound.contains(*name))
                || builtins.iter().any(|name| group.replaced.contains(*name))
        };
        let (joined, rest): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(builds_on);
        groups = rest;
        let mut group = Group::default();
        for other in joined {
            group.blocks.extend(other.blocks);
            group.bound.extend(other.bound);
            group.replaced.extend(other.replaced);
            group.binds_more |= other.binds_more;
        }
        group.blocks.push(number);
        group.blocks.sort_unstable();
        group.bound.extend(model.bound_globals().map(str::to_owned));
        group.replaced.extend(model.imported_builtins().map(str::to_owned));
        group.binds_more |= model.imports_all();
        groups.push(group);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|group| group.blocks).collect();
    groups.extend(docstrings.into_values());
    groups.sort_unstable();
    groups
}

#[derive(Default)]
struct Group {
    blocks: Vec<usize>,
    bound: BTreeSet<String>,
    /// Builtins in place of which something is imported: `from parse import compile`.
    replaced: BTreeSet<String>,
    /// `from m import *`
    binds_more: bool,
}

/// A program of blocks, with the way back to the page.
pub(crate) struct Program<'p> {
    page: &'p Page,
    /// Imports of the names that the page may use without importing them, a line each.
    preamble: Vec<String>,
    /// Block and line in it of each line of the program behind the preamble.
    places: Vec<(usize, usize)>,
    /// Lines that are left out: their statements have raised.
    dropped: BTreeSet<usize>,
    /// Names that those which were run bind, or whose attributes they read.
    dropped_names: BTreeSet<String>,
}

const FUTURE: &str = "from __future__ import ";

impl<'p> Program<'p> {
    /// Joins blocks. What the page shows to raise at a prompt is left out.
    pub(crate) fn new(page: &'p Page, blocks: &[usize]) -> Self {
        let lines = |block: usize| (0..page.blocks[block].lines.len()).map(move |line| (block, line));
        let mut places: Vec<(usize, usize)> = blocks.iter().flat_map(|block| lines(*block)).collect();
        // Such imports stand at the beginning of a program.
        places.sort_by_key(|&(block, line)| !page.blocks[block].lines[line].text.starts_with(FUTURE));
        let mut program =
            Self { page, preamble: Vec::new(), places, dropped: BTreeSet::new(), dropped_names: BTreeSet::new() };
        program.preamble = program.imports();
        let first = program.preamble.len();
        let raising = |at: &usize| {
            let block = program.block(*at as u32 + 1);
            block.is_session && block.shows_error_at(program.line(*at as u32 + 1).line)
        };
        program.dropped = (first..first + program.places.len()).filter(raising).collect();
        program
    }

    /// Imports of what the blocks read of the page's names. Nothing may stand before `from __future__`.
    fn imports(&self) -> Vec<String> {
        let text = self.text();
        let Some(names) = self.page.names.as_ref().filter(|_| !text.starts_with(FUTURE)) else { return Vec::new() };
        let Ok(model) = SourceModel::parse(text) else { return Vec::new() };
        let read = model.free_names().into_iter().filter(|name| names.names.contains(*name));
        read.map(|name| format!("from {} import {name}", names.module)).collect()
    }

    /// True for a line of the program that no page has.
    pub(crate) fn is_preamble(&self, line: u32) -> bool {
        line as usize <= self.preamble.len()
    }

    /// The block that a line of the program is from; lines count from 1.
    pub(crate) fn block(&self, line: u32) -> &'p Block {
        &self.page.blocks[self.places[self.at(line)].0]
    }

    /// The blocks that the program is joined of.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &'p Block> + use<'p> {
        let numbers: BTreeSet<usize> = self.places.iter().map(|(block, _)| *block).collect();
        let page = self.page;
        numbers.into_iter().map(move |number| &page.blocks[number])
    }

    /// The line of the page that is a line of the program.
    pub(crate) fn line(&self, line: u32) -> &'p CodeLine {
        let (block, line) = self.places[self.at(line)];
        &self.page.blocks[block].lines[line]
    }

    fn at(&self, line: u32) -> usize {
        (line as usize).saturating_sub(1 + self.preamble.len()).min(self.places.len() - 1)
    }

    /// The source as it runs.
    pub(crate) fn text(&self) -> String {
        let own = self.places.iter().map(|&(block, line)| &self.page.blocks[block].lines[line].text);
        let mut text = String::new();
        for (at, line) in self.preamble.iter().chain(own).enumerate() {
            if !self.dropped.contains(&at) {
                text.push_str(line);
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
        let lines: Vec<_> =
            self.text().lines().skip(first as usize - 1).take((last - first + 1) as usize).map(str::to_owned).collect();
        if let Ok(statement) = SourceModel::parse(lines.join("\n") + "\n") {
            // What it binds is as before, and what it would have changed by calling methods, too.
            let read = statement.free_names().into_iter();
            let of_methods = read.filter(|name| lines.iter().any(|line| line.contains(&format!("{name}."))));
            self.dropped_names.extend(of_methods.chain(statement.bound_globals()).map(str::to_owned));
        }
        let before = self.dropped.len();
        self.dropped.extend((first as usize - 1)..(last as usize).min(self.preamble.len() + self.places.len()));
        self.dropped.len() > before
    }

    /// True for a name that a statement binds which was left out because it had raised, or whose attributes it reads.
    pub(crate) fn has_dropped(&self, name: &str) -> bool {
        self.dropped_names.contains(name)
    }

    /// Names that the section of a line has from others when it comes to the statement on the line.
    pub(crate) fn foreign_names(&self, line: u32) -> BTreeSet<String> {
        let section = self.block(line).section;
        let last = self.statement(line).map_or(line, |(_, last)| last);
        let text = self.text();
        let is_own = |line: u32| line <= last && !self.is_preamble(line) && self.block(line).section == section;
        let own: Vec<&str> = (1..).zip(text.lines()).filter(|(line, _)| is_own(*line)).map(|(_, text)| text).collect();
        let (Ok(own), Ok(all)) = (SourceModel::parse(own.join("\n") + "\n"), SourceModel::parse(text.clone())) else {
            return BTreeSet::new();
        };
        let bound: BTreeSet<&str> = all.bound_globals().collect();
        own.free_names().into_iter().filter(|name| bound.contains(name)).map(str::to_owned).collect()
    }

    /// The sections in which the page defines a class of a name, once for each definition.
    pub(crate) fn sections_defining(&self, class: &str) -> Vec<u32> {
        let defines = |block: &&Block| {
            let text = block.text();
            text.contains(class) && SourceModel::parse(text).is_ok_and(|model| model.defines_class(class))
        };
        self.page.blocks.iter().filter(defines).map(|block| block.section).collect()
    }

    /// True for a class of which the program shows nothing but its name.
    pub(crate) fn has_empty_class(&self, class: &str) -> bool {
        SourceModel::parse(self.text()).is_ok_and(|model| model.has_empty_class(class))
    }

    /// Functions of the program that others may call, or put something else in place of.
    pub(crate) fn called_by_others(&self) -> BTreeSet<String> {
        let Ok(model) = SourceModel::parse(self.text()) else { return BTreeSet::new() };
        called_by_others(&model).into_iter().map(|(name, _)| name).collect()
    }

    /// The top-level packages that the program imports.
    pub(crate) fn packages(&self) -> Vec<String> {
        let Ok(model) = SourceModel::parse(self.text()) else { return Vec::new() };
        let imports = imported(&model).imports.into_iter().filter(|import| import.level == 0);
        let names: BTreeSet<String> = imports
            .filter_map(|import| import.module.split('.').next().map(str::to_owned))
            .filter(|name| !name.is_empty())
            .collect();
        names.into_iter().collect()
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
    use crate::page::{Names, lines_of};

    fn page(blocks: &[&str]) -> Page {
        let block = |text: &&str| Block {
            lines: lines_of(text),
            is_labelled: true,
            is_session: false,
            raising: Vec::new(),
            section: 0,
            prose: String::new(),
            cell: None,
            docstring: None,
        };
        Page { blocks: blocks.iter().map(block).collect(), ..Page::default() }
    }

    #[test]
    fn blocks_that_read_names_of_others_are_joined() {
        let page = page(&["import os\nx = 1\n", "y = 2\n", "print(x)\n", "z = y\n", "print(1)\n", "print(q, y, x)\n"]);
        assert_eq!(groups(&page), [vec![0, 1, 2, 3, 5], vec![4]]);
        let page = self::page(&["from m import *\n", "print(1)\n", "f()\n", "x = x + 1\n"]);
        assert_eq!(groups(&page), [vec![0, 2, 3], vec![1]]);
        let page = self::page(&["from parse import compile\n", "print(1)\n", "p = compile('{}')\n", "list = 1\n"]);
        assert_eq!(groups(&page), [vec![0, 2], vec![1], vec![3]]);
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
    #[test]
    fn docstrings_run_by_themselves_with_the_names_of_their_module() {
        let mut page = page(&["x = f(1)\n", "print(x, g)\n", "x\n"]);
        for (block, docstring) in page.blocks.iter_mut().zip([0, 0, 1]) {
            block.docstring = Some(docstring);
        }
        assert_eq!(groups(&page), [vec![0, 1], vec![2]]);
        let names = ["f", "g", "h"].map(str::to_owned).into();
        page.names = Some(Names { module: "p.m".into(), root: "/".into(), names });
        let mut program = Program::new(&page, &[0, 1]);
        assert_eq!(program.text(), "from p.m import f\nfrom p.m import g\nx = f(1)\nprint(x, g)\n");
        assert!(program.is_preamble(2) && !program.is_preamble(3));
        assert_eq!((program.line(4).text.as_str(), program.line(4).line), ("print(x, g)", 1));
        assert!(program.drop_last(&[1, 3]) && program.drop_last(&[1]));
        assert_eq!(program.text(), "\nfrom p.m import g\n\nprint(x, g)\n");
    }
}
