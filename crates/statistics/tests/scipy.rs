//! Every statistic against what scipy, statsmodels and choix say: see scripts/scipy_golden.py.

use serde_json::Value;
use yomi_statistics::clusters::Clusters;
use yomi_statistics::distributions::{chi_square_tail, normal_cdf, normal_quantile, student_quantile};
use yomi_statistics::fisher::fisher;
use yomi_statistics::holm::holm;
use yomi_statistics::homogeneity::homogeneity;
use yomi_statistics::isotonic::{Shape, rising};
use yomi_statistics::power::PowerPlan;
use yomi_statistics::proportions::{difference, two_proportions};
use yomi_statistics::ratings::{Options, Pool, Ratings, fit};
use yomi_statistics::tally::Game;
use yomi_statistics::trend::cochran_armitage;
use yomi_statistics::{Level, Model, Proportion, Sprt, Table, Tally};

fn golden(part: &str) -> Value {
    let data: Value = serde_json::from_str(include_str!("scipy.json")).unwrap();
    data[part].clone()
}

fn rows(part: &Value) -> Vec<Vec<f64>> {
    part.as_array().unwrap().iter().map(numbers).collect()
}

fn numbers(row: &Value) -> Vec<f64> {
    row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn counts(row: &Value) -> Vec<u64> {
    row.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
}

#[track_caller]
fn same(ours: f64, theirs: f64, tolerance: f64, what: &dyn std::fmt::Debug) {
    assert!((ours - theirs).abs() <= tolerance * theirs.abs().max(1e-12), "{what:?}: ours {ours}, theirs {theirs}");
}

#[test]
fn distributions() {
    let part = golden("distributions");
    for row in rows(&part["normal_quantile"]) {
        same(normal_quantile(row[0]), row[1], 1e-9, &row);
    }
    for row in rows(&part["normal_cdf"]) {
        same(normal_cdf(row[0]), row[1], 1e-10, &row);
    }
    for row in rows(&part["student_quantile"]) {
        same(student_quantile(row[0], row[1]), row[2], 1e-9, &row);
    }
    for row in rows(&part["chi_square_tail"]) {
        same(chi_square_tail(row[0], row[1] as u64), row[2], 1e-9, &row);
    }
}

#[test]
fn binomial() {
    for row in rows(&golden("binomial")) {
        let ours = Proportion::new(row[0] as u64, row[1] as u64).unwrap();
        let level = Level::new(row[3]).unwrap();
        same(ours.exact_test(row[2]), row[4], 1e-9, &row);
        let (exact, wilson) = (ours.clopper_pearson(level), ours.wilson(level));
        for (ours, theirs) in [exact.low, exact.high, wilson.low, wilson.high].into_iter().zip(&row[5..]) {
            assert!((ours - theirs).abs() < 1e-10, "{row:?}: ours {ours}, theirs {theirs}");
        }
    }
}

#[test]
fn tables() {
    for row in golden("tables").as_array().unwrap() {
        let table = Table::new(row["table"].as_array().unwrap().iter().map(counts).collect()).unwrap();
        let ours = table.chi_square(false);
        same(ours.statistic, row["statistic"].as_f64().unwrap(), 1e-10, row);
        same(ours.p, row["p"].as_f64().unwrap(), 1e-9, row);
        same(ours.least_expected, row["least_expected"].as_f64().unwrap(), 1e-10, row);
        same(table.chi_square(true).p, row["yates_p"].as_f64().unwrap(), 1e-9, row);
        assert_eq!(ours.freedom, row["freedom"].as_u64().unwrap());
    }
}

#[test]
fn pairs() {
    for row in rows(&golden("pairs")) {
        let [a, b] = [0, 2].map(|i| Proportion::new(row[i] as u64, row[i + 1] as u64).unwrap());
        same(fisher(a, b), row[4], 1e-9, &row);
        let (z, p) = two_proportions(a, b);
        same(z, row[5], 1e-10, &row);
        same(p, row[6], 1e-9, &row);
        let ours = difference(a, b, Level::P95).unwrap();
        assert!(
            (ours.interval.low - row[7]).abs() < 1e-10 && (ours.interval.high - row[8]).abs() < 1e-10,
            "{row:?} {ours:?}"
        );
    }
}

#[test]
fn holm_and_power() {
    for row in golden("holm").as_array().unwrap() {
        for (ours, theirs) in holm(&numbers(&row[0])).into_iter().zip(numbers(&row[1])) {
            same(ours, theirs, 1e-12, row);
        }
    }
    for row in rows(&golden("power")) {
        let plan = PowerPlan::new(row[1], 0.0, row[2]).unwrap();
        same(plan.exact_power(row[0] as u64).unwrap(), row[3], 1e-9, &row);
    }
}

/// The dual solution here against a general optimiser on the primal problem there.
#[test]
fn likelihood_ratios() {
    for row in golden("sprt").as_array().unwrap() {
        let counts = counts(&row[0]);
        let tally = match counts.len() {
            3 => Tally::Games(counts.try_into().unwrap()),
            _ => Tally::Pairs(counts.try_into().unwrap()),
        };
        let model = if row[3] == "logistic" { Model::Logistic } else { Model::Normalized };
        let sprt = Sprt::new(model, row[1].as_f64().unwrap(), row[2].as_f64().unwrap(), 0.05, 0.05).unwrap();
        same(sprt.log_likelihood_ratio(&tally), row[4].as_f64().unwrap(), 1e-5, row);
    }
}

/// The pool of a case, its players named by number.
fn pool(case: &Value) -> Pool {
    let mut pool = Pool::new();
    for game in case["games"].as_array().unwrap() {
        let game = counts(game);
        for (result, &times) in [Game::Loss, Game::Draw, Game::Win].into_iter().zip(&game[2..]) {
            (0..times).for_each(|_| pool.add(&game[0].to_string(), &game[1].to_string(), result).unwrap());
        }
    }
    pool
}

fn rating(ratings: &Ratings, player: usize) -> yomi_statistics::Estimate {
    ratings.players.iter().find(|p| p.name == player.to_string()).unwrap().rating
}

#[test]
fn ratings() {
    for case in golden("ratings").as_array().unwrap() {
        let (advantage, draw) = (case["advantage_given"].as_f64(), case["draw_given"].as_f64());
        let options = Options { prior: case["prior"].as_f64().unwrap(), advantage, draw, level: Level::P95 };
        let ours = fit(&pool(case), &options).unwrap();
        let expected = &case["expected"];
        let z = Level::P95.z();
        let close = |ours: f64, theirs: &Value, tolerance: f64| {
            let theirs = theirs.as_f64().unwrap();
            assert!((ours - theirs).abs() < tolerance, "{case}: ours {ours}, theirs {theirs}");
        };
        for i in 0..case["players"].as_u64().unwrap() as usize {
            let ours = rating(&ours, i);
            close(ours.value, &expected["ratings"][i], 0.01);
            close(ours.interval.radius() / z, &expected["errors"][i], 0.02);
        }
        for (ours, name) in [(ours.advantage, "advantage"), (ours.draw, "draw")] {
            close(ours.value, &expected[name], 0.01);
            close(ours.interval.radius() / z, &expected[format!("{name}_error")], 0.02);
        }
    }
}

/// With hardly any prior, no advantage and no draws the model is Bradley and Terry's, which choix knows.
#[test]
fn bradley_terry() {
    let case = golden("bradley_terry");
    let ours = fit(&pool(&case), &Options { prior: 0.001, advantage: Some(0.0), ..Options::default() }).unwrap();
    for (i, theirs) in numbers(&case["ratings"]).into_iter().enumerate() {
        assert!((rating(&ours, i).value - theirs).abs() < 0.01, "{i}: {:?} {theirs}", rating(&ours, i));
    }
}

/// The rows of a table of wins and losses.
fn proportions(table: &Value) -> Vec<Proportion> {
    let row = |row: &Value| {
        let cells = counts(row);
        Proportion::new(cells[0], cells[0] + cells[1]).unwrap()
    };
    table.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn trends_and_shapes() {
    let part = golden("shapes");
    for case in part["trends"].as_array().unwrap() {
        let (z, p) = cochran_armitage(&proportions(&case[0]), &numbers(&case[1]));
        same(z, case[2].as_f64().unwrap(), 1e-8, case);
        same(p, case[3].as_f64().unwrap(), 1e-6, case);
    }
    for case in part["rising"].as_array().unwrap() {
        let ours = rising(&numbers(&case[0]), &numbers(&case[1]));
        ours.iter().zip(numbers(&case[2])).for_each(|(ours, theirs)| same(*ours, theirs, 1e-9, case));
    }
    for case in part["departures"].as_array().unwrap() {
        let rows = proportions(&case[0]);
        for (shape, place) in [(Shape::Rising, 1), (Shape::OnePeak, 2)] {
            let (ours, theirs) = (shape.departure(&rows), case[place].as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-6 * (1.0 + theirs), "{case}: {shape:?} {ours} {theirs}");
        }
    }
}

/// Our 9,999 permutations against all of them: four standard errors.
#[test]
fn permutations() {
    for case in golden("shapes")["homogeneity"].as_array().unwrap() {
        let (ours, exact) = (homogeneity(&proportions(&case[0])), case[1].as_f64().unwrap());
        let error = 4.0 * (exact * (1.0 - exact) / 9999.0).sqrt() + 2e-4;
        assert!(ours.permuted && (ours.p - exact).abs() < error, "{case}: {ours:?}");
    }
}

/// The clustered variance is that of a regression on a constant with standard errors robust to clusters.
#[test]
fn clusters() {
    for case in golden("shapes")["clusters"].as_array().unwrap() {
        let mut clusters = Clusters::default();
        for (i, cell) in case[0].as_array().unwrap().iter().enumerate() {
            let cell = numbers(cell);
            clusters.add(&i.to_string(), cell[0], cell[1]);
        }
        same(clusters.variance().unwrap(), case[1].as_f64().unwrap(), 1e-9, case);
    }
}
