//! The same loops compiled for several vector units, and the choice among them at run time.

use yomi_core::Cancel;

use super::tower::{Answers, Memory, Question, Tower};

/// A vector unit that the kernels are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unit {
    /// What every processor of the target has: SSE2 on x86-64, NEON on 64-bit ARM.
    Baseline,
    /// AVX2 with fused multiply-add: x86-64 since 2013.
    Avx2,
    /// AVX-512.
    Avx512,
}

impl Unit {
    /// Whether this machine has the unit.
    pub fn is_available(self) -> bool {
        match self {
            Unit::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512 => {
                Unit::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Unit::Avx2 | Unit::Avx512 => false,
        }
    }

    /// The units of this machine, the widest last.
    pub fn available() -> Vec<Unit> {
        [Unit::Baseline, Unit::Avx2, Unit::Avx512].into_iter().filter(|unit| unit.is_available()).collect()
    }

    /// The widest unit of this machine.
    pub fn best() -> Unit {
        Unit::available().pop().unwrap_or(Unit::Baseline)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Baseline => "baseline",
            Unit::Avx2 => "avx2",
            Unit::Avx512 => "avx512",
        }
    }
}

/// Whether a multiplication with addition in one rounding is an instruction of the target's baseline.
const BASELINE_FMA: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// Evaluates a question with the instructions of `unit`, up to the end or until it is cancelled; returns how many positions are answered. A unit
/// that this machine has not is replaced by the baseline.
pub(super) fn evaluate(
    unit: Unit,
    tower: &Tower,
    question: Question<'_>,
    cancel: Cancel<'_>,
    answers: Answers<'_>,
    memory: &mut Memory,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if unit == Unit::Avx512 && unit.is_available() {
            #[allow(unsafe_code, reason = "safe code compiled for AVX-512; the line above has detected it")]
            // SAFETY: the processor has every feature that the function enables.
            return unsafe { evaluate_avx512(tower, question, cancel, answers, memory) };
        }
        if unit == Unit::Avx2 && unit.is_available() {
            #[allow(unsafe_code, reason = "safe code compiled for AVX2; the line above has detected it")]
            // SAFETY: the processor has every feature that the function enables.
            return unsafe { evaluate_avx2(tower, question, cancel, answers, memory) };
        }
    }
    let _ = unit;
    tower.evaluate::<BASELINE_FMA, false>(question, cancel, answers, memory)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn evaluate_avx2(
    tower: &Tower,
    question: Question<'_>,
    cancel: Cancel<'_>,
    answers: Answers<'_>,
    memory: &mut Memory,
) -> usize {
    // Six rows at a time, of two vectors each, fill twelve of sixteen registers.
    tower.evaluate::<true, false>(question, cancel, answers, memory)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
fn evaluate_avx512(
    tower: &Tower,
    question: Question<'_>,
    cancel: Cancel<'_>,
    answers: Answers<'_>,
    memory: &mut Memory,
) -> usize {
    // Twelve rows at a time, of one vector each.
    tower.evaluate::<true, true>(question, cancel, answers, memory)
}
