//! The file of a network: versioned, checked, and short.
//!
//! ```text
//! YOMI-NNU  version u32  length of name u8  name of the game  rows u32  width u32  hidden u32  numbers …  FNV-1a of all before u64
//! ```
//! All is little-endian. The numbers, in the order of the parameters, are zigzag varints; a zero is followed by how many more there are.
//! A network of fewer sums than [`WIDTH`] is read as one whose other sums have no weights.

use yomi_core::TextError;
use yomi_core::rng::fnv1a;
use yomi_games::shogi::Variant;

use super::network::Network;
use super::parameters::{Groups, HIDDEN, WIDTH};
use crate::numbers::{Input, write_numbers};

const MAGIC: &[u8; 8] = b"YOMI-NNU";
const VERSION: u32 = 1;

impl Network {
    /// The file.
    pub fn write<V: Variant>(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.push(V::NAME.len() as u8);
        bytes.extend(V::NAME.as_bytes());
        for number in [self.rows.len(), WIDTH, HIDDEN] {
            bytes.extend((number as u32).to_le_bytes());
        }
        let wide = |numbers: &[i16]| numbers.iter().map(|&n| i32::from(n)).collect::<Vec<i32>>();
        let numbers =
            wide(self.rows.as_flattened()).into_iter().chain(wide(&self.bias)).chain(self.worth.iter().copied());
        let numbers = numbers.chain(wide(self.hidden.as_flattened())).chain(self.hidden_bias).chain(self.last);
        write_numbers(&mut bytes, numbers.chain([self.last_bias]));
        let sum = fnv1a(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads the file of a game. Anything that is not exactly such a file is refused with the reason.
    pub fn read<V: Variant>(file: &[u8]) -> Result<Network, TextError> {
        let error = |message: String| Err(TextError::new(message));
        let Some((bytes, sum)) = file.split_last_chunk::<8>() else {
            return error(format!("{} bytes are too few for a network", file.len()));
        };
        let mut input = Input::new(bytes);
        if input.take(MAGIC.len()) != Some(MAGIC) {
            return error("this is no network of the evaluation nnue: it does not begin with YOMI-NNU".to_string());
        }
        match input.word() {
            Some(VERSION) => {}
            Some(version) => {
                return error(format!("version {version} of nnue is unknown; this program reads {VERSION}"));
            }
            None => return error("the network ends within its header".to_string()),
        }
        if fnv1a(bytes) != u64::from_le_bytes(*sum) {
            return error("the network is damaged: its checksum is wrong".to_string());
        }
        let name = input.take(1).and_then(|length| input.take(usize::from(length[0])));
        let name = name.map(String::from_utf8_lossy).unwrap_or_default();
        if name != V::NAME {
            return error(format!("this is a network of {name}, not of {}", V::NAME));
        }
        let rows = Groups::of::<V>().rows;
        let found = [(); 3].map(|()| input.word());
        let width = found[1].map_or(0, |width| width as usize);
        if found != [rows, width.clamp(1, WIDTH), HIDDEN].map(|n| Some(n as u32)) {
            let found = found.map(|n| n.map_or("?".to_string(), |n| n.to_string())).join(" x ");
            return error(format!("a network of {name} has {rows} x {WIDTH} x {HIDDEN} numbers, this one {found}"));
        }
        let mut network = Network::empty::<V>();
        fill(&mut network.rows, &input.numbers::<i16>(rows * width)?, |n| n);
        network.bias[..width].copy_from_slice(&input.numbers::<i16>(width)?);
        network.worth = input.numbers::<i32>(rows)?;
        let (halves, _) = network.hidden.as_flattened_mut().as_chunks_mut::<WIDTH>();
        fill(halves, &input.numbers::<i8>(HIDDEN * 2 * width)?, i16::from);
        network.hidden_bias.copy_from_slice(&input.numbers::<i32>(HIDDEN)?);
        network.last = std::array::from_fn(|_| 0);
        let last = input.numbers::<i16>(HIDDEN)?;
        network.last.iter_mut().zip(last).for_each(|(to, n)| *to = i32::from(n));
        network.last_bias = input.numbers::<i32>(1)?[0];
        input.finish()?;
        Ok(network)
    }
}

/// Spreads numbers evenly over the beginnings of rows.
fn fill<N: Copy>(rows: &mut [[i16; WIDTH]], numbers: &[N], wide: impl Fn(N) -> i16) {
    let each = numbers.len() / rows.len();
    for (row, numbers) in rows.iter_mut().zip(numbers.chunks_exact(each)) {
        row.iter_mut().zip(numbers).for_each(|(to, &n)| *to = wide(n));
    }
}
