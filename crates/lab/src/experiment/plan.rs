//! All jobs of an experiment.

use std::collections::{BTreeMap, BTreeSet};

use yomi_core::TextError;

use super::file::Experiment;
use super::task::{Job, Measurement, Row, Task};
use crate::players::spec::{is_reproducible, launches};

/// An experiment, how much of it, and by which chance.
#[derive(Clone, PartialEq, Debug)]
pub struct ExperimentPlan {
    /// The experiment.
    pub experiment: Experiment,
    /// How much of it: 1 is the full size.
    pub scale: f64,
    /// The seed of all random numbers, together with the conditions.
    pub seed: u64,
}

/// No plan has more jobs: beyond lies a slip of the keyboard.
const MOST_JOBS: usize = 10_000_000;

impl ExperimentPlan {
    /// Plans an experiment.
    pub fn new(experiment: Experiment, scale: f64, seed: u64) -> Result<ExperimentPlan, TextError> {
        if !(scale > 0.0 && scale <= 1000.0) {
            return Err(TextError::new(format!("{scale} is no scale: 1 is the full size, 0.01 a hundredth of it")));
        }
        Ok(ExperimentPlan { experiment, scale, seed })
    }

    /// The jobs, part by part.
    pub fn jobs(&self) -> Result<Vec<Job>, TextError> {
        let mut jobs = Vec::new();
        for (number, part) in self.experiment.parts.iter().enumerate() {
            let (hash, tasks) = (part.hash(), part.kind().tasks(self.scale));
            if jobs.len() + tasks.len() > MOST_JOBS {
                return Err(TextError::new(format!("more than {MOST_JOBS} jobs are taken for a mistake")));
            }
            jobs.extend(tasks.into_iter().zip(0..).map(|(work, index)| Job {
                experiment: self.experiment.name.clone(),
                part: number,
                hash: hash.clone(),
                index,
                seed: self.seed,
                work,
            }));
        }
        Ok(jobs)
    }

    /// What the rows of a ledger say of each part, job by job. Rows of other conditions, other work or another seed are left out.
    pub fn measurements(&self, rows: &[Row]) -> Result<Vec<Vec<Option<Measurement>>>, TextError> {
        let by_place: BTreeMap<(usize, u64), &Row> = rows.iter().map(|row| ((row.part, row.index), row)).collect();
        let mut measurements = vec![Vec::new(); self.experiment.parts.len()];
        for job in self.jobs()? {
            let row = by_place.get(&(job.part, job.index)).filter(|row| row.is_of(&job));
            measurements[job.part].push(row.map(|row| row.measurement.clone()));
        }
        Ok(measurements)
    }

    /// The players of games, each as often as it is one.
    fn seats(&self) -> impl Iterator<Item = String> {
        self.tasks().filter_map(|task| if let Task::Game(task) = task { Some(task.players) } else { None }).flatten()
    }

    /// Every kind of task there is, in smallest numbers.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = Task> {
        self.experiment.parts.iter().flat_map(|part| part.kind().tasks(1e-9))
    }

    /// The commands of the programs that this experiment would start, each once. Only games are played by programs.
    pub fn programs(&self) -> Result<BTreeSet<String>, TextError> {
        let mut commands = BTreeSet::new();
        for player in self.seats() {
            let launches = launches(&player).map_err(|error| error.context(format!("player {player:?}")))?;
            commands.extend(launches.iter().map(|launch| launch.command.text()));
        }
        Ok(commands)
    }

    /// Whether the same rows can be produced again: nothing is measured or limited in time, and no other program plays.
    pub fn is_reproducible(&self) -> bool {
        let reproducible = |task: &Task| {
            let text = serde_json::to_string(task).unwrap_or_default();
            !task.wants_quiet() && !text.contains(" time=") && !more_threads(&text)
        };
        self.tasks().all(|task| reproducible(&task)) && self.seats().all(|player| is_reproducible(&player))
    }
}

/// Whether a text says `threads=` with more than one.
fn more_threads(text: &str) -> bool {
    text.split("threads=").skip(1).any(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits != "1"
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::library;

    #[test]
    fn a_smaller_plan_is_the_beginning_of_a_greater_one() {
        let experiment = library::find("s0-table1").unwrap().unwrap();
        let small = ExperimentPlan::new(experiment.clone(), 0.01, 7).unwrap().jobs().unwrap();
        let large = ExperimentPlan::new(experiment, 0.02, 7).unwrap().jobs().unwrap();
        assert!(small.len() < large.len() && large.starts_with(&small));
        assert_ne!(small[0].chance(), small[1].chance());
        let again: Job = serde_json::from_str(&serde_json::to_string(&small[3]).unwrap()).unwrap();
        assert_eq!(again, small[3]);
    }

    #[test]
    fn scales_are_checked() {
        let experiment = library::find("s0-table1").unwrap().unwrap();
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(ExperimentPlan::new(experiment.clone(), scale, 1).is_err(), "{scale}");
        }
    }

    #[test]
    fn threads_and_time_cannot_be_repeated() {
        assert!(more_threads("mcss(t=80,threads=6)") && !more_threads("mcss(threads=1) mcss"));
        let of =
            |name: &str| ExperimentPlan::new(library::find(name).unwrap().unwrap(), 1.0, 1).unwrap().is_reproducible();
        assert!(of("s0-fig3") && !of("s2-fig6") && !of("x-methods-time"));
        assert!(!of("s0-table2-gnu") && !of("s2-knowledge"), "programs of others");
    }
}
