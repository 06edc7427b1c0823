//! Yomi's shogi beside the crates haitaka and rsshogi: same positions, same counts, same run.

mod cross;
mod speed;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| arguments.get(index).and_then(|a| a.parse().ok()).unwrap_or(default);
    match arguments.first().map(String::as_str) {
        Some("cross") => cross::compare(number(1, 10_000)),
        Some("perft") => cross::perft_file(number(1, 100_000_000)),
        _ => speed::table(number(0, 5) as u32),
    }
}
