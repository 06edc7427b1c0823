//! `yomi stats`: what can be concluded from games.

mod binom;
mod elo;
mod pool;
mod power;
mod ratings;
mod sprt;
mod table;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_lab::plots::Chart;
use yomi_lab::statistics::{Estimate, Interval, Level, Tally};

/// Conclude from games: tests, intervals, Elo, sequential tests, tables, ratings, power
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi stats binom 540 1000\n  yomi stats elo 162 9 129\n  yomi stats sprt --elo0 0 --elo1 5 --pairs 34,54,63,64,75\n  \
    yomi stats table T80=124/171 T40=100/194\n  yomi stats ratings games.pgn\n  yomi stats pool runs/*\n  yomi stats power --score 0.54\n\n\
    Counts are always those of one player, wins first: wins draws losses.\n\
    With --json answers are JSON objects, one per line; what is infinite or undefined is null there."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Subcommand)]
enum Question {
    /// Test successes out of trials against a rate, with exact and Wilson intervals
    Binom(binom::Args),
    /// Win rate, Elo, normalized Elo and likelihood of superiority of a match
    Elo(elo::Args),
    /// Sequential probability ratio test of a match, and how many games it will take
    Sprt(sprt::Args),
    /// Compare several matches: chi-square or Fisher's exact test, corrected for their number
    Table(table::Args),
    /// Rate a pool of players from a file of results
    Ratings(ratings::Args),
    /// Pool the games of run directories and rate all players together
    Pool(pool::Args),
    /// How many games a difference needs, and what a number of games can show
    Power(power::Args),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.question {
        Question::Binom(args) => binom::run(args, out),
        Question::Elo(args) => elo::run(args, out),
        Question::Sprt(args) => sprt::run(args, out),
        Question::Table(args) => table::run(args, out),
        Question::Ratings(args) => ratings::run(args, out),
        Question::Pool(args) => pool::run(args, out),
        Question::Power(args) => power::run(args, out),
    }
}

/// What all questions share.
#[derive(clap::Args)]
struct Form {
    /// How sure intervals are
    #[arg(long, default_value = "0.95", value_parser = parse_level, value_name = "CONFIDENCE")]
    level: Level,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

fn parse_level(text: &str) -> Result<Level, TextError> {
    let number = text.parse().map_err(|_| TextError::new(format!("{text} is not a number")))?;
    Level::new(number)
}

/// The games of a match.
#[derive(clap::Args)]
struct Counts {
    /// Wins, draws and losses
    #[arg(num_args = 3, value_names = ["WINS", "DRAWS", "LOSSES"], conflicts_with = "pairs")]
    games: Option<Vec<u64>>,
    /// Instead of games, pairs of games with swapped colours: two losses, loss and draw, balanced, win and draw, two wins
    #[arg(long, value_delimiter = ',', num_args = 1..=5, value_name = "LL,LD,EVEN,WD,WW")]
    pairs: Option<Vec<u64>>,
}

impl Counts {
    /// What was counted, if anything was given.
    fn tally(&self) -> anyhow::Result<Option<Tally>> {
        match (self.games.as_deref(), self.pairs.as_deref()) {
            (None, None) => Ok(None),
            (Some(&[wins, draws, losses]), _) => Ok(Some(Tally::games(wins, draws, losses)?)),
            (_, Some(&[ll, ld, even, wd, ww])) => Ok(Some(Tally::pairs([ll, ld, even, wd, ww])?)),
            (_, given) => bail!(
                "--pairs takes five counts (two losses, loss and draw, balanced, win and draw, two wins), not {}",
                given.map_or(0, <[u64]>::len)
            ),
        }
    }
}

/// Draws a chart into a file, if one is wanted.
fn draw(file: Option<&Path>, chart: impl FnOnce() -> Chart) -> anyhow::Result<()> {
    match file {
        None => Ok(()),
        Some(file) => std::fs::write(file, chart().svg()).with_context(|| format!("--svg {}", file.display())),
    }
}

/// A line of an answer: what it is, then the value, below each other.
fn line(out: &mut dyn Write, what: &str, value: &str) -> std::io::Result<()> {
    writeln!(out, "  {what:<40}{value}")
}

/// A probability that may be tiny.
fn p_text(p: f64) -> String {
    match p {
        0.0 => "< 1e-300".to_string(),
        p if p < 1e-4 => format!("{p:.2e}"),
        p => format!("{p:.5}"),
    }
}

/// A difference in Elo with its interval.
fn elo_text(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "unknown: no games".to_string(),
        Some(Estimate { value, interval }) if !value.is_finite() || !interval.radius().is_finite() => {
            format!("{value:+.2}  {interval:.1}")
        }
        Some(Estimate { value, interval }) => format!("{value:+.2} ± {:.2}  {interval:.1}", interval.radius()),
    }
}

fn interval_json(interval: Interval) -> Value {
    json!([interval.low, interval.high])
}

fn estimate_json(estimate: Option<Estimate>) -> Value {
    estimate.map_or(Value::Null, |e| json!({ "value": e.value, "interval": interval_json(e.interval) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: Args,
    }

    /// What `yomi stats` prints, or the first line of its complaint.
    fn ask(words: &str) -> Result<String, String> {
        let first_line = |text: String| text.lines().next().unwrap_or("").to_string();
        let words = ["stats"].into_iter().chain(words.split_whitespace());
        let program = Program::try_parse_from(words).map_err(|error| first_line(error.to_string()))?;
        let mut out = Vec::new();
        run(&program.args, &mut out).map_err(|error| first_line(format!("{error:#}")))?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn object(words: &str) -> Value {
        let text = ask(&format!("{words} --json")).unwrap();
        serde_json::from_str(text.lines().next().unwrap()).unwrap()
    }

    #[track_caller]
    fn says(words: &str, parts: &[&str]) {
        let answer = ask(words).unwrap_or_else(|error| error);
        for part in parts {
            assert!(answer.contains(part), "{words}: {part} is not in\n{answer}");
        }
    }

    #[test]
    fn answers() {
        says("binom 540 1000", &["0.01244", "[0.5085, 0.5712]", "[0.5090, 0.5707]"]);
        says("binom 0 0", &["p = 1.00000", "[0.0000, 1.0000]"]);
        says("binom 3 4 --p 0.1 --level 0.99", &["99 %", "0.00370"]);
        says("elo 136 111 96", &["+40.70 ± 30.43", "+49.77 ± 36.77", "99.60 %"]);
        says("elo --pairs 34,54,63,64,75", &["+55.58 ± 27.65", "+57.94 ± 28.28", "580 games"]);
        says("elo 10 0 0", &["+inf", "1.0000"]);
        says("elo 0 0 0", &["unknown: no games"]);
        says("sprt --elo0 0 --elo1 2 --pairs 365,16618,36229,16974,390", &["LLR 2.25", "continue"]);
        says("sprt --elo0 -1.75 --elo1 0.25 --pairs 127,4883,10712,5150,104", &["LLR 3.01", "H1 accepted"]);
        says("sprt --elo0 0 --elo1 2 --model logistic 57433 106593 57030", &["LLR -2.59"]);
        says("sprt --elo0 0 --elo1 5", &["25591", "41861"]);
        says("table 124/171 100/194", &["0.04499", "chi2", "0.4203"]);
        says("table a=3/1 b=1/3", &["Fisher", "0.48571"]);
        says("table T40=100/6/194 T80=124/5/171 T120=69/0/231", &["T40 - T80", "T80 - T120", "Holm"]);
        says("power --score 0.54 --games 1000", &["1225", "0.705"]);
        says("power --games 300", &["0.58"]);
        says("power", &["4904", "783"]);
    }

    #[test]
    fn answers_for_programs() {
        let binom = object("binom 540 1000");
        assert!((binom["p"].as_f64().unwrap() - 0.01244).abs() < 1e-5);
        assert!((binom["clopper_pearson"][0].as_f64().unwrap() - 0.50853).abs() < 1e-5);
        let elo = object("elo 10 0 0");
        assert!(elo["elo"]["value"].is_null() && elo["elo"]["interval"][0].as_f64().unwrap() > 100.0);
        let sprt = object("sprt --elo0 0 --elo1 2 --pairs 365,16618,36229,16974,390");
        assert_eq!((&sprt["decision"], &sprt["games"]), (&json!("continue"), &json!(141_152)));
        let table = object("table 124/171 100/194 10/10");
        assert_eq!(table["comparisons"].as_array().unwrap().len(), 3);
        let power = object("power --elo 30 --draws 0.3");
        assert!(power["games_needed"].as_u64().unwrap() > 500);
    }

    #[test]
    fn charts() {
        let folder = std::env::temp_dir().join(format!("yomi-stats-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (games, svg) = (folder.join("games.txt"), folder.join("chart.svg"));
        let (games_path, svg_path) = (games.display(), svg.display());
        std::fs::write(&games, "mcss uct 1-0\nuct mcss 1/2-1/2\n").unwrap();
        says(&format!("ratings {games_path} --svg {svg_path}"), &["mcss", "rank"]);
        assert!(std::fs::read_to_string(&svg).unwrap().contains(">uct</text>"));
        says(&format!("table 40=647/296 60=651/316 20=527/388 --svg {svg_path}"), &["0.6861"]);
        let chart = std::fs::read_to_string(&svg).unwrap();
        // Three points, joined; the numbers of the axis are those of the names.
        assert!(
            chart.matches("<circle").count() == 3 && chart.contains("<polyline") && chart.contains(">30</text>"),
            "{chart}"
        );
        assert!(ask(&format!("table 1/2 3/4 --svg {}", folder.join("no/such/chart.svg").display())).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn complaints() {
        for (words, part) in [
            ("binom 5 4", "5 successes out of 4"),
            ("binom 1 99999999999", "taken for a mistake"),
            ("binom 1 2 --p 1.5", "between 0 and 1"),
            ("binom 1 2 --level 95", "confidence level"),
            ("binom x 2", "invalid value 'x'"),
            ("elo", "wins draws losses"),
            ("elo 1 2", "3 values"),
            ("elo 99999999999999999999 0 0", "invalid value"),
            ("elo 9999999999 0 0", "taken for a mistake"),
            ("elo --pairs 1,2,3", "five counts"),
            ("elo 1 2 3 --pairs 1,2,3,4,5", "cannot be used with"),
            ("sprt --elo0 5 --elo1 5 1 1 1", "greater"),
            ("sprt --elo0 0 --elo1 500 1 1 1", "between -200 and 200"),
            ("sprt --elo0 0 --elo1 5 --alpha 0 1 1 1", "alpha"),
            ("table 1/2", "two rows"),
            ("table 1/2 1/2/3", "row 2"),
            ("table 1/2 1/x", "1/x"),
            ("ratings /no/such/file", "/no/such/file"),
            ("power --score 0.5", "one half"),
            ("power --score 0.9 --draws 0.5", "draws"),
        ] {
            let error = ask(words).unwrap_err();
            assert!(error.contains(part), "{words}: {error}");
        }
    }
}
