//! Questions about chains: who they are, what liberties they have, what a move takes.

use yomi_core::Color;

use super::vertex::Vertex;
use super::{Go, GoMove};

impl<const LEN: usize> Go<LEN> {
    /// The stones of the chain on `v`, beginning there; nothing where no stone is.
    pub fn chain(&self, v: Vertex) -> impl Iterator<Item = Vertex> + '_ {
        let first = self.at(v).map(|_| v.0);
        let next = move |&u: &u16| Some(self.board.next(u)).filter(|&w| w != v.0);
        std::iter::successors(first, next).map(Vertex)
    }

    /// A stone that stands for the whole chain on `v`: two stones are connected iff theirs is the same.
    #[inline]
    pub fn head(&self, v: Vertex) -> Option<Vertex> {
        self.at(v).map(|_| Vertex(self.board.head(v.0)))
    }

    /// How many stones the chain on `v` has; 0 where no stone is.
    #[inline]
    pub fn chain_len(&self, v: Vertex) -> u32 {
        self.at(v).map_or(0, |_| u32::from(self.board.chain_len(v.0)))
    }

    /// The only liberty of the chain on `v`, if it has just one: the chain is in atari.
    #[inline]
    pub fn atari(&self, v: Vertex) -> Option<Vertex> {
        self.at(v).and_then(|_| self.board.only_liberty(v.0)).map(Vertex)
    }

    /// Finds up to `N` different liberties of the chain on `v`, in the order of its stones: ask for three to know whether there are
    /// one, two or more.
    pub fn liberties<const N: usize>(&self, v: Vertex) -> Liberties<N> {
        let mut found = Liberties { points: [Vertex(0); N], len: 0 };
        if self.at(v).is_none() {
            return found;
        }
        let mut stone = v.0;
        loop {
            let mut beside = self.board.code(stone).liberties();
            while beside != 0 {
                let u = Vertex(self.board.step(stone, (beside.trailing_zeros() / 2) as usize));
                beside &= beside - 1;
                if found.as_slice().contains(&u) {
                    continue;
                }
                if found.len == N {
                    return found;
                }
                found.points[found.len] = u;
                found.len += 1;
            }
            stone = self.board.next(stone);
            if stone == v.0 {
                return found;
            }
        }
    }

    /// The points of the board beside `v`.
    pub fn neighbors(&self, v: Vertex) -> impl Iterator<Item = Vertex> + '_ {
        self.board.neighbors(v.0).filter(|&u| self.board.is_point(u)).map(Vertex)
    }

    /// The cell beside or diagonal to `v` in a direction (an index of [`super::DIRECTIONS`]), which may be outside the board.
    #[inline]
    pub fn step(&self, v: Vertex, direction: usize) -> Vertex {
        Vertex(self.board.step(v.0, direction))
    }

    /// The eight points around `v` that are on the board.
    pub fn surroundings(&self, v: Vertex) -> impl Iterator<Item = Vertex> + '_ {
        self.board.surroundings(v.0).filter(|&u| self.board.is_point(u)).map(Vertex)
    }

    /// Whether `v` is empty and an eye of `color` that is not worth filling (see [`super::Code::is_eye_of`]).
    #[inline]
    pub fn is_eye(&self, v: Vertex, color: Color) -> bool {
        self.is_empty(v) && self.code(v).is_eye_of(color)
    }

    /// Calls `visit` for every stone of the other side that `mv` takes off the board.
    pub fn for_captured_by(&self, mv: GoMove, mut visit: impl FnMut(Vertex)) {
        if let Some(v) = mv.vertex().filter(|&v| self.is_empty(v)) {
            self.board.for_captured(v.0, self.turn, |u| visit(Vertex(u)));
        }
    }

    /// How many stones of the other side `mv` takes off the board.
    pub fn captured_by(&self, mv: GoMove) -> u32 {
        let mut count = 0;
        self.for_captured_by(mv, |_| count += 1);
        count
    }
}

/// Up to `N` liberties of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Liberties<const N: usize> {
    points: [Vertex; N],
    len: usize,
}

impl<const N: usize> Liberties<N> {
    /// The liberties found; `N` of them mean "at least".
    pub fn as_slice(&self) -> &[Vertex] {
        &self.points[..self.len]
    }

    /// How many were found, at most `N`.
    #[allow(clippy::len_without_is_empty, reason = "a chain has liberties")]
    pub fn len(&self) -> usize {
        self.len
    }
}
