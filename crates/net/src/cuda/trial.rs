//! Kernels are tried when a network is opened: a form that answers wrongly, or differently about equal positions, is left out, and one that does
//! not answer at all makes the device lost. Nothing else would say so: a wrong kernel gives values that look like any others.
//!
//! Nothing here knows of a device, so that tests need none.

use std::collections::BTreeSet;
use std::fmt;

use yomi_core::{Seed, TextError};

use crate::Network;
use crate::agreement::Tolerance;
use crate::backend::{Answers, Backend, CpuBackend};
use crate::open::Precision;
use crate::sample::Sample;

/// Positions that forms are tried on, and how many moves of random games lie between them.
const POSITIONS: usize = 16;
const MOVES_BETWEEN: usize = 25;
/// How often each size of batch is asked about: what depends on chance seldom shows at once.
const ROUNDS: usize = 3;

/// A form of the kernels that is not in use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LeftOut {
    pub(super) form: String,
    pub(super) why: TextError,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.form, self.why.message)
    }
}

/// What is said where no form is left.
pub(super) fn none_left(left_out: &[LeftOut]) -> TextError {
    let said = "no form of the kernels can be used";
    match left_out {
        // Most often all have the same reason, as a compiler that is not there.
        [first, others @ ..] if others.iter().all(|other| other.why.message == first.why.message) => {
            TextError { message: format!("{said}: {}", first.why.message), ..first.why.clone() }
        }
        all => TextError::new(format!("{said}: {}", all.iter().map(LeftOut::to_string).collect::<Vec<_>>().join("; "))),
    }
}

/// What `prepare` makes of the forms for which it does not fail, and what became of the others; an error if it fails for all.
pub(super) fn prepare<F, C>(
    forms: &[F],
    name: impl Fn(&F) -> String,
    mut prepare: impl FnMut(&F) -> Result<C, TextError>,
) -> Result<(Vec<C>, Vec<LeftOut>), TextError> {
    let (mut prepared, mut left_out) = (Vec::new(), Vec::new());
    for form in forms {
        match prepare(form) {
            Ok(one) => prepared.push(one),
            Err(why) => left_out.push(LeftOut { form: name(form), why }),
        }
    }
    if prepared.is_empty() { Err(none_left(&left_out)) } else { Ok((prepared, left_out)) }
}

/// Why there are no answers.
pub(super) enum Fault {
    /// The device says that something failed.
    Failed(TextError),
    /// It has not said anything for too long.
    Silent,
}

/// Forms of kernels, each of which can be asked alone.
pub(super) trait Forms {
    /// Their names.
    fn names(&self) -> Vec<String>;

    /// How many positions a form computes at once.
    fn wave(&self, form: usize) -> usize;

    /// What a form answers about all positions of a sample.
    fn answer(&mut self, form: usize, sample: &Sample) -> Result<Answers, Fault>;
}

/// A form that never answered; it may still be at work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Silent(pub(super) String);

/// How forms have done, in their order: why those that are to be left out failed.
pub(super) type Verdicts = Vec<Option<LeftOut>>;

/// Positions, and what the CPU answers about them.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    sample: Sample,
    expected: Answers,
    tolerance: Tolerance,
    /// The largest batch that can be asked about.
    most: usize,
}

impl Trial {
    pub(super) fn new(network: &Network, precision: Precision, most: usize) -> Result<Trial, TextError> {
        let (layout, _) = network.architecture().check()?;
        let walk = Sample::of(layout, POSITIONS * MOVES_BETWEEN, Seed::new(1))?;
        let mut sample = Sample::default();
        for i in (0..POSITIONS.min(most)).map(|i| i * MOVES_BETWEEN) {
            sample.positions.push(walk.positions[i]);
            sample.labels.extend(walk.labels_of(i));
            sample.ends.push(sample.labels.len() as u32);
        }
        let mut expected = Answers::default();
        CpuBackend::with_all_threads(network).evaluate(sample.request(), &mut expected)?;
        Ok(Trial { sample, expected, tolerance: Tolerance::of(precision), most })
    }

    /// Tries all forms. After one that is silent there is nothing left to ask.
    pub(super) fn run(&self, forms: &mut dyn Forms) -> Result<Verdicts, Silent> {
        let names = forms.names();
        let verdict = |(i, form): (usize, String)| match self.fault(forms, i) {
            Ok(()) => Ok(None),
            Err(Fault::Failed(why)) => Ok(Some(LeftOut { form, why })),
            Err(Fault::Silent) => Err(Silent(form)),
        };
        names.into_iter().enumerate().map(verdict).collect()
    }

