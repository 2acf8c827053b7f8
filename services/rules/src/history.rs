//! Every board of a game, for the superko rule: found by hash, told apart by rebuilding.

use crate::geometry::Index;
use crate::{Colour, PointSet, Size};

/// The boards so far. Only changes are stored; an earlier board is the present one with the moves
/// since then taken back.
#[derive(Clone)]
pub(crate) struct History {
    /// One for each ply.
    changes: Vec<Change>,
    /// All captured stones in the order of capture.
    captured: Vec<Index>,
    /// The hash of the board after each ply, from ply 0.
    hashes: Vec<u64>,
    /// An open-addressing table, a power of two long and at most half full: at or after its hash
    /// stands the ply of each board, plus one. Passes repeat a board and are not in it.
    plies: Vec<u32>,
}

/// A game of more plies than this above the points of its board makes the history grow.
const ROOM_BEYOND_POINTS: usize = 64;

/// What one ply did.
#[derive(Clone, Copy)]
enum Change {
    Pass,
    Stone { colour: Colour, index: Index, captured: u16 },
}

impl History {
    /// The history of a game before its first move, with room for a long game of its size.
    pub(crate) fn new(size: Size, start_hash: u64) -> Self {
        let points = usize::from(size.points());
        let room = points + ROOM_BEYOND_POINTS;
        let mut history = Self {
            changes: Vec::with_capacity(room),
            captured: Vec::with_capacity(points),
            hashes: Vec::with_capacity(room + 1),
            plies: vec![0; (2 * room + 2).next_power_of_two()],
        };
        history.add_board(start_hash);
        history
    }

    /// The number of moves and passes.
    pub(crate) fn ply(&self) -> u32 {
        self.changes.len() as u32
    }

    pub(crate) fn push_pass(&mut self) {
        self.changes.push(Change::Pass);
        self.hashes.push(self.hashes.last().copied().unwrap_or(0));
    }

    /// Notes a captured stone; the move itself follows.
    pub(crate) fn push_captured(&mut self, index: Index) {
        self.captured.push(index);
    }

    /// Notes a move with the number of stones it captured and the hash of the board after it.
    pub(crate) fn push_move(&mut self, colour: Colour, index: Index, captured: u16, hash: u64) {
        self.changes.push(Change::Stone { colour, index, captured });
        self.add_board(hash);
    }

    /// The stones taken by the last ply.
    pub(crate) fn last_captured(&self) -> &[Index] {
        let count = match self.changes.last() {
            Some(&Change::Stone { captured, .. }) => usize::from(captured),
            _ => 0,
        };
        &self.captured[self.captured.len() - count..]
    }

    /// The ply after which a board with this hash stood and `is_same` agrees that it is the one.
    pub(crate) fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        let mut slot = self.slot(hash);
        loop {
            let ply = self.plies[slot].checked_sub(1)?;
            if self.hashes[ply as usize] == hash && is_same(ply) {
                return Some(ply);
            }
            slot = (slot + 1) % self.plies.len();
        }
    }

    /// The stones of both colours after an earlier ply, given those of the present.
    pub(crate) fn stones_at(&self, ply: u32, mut stones: [PointSet; 2]) -> [PointSet; 2] {
        let mut captured = self.captured.as_slice();
        for change in self.changes[ply as usize..].iter().rev() {
            let Change::Stone { colour, index, captured: count } = *change else {
                continue;
            };
            let (earlier, taken) = captured.split_at(captured.len() - usize::from(count));
            captured = earlier;
            stones[colour.index()].remove_index(index);
            for &stone in taken {
                stones[colour.opponent().index()].insert_index(stone);
            }
        }
        stones
    }

    fn add_board(&mut self, hash: u64) {
        if 2 * (self.hashes.len() + 1) > self.plies.len() {
            self.grow();
        }
        self.enter(hash, self.hashes.len() as u32);
        self.hashes.push(hash);
    }

    /// Doubles the table.
    fn grow(&mut self) {
        let doubled = vec![0; 2 * self.plies.len()];
        for ply in std::mem::replace(&mut self.plies, doubled) {
            if let Some(ply) = ply.checked_sub(1) {
                self.enter(self.hashes[ply as usize], ply);
            }
        }
    }

    fn enter(&mut self, hash: u64, ply: u32) {
        let mut slot = self.slot(hash);
        while self.plies[slot] != 0 {
            slot = (slot + 1) % self.plies.len();
        }
        self.plies[slot] = ply + 1;
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.plies.len() - 1)
    }
}
