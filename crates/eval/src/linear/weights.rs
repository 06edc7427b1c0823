//! The file of weights: versioned, checked, and short.
//!
//! ```text
//! YOMI-LIN  version u32  length of name u8  name of the game  parameters u32  numbers …  FNV-1a of all before u64
//! ```
//! All is little-endian. The numbers are two per parameter (for its owner, for the side to move), in hundredths of a unit of value times
//! [`SCALE`]/100, as zigzag varints; a zero is followed by a varint that says how many more zeros there are. Most relations
//! never occur in games, so most numbers are zeros, and those that are not are small.

use yomi_core::TextError;
use yomi_core::rng::fnv1a;
use yomi_games::shogi::Variant;

use super::layout::Layout;
use crate::numbers::{Input, write_numbers};

/// Weights are integers: this many make one unit of value.
pub(super) const SCALE: f32 = 16.0;

const MAGIC: &[u8; 8] = b"YOMI-LIN";
const VERSION: u32 = 1;

/// The weights of every parameter of a game: what it counts for its owner, and for the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    game: &'static str,
    values: Vec<[i16; 2]>,
}

impl Weights {
    /// Rounds parameters in units of value to weights. What is too large or no number becomes the nearest that fits.
    pub fn round<V: Variant>(parameters: &[[f32; 2]]) -> Result<Weights, TextError> {
        let values = parameters.iter().map(|pair| pair.map(|x| (x * SCALE).round() as i16)).collect();
        Weights::of::<V>(values)
    }

    fn of<V: Variant>(values: Vec<[i16; 2]>) -> Result<Weights, TextError> {
        let wanted = Layout::of::<V>().len();
        if values.len() != wanted {
            return Err(TextError::new(format!(
                "the linear evaluation of {} has {wanted} parameters, not {}",
                V::NAME,
                values.len()
            )));
        }
        Ok(Weights { game: V::NAME, values })
    }

    /// The game they are for.
    pub fn game(&self) -> &'static str {
        self.game
    }

    /// The weights by the index of the parameter.
    pub fn values(&self) -> &[[i16; 2]] {
        &self.values
    }

    /// The parameters in units of value.
    pub fn parameters(&self) -> Vec<[f32; 2]> {
        self.values.iter().map(|pair| pair.map(|w| f32::from(w) / SCALE)).collect()
    }

    /// The file.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.push(self.game.len() as u8);
        bytes.extend(self.game.as_bytes());
        bytes.extend((self.values.len() as u32).to_le_bytes());
        write_numbers(&mut bytes, self.values.as_flattened().iter().map(|&n| i32::from(n)));
        let sum = fnv1a(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads the file of a game. Anything that is not exactly such a file is refused with the reason.
    pub fn read<V: Variant>(file: &[u8]) -> Result<Weights, TextError> {
        let error = |message: String| Err(TextError::new(message));
        let Some((bytes, sum)) = file.split_last_chunk::<8>() else {
            return error(format!("{} bytes are too few for a file of weights", file.len()));
        };
        let mut input = Input::new(bytes);
        if input.take(MAGIC.len()) != Some(MAGIC) {
            return error("this is no file of linear weights: it does not begin with YOMI-LIN".to_string());
        }
        match input.word() {
            Some(VERSION) => {}
            Some(version) => {
                return error(format!("version {version} of linear weights is unknown; this program reads {VERSION}"));
            }
            None => return error("the file of weights ends within its header".to_string()),
        }
        if fnv1a(bytes) != u64::from_le_bytes(*sum) {
            return error("the file of weights is damaged: its checksum is wrong".to_string());
        }
        let name = input.take(1).and_then(|length| input.take(usize::from(length[0])));
        let name = name.map(String::from_utf8_lossy).unwrap_or_default();
        if name != V::NAME {
            return error(format!("these are weights of {name}, not of {}", V::NAME));
        }
        let wanted = Layout::of::<V>().len();
        if input.word() != Some(wanted as u32) {
            return error(format!("the linear evaluation of {name} has {wanted} parameters, the file another number"));
        }
        let numbers = input.numbers::<i16>(2 * wanted)?;
        input.finish()?;
        Weights::of::<V>(numbers.as_chunks::<2>().0.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use yomi_core::Seed;
    use yomi_games::shogi::{Five, Nine};

    fn some() -> Weights {
        let mut rng = Seed::new(1).rng();
        let number = |rng: &mut yomi_core::Rng| if rng.chance(0.8) { 0 } else { (rng.next() as i16) >> rng.below(16) };
        let values = (0..Layout::of::<Five>().len()).map(|_| [number(&mut rng), number(&mut rng)]).collect();
        Weights::of::<Five>(values).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let weights = some();
        assert_eq!(Weights::read::<Five>(&weights.write()), Ok(weights.clone()));
        let rounded = Weights::round::<Five>(&weights.parameters()).unwrap();
        assert_eq!(rounded, weights);
        let absurd = vec![[f32::NAN, f32::INFINITY]; weights.values.len()];
        assert_eq!(Weights::round::<Five>(&absurd).unwrap().values[0], [0, i16::MAX]);
    }

    #[test]
    fn foreign_and_damaged_files_are_refused_with_the_reason() {
        let refused = |bytes: &[u8]| Weights::read::<Five>(bytes).unwrap_err().to_string();
        let good = some().write();
        assert!(Weights::read::<Nine>(&good).unwrap_err().to_string().contains("weights of minishogi, not of shogi"));
        assert!(refused(b"").contains("too few"));
        assert!(refused(&[0; 100]).contains("YOMI-LIN"));
        assert!(refused(&good[..good.len() - 1]).contains("checksum"));
        let mut newer = good.clone();
        newer[8] = 2;
        assert!(refused(&newer).contains("version 2"));
        let resealed = |mut bytes: Vec<u8>| {
            bytes.truncate(bytes.len() - 8);
            bytes
        };
        let seal = |mut bytes: Vec<u8>| {
            let sum = fnv1a(&bytes);
            bytes.extend(sum.to_le_bytes());
            bytes
        };
        let mut longer = resealed(good.clone());
        longer.push(7);
        assert!(refused(&seal(longer)).contains("goes on"));
        let mut shorter = resealed(good.clone());
        shorter.truncate(shorter.len() / 2);
        assert!(refused(&seal(shorter)).contains("end or make no sense"));
        let mut run = resealed(good);
        run.truncate(8 + 4 + 1 + 9 + 4);
        run.extend([0, 0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert!(refused(&seal(run)).contains("run of zeros"));
    }

    proptest! {
        #[test]
        fn any_change_is_noticed(at in 0usize..5000, bit in 0u8..8) {
            let mut bytes = some().write();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert!(Weights::read::<Five>(&bytes).is_err());
        }

        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = some().write()[..26].to_vec();
            bytes.extend(noise);
            let sum = fnv1a(&bytes);
            bytes.extend(sum.to_le_bytes());
            let _ = Weights::read::<Five>(&bytes);
        }
    }
}
