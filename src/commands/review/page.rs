//! The review as a page that needs nothing else: graph, mistakes with their positions, all moves.

use std::fmt::Write;

use anyhow::Result;
use yomi_games::draw::{SvgOptions, svg};
use yomi_page::review::{Review, ReviewedMove};
use yomi_session::MarkedMoves;
use yomi_session::records::AnyRecord;

/// How many positions are drawn.
const DRAWN: usize = 6;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#f6f4ef}\
h1{margin:0}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}td,th{padding:.2rem .6rem;text-align:left;\
border-bottom:1px solid #dcd7ca}.n{text-align:right}.b{color:#b3261e;font-weight:700}.graph{width:100%;background:#fffefb;border:1px solid #dcd7ca;\
border-radius:6px}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem}figure{margin:0}figure svg{width:100%;height:auto}\
figcaption{font-size:.9em}@media(prefers-color-scheme:dark){body{background:#16181d;color:#e7e5df}.graph{background:#1e2127}}";

/// The page. `name` is the file that was reviewed.
pub(super) fn html(review: &Review, record: &dyn AnyRecord, name: &str) -> Result<String> {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{0}</title><style>{STYLE}</style><h1>{0}</h1><p>{1}, {2} moves, reviewed by <code>{3}</code></p>",
        text(name),
        text(&review.game),
        review.moves.len(),
        text(&review.player)
    );
    let players =
        record.headers().iter().filter(|(key, _)| ["先手", "後手", "PB", "PW", "N+", "N-"].contains(&key.as_str()));
    for (key, value) in players {
        write!(page, "<p>{}: {}</p>", text(key), text(value))?;
    }
    page += &graph(review);
    let mistakes = review.mistakes();
    if !mistakes.is_empty() {
        page += "<h2>Mistakes, worst first</h2><div class=\"grid\">";
        for mv in mistakes.iter().take(DRAWN) {
            page += &mistake(mv, record)?;
        }
        page += "</div>";
    }
    page += "<h2>Moves</h2><table><tr><th class=\"n\">#<th>Move<th><th class=\"n\">Black wins<th>Better</tr>";
    for mv in &review.moves {
        let better = if mv.mark.is_empty() { "" } else { &mv.line };
        write!(
            page,
            "<tr><td class=\"n\">{}<td>{}<td class=\"b\">{}<td class=\"n\">{:.1} %<td>{}</tr>",
            mv.number,
            text(&mv.spoken),
            mv.mark,
            100.0 * mv.after,
            text(better)
        )?;
    }
    page += "</table></html>\n";
    Ok(page)
}

/// The position before a mistake, with the move that was played and the one that was better.
fn mistake(mv: &ReviewedMove, record: &dyn AnyRecord) -> Result<String> {
    let mut session = record.open();
    let all = session.plies();
    session.undo(all + 1 - mv.number)?;
    let better = mv.better.clone().unwrap_or_default();
    let arrows =
        [(mv.text.clone(), 0.3), (better.clone(), 1.0)].into_iter().filter(|(text, _)| !text.is_empty()).collect();
    let picture = session.picture(&MarkedMoves { arrows, ..MarkedMoves::default() })?;
    let drawn = svg(&picture, &SvgOptions::default());
    let (before, after) = (100.0 * mv.before, 100.0 * mv.after);
    Ok(format!(
        "<figure>{drawn}<figcaption><b>{} {} {}</b>: Black {before:.1} % → {after:.1} %, better <b>{}</b></figcaption></figure>",
        mv.number,
        text(&mv.spoken),
        mv.mark,
        text(&better)
    ))
}

/// Black's chance along the game.
fn graph(review: &Review) -> String {
    let (width, height) = (960.0, 220.0);
    let steps = (review.chances.len().max(2) - 1) as f64;
    let point = |(i, chance): (usize, &f64)| (i as f64 / steps * width, height - chance * height);
    let points: Vec<(f64, f64)> = review.chances.iter().enumerate().map(point).collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dots: String = (review.moves.iter().filter(|mv| !mv.mark.is_empty()))
        .map(|mv| {
            let (x, y) = points[mv.number];
            let title = format!("{} {} {}", mv.number, mv.spoken, mv.mark);
            format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"#c0392b\"><title>{}</title></circle>",
                text(&title)
            )
        })
        .collect();
    format!(
        "<svg class=\"graph\" viewBox=\"-8 -8 976 236\" role=\"img\" aria-label=\"Black's chance of winning\">\
         <path d=\"M0 110H960\" stroke=\"#888\" stroke-dasharray=\"5 5\"/><polyline points=\"{}\" fill=\"none\" stroke=\"#2f78b8\" \
         stroke-width=\"2.5\"/>{dots}</svg>",
        line.join(" ")
    )
}

/// Text that stands in a page.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