    /// Asks one form, first about different positions, then about the same ones again and again.
    fn fault(&self, forms: &mut dyn Forms, form: usize) -> Result<(), Fault> {
        let failed = |what: String| Fault::Failed(TextError::new(what));
        let first = forms.answer(form, &self.sample)?;
        if let Some(fault) = self.tolerance.fault(&first, &self.expected) {
            return Err(failed(fault));
        }
        // Alone, all places that there are at once, and one position that comes after another.
        let wave = forms.wave(form);
        let counts = BTreeSet::from([1, wave, wave + 1].map(|count| count.clamp(1, self.most)));
        let samples: Vec<Sample> = counts.into_iter().map(|count| self.sample.cycle(count, true)).collect();
        for sample in std::iter::repeat_n(&samples, ROUNDS).flatten() {
            let answers = forms.answer(form, sample)?;
            if let Some(at) = self.other_than(&first, &answers, sample.positions.len()) {
                let count = sample.positions.len();
                return Err(failed(format!("position {at} of {count} is answered otherwise than an equal one")));
            }
        }
        Ok(())
    }

    /// The first of `count` positions, those of the sample again and again, whose answer is not to the last bit what `first` says.
    fn other_than(&self, first: &Answers, answers: &Answers, count: usize) -> Option<usize> {
        let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        let same = |a: Option<&[f32]>, b: Option<&[f32]>| a.map(bits) == b.map(bits);
        let mut begin = 0;
        (0..count).find(|&i| {
            let of = i % self.sample.positions.len();
            let labels = self.sample.labels_of(of).len();
            let first_begin = self.sample.ends[of] as usize - labels;
            let own = begin..begin + labels;
            begin += labels;
            let value = |answers: &Answers, i: usize| answers.value.get(i).map(|value| value.map(f32::to_bits));
            let score = |answers: &Answers, i: usize| answers.score.get(i).map(|score| score.to_bits());
            value(answers, i).is_none()
                || value(answers, i) != value(first, of)
                || score(answers, i) != score(first, of)
                || !same(answers.policy.get(own), first.policy.get(first_begin..first_begin + labels))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;
    use crate::input::Layout;

    fn network() -> Network {
        Network::random(Architecture::new(Layout::Minishogi, 1, 8), Seed::new(3)).unwrap()
    }

    /// What is wrong with a form.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Ill {
        Nothing,
        Values,
        Logits,
        NotNumbers,
        Short,
        /// The second wave is computed with what another position has left.
        SecondWave,
        /// Once in a while one bit of one logit.
        OneBit,
        Refuses,
        NeverEnds,
    }

    /// Forms that answer as the CPU does, but for what is wrong with them.
    struct Patients {
        cpu: CpuBackend,
        ills: Vec<Ill>,
        wave: usize,
        asked: Vec<Vec<usize>>,
    }

    impl Patients {
        fn new(ills: &[Ill], wave: usize) -> Patients {
            let asked = vec![Vec::new(); ills.len()];
            Patients { cpu: CpuBackend::new(&network(), 1), ills: ills.to_vec(), wave, asked }
        }
    }

    impl Forms for Patients {
        fn names(&self) -> Vec<String> {
            self.ills.iter().map(|ill| format!("{ill:?}")).collect()
        }

        fn wave(&self, _: usize) -> usize {
            self.wave
        }

        fn answer(&mut self, form: usize, sample: &Sample) -> Result<Answers, Fault> {
            let count = sample.positions.len();
            self.asked[form].push(count);
            let mut answers = Answers::default();
            // The CPU's last bits depend on the company of a position: each is asked about alone.
            for (i, position) in sample.positions.iter().enumerate() {
                let (labels, ends) = (sample.labels_of(i), [sample.labels_of(i).len() as u32]);
                let positions = std::slice::from_ref(position);
                let request = crate::backend::Request { positions, labels, ends: &ends, ..Default::default() };
                let mut one = Answers::default();
                self.cpu.evaluate(request, &mut one).map_err(Fault::Failed)?;
                answers.value.extend(one.value);
                answers.policy.extend(one.policy);
            }
            let asked = self.asked[form].len();
            match self.ills[form] {
                Ill::Nothing => {}
                Ill::Values => answers.value[count - 1] = [0.9, 0.1, 0.0],
                Ill::Logits => answers.policy.iter_mut().for_each(|logit| *logit *= 1.1),
                Ill::NotNumbers => answers.value[0] = [f32::NAN; 3],
                Ill::Short => answers.value.truncate(count - 1),
                Ill::SecondWave if count > self.wave => answers.value[self.wave] = [0.5, 0.0, 0.5],
                Ill::OneBit if asked == 7 => answers.policy[0] = f32::from_bits(answers.policy[0].to_bits() ^ 1),
                Ill::SecondWave | Ill::OneBit => {}
                Ill::Refuses => return Err(Fault::Failed(TextError::new("a kernel does not start"))),
                Ill::NeverEnds => return Err(Fault::Silent),
            }
            Ok(answers)
        }
    }

    fn trial(most: usize) -> Trial {
        Trial::new(&network(), Precision::Half, most).unwrap()
    }

    fn said(verdicts: &Verdicts) -> Vec<String> {
        verdicts.iter().map(|one| one.as_ref().map_or_else(String::new, LeftOut::to_string)).collect()
    }

    #[test]
    fn a_good_form_stays_and_is_asked_about_waves() {
        let mut forms = Patients::new(&[Ill::Nothing, Ill::Nothing], 39);
        assert_eq!(trial(100).run(&mut forms), Ok(vec![None, None]));
        let sizes = vec![16, 1, 39, 40, 1, 39, 40, 1, 39, 40];
        assert_eq!(forms.asked, [sizes.clone(), sizes]);
        // No batch is larger than what the device has room for.
        let mut forms = Patients::new(&[Ill::Nothing], 39);
        assert_eq!(trial(10).run(&mut forms), Ok(vec![None]));
        assert_eq!(forms.asked, [[10, 1, 10, 1, 10, 1, 10]]);
    }

    #[test]
    fn ill_forms_are_left_out_by_name() {
        let ills = [
            Ill::Values,
            Ill::Nothing,
            Ill::Logits,
            Ill::NotNumbers,
            Ill::Short,
            Ill::SecondWave,
            Ill::OneBit,
            Ill::Refuses,
        ];
        let said = said(&trial(100).run(&mut Patients::new(&ills, 39)).unwrap());
        let parts = [
            ("Values: values differ by", "from the CPU's"),
            ("", ""),
            ("Logits: logits of size", "from the CPU's"),
            ("NotNumbers: answers are not numbers", ""),
            ("Short: 15 of 16 values", ""),
            ("SecondWave: position 39 of 40 is answered otherwise than an equal one", ""),
            ("OneBit: position 0 of 40 is answered otherwise than an equal one", ""),
            ("Refuses: a kernel does not start", ""),
        ];
        for (said, (start, end)) in said.iter().zip(parts) {
            assert!(said.starts_with(start) && said.ends_with(end), "{said}");
            assert_eq!(said.is_empty(), start.is_empty(), "{said}");
        }
    }

    /// After a form that never ends no other is asked.
    #[test]
    fn a_silent_form_ends_the_trial() {
        let mut forms = Patients::new(&[Ill::Nothing, Ill::NeverEnds, Ill::Nothing], 4);
        assert_eq!(trial(100).run(&mut forms), Err(Silent("NeverEnds".into())));
        assert_eq!((forms.asked[1].len(), forms.asked[2].len()), (1, 0));
    }

    #[test]
    fn forms_that_cannot_be_prepared_are_left_out() {
        let odd = |&n: &usize| if n % 2 == 1 { Ok(10 * n) } else { Err(TextError::new(format!("{n} is even"))) };
        let (prepared, left_out) = prepare(&[1, 2, 3], usize::to_string, odd).unwrap();
        assert_eq!(prepared, [10, 30]);
        assert_eq!(left_out.iter().map(LeftOut::to_string).collect::<Vec<_>>(), ["2: 2 is even"]);
        let none = prepare(&[2, 4], usize::to_string, odd).unwrap_err();
        assert_eq!(none.message, "no form of the kernels can be used: 2: 2 is even; 4: 4 is even");
        let absent = |_: &usize| Err::<(), _>(TextError::new("no compiler").hinting("install one"));
        let none = prepare(&[2, 4], usize::to_string, absent).unwrap_err();
        assert_eq!(none, TextError::new("no form of the kernels can be used: no compiler").hinting("install one"));
    }
}
