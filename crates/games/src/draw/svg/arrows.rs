//! Moves under consideration: arrows, discs on points, placements of tiles, and their labels.

use super::super::picture::{Arrow, Route};
use super::board::rectangle;
use super::layout::{Rect, cut, fitting, text_width};
use super::marks::circle;
use super::xml::{Factor, N};
use super::{Canvas, put};

impl Canvas<'_> {
    /// Moves under consideration, the weightiest on top.
    pub(super) fn arrows(&mut self) {
        let picture = self.picture;
        if picture.arrows.is_empty() {
            return;
        }
        let mut order: Vec<&Arrow> = picture.arrows.iter().collect();
        order.sort_by(|a, b| a.weight.total_cmp(&b.weight));
        let best = order.last().map(|arrow| arrow.weight);
        self.group("arrows", "");
        for arrow in &order {
            self.arrow(arrow, Some(arrow.weight) == best);
        }
        // Labels last, so that no arrow covers another's.
        let mut plates = Vec::new();
        for arrow in &order {
            self.arrow_label(arrow, Some(arrow.weight) == best, &mut plates);
        }
        self.end_group();
    }

    fn arrow(&mut self, arrow: &Arrow, best: bool) {
        let weight = unit_interval(arrow.weight);
        let color = if best { self.picture.theme.hint } else { self.picture.theme.other };
        match &arrow.route {
            Route::Pass => {}
            Route::Place(cells) if cells.len() == 1 => {
                let Some(r) = self.rect(cells[0]) else { return };
                let (path, strength) = (circle(r.centre(), r.w * 0.46), Factor(0.35 + 0.5 * weight));
                put!(self, "<path d=\"{path}\" fill=\"{color}\" fill-opacity=\"{strength}\" stroke=\"{color}\"/>");
            }
            Route::Place(cells) => {
                let (path, strength) = (self.border(cells), Factor(0.15 + 0.35 * weight));
                let width = N(self.layout.cell.0 * (0.06 + 0.08 * weight));
                let stroke = format!("stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"");
                put!(self, "<path d=\"{path}\" fill=\"{color}\" fill-opacity=\"{strength}\" {stroke}/>");
            }
            Route::Move { .. } | Route::Drop { .. } => {
                let Some((from, to)) = self.ends(&arrow.route) else { return };
                let path = arrow_path(from, to, self.layout.cell.0 * (0.08 + 0.15 * weight));
                put!(self, "<path d=\"{path}\" fill=\"{color}\" fill-opacity=\"{}\"/>", Factor(0.5 + 0.35 * weight));
            }
        }
    }

    /// Where an arrow begins and ends.
    fn ends(&self, route: &Route) -> Option<((f32, f32), (f32, f32))> {
        match route {
            Route::Move { from, to, .. } => Some((self.rect(*from)?.centre(), self.rect(*to)?.centre())),
            Route::Drop { side, item, to } => {
                let tray = self.picture.trays.iter().position(|tray| tray.side == *side)?;
                let to = self.rect(*to)?;
                // Without a tray in the picture a drop comes from the edge of its own square.
                let from = self.layout.trays.get(tray).and_then(|tray| tray.items.get(*item)).map(Rect::centre);
                Some((from.unwrap_or((to.centre().0, to.y)), to.centre()))
            }
            Route::Place(_) | Route::Pass => None,
        }
    }

    /// Writes an arrow's label where no earlier one is; `plates` are the middles of those.
    fn arrow_label(&mut self, arrow: &Arrow, best: bool, plates: &mut Vec<(f32, f32)>) {
        let promotes = matches!(arrow.route, Route::Move { promotes: true, .. });
        let label = format!("{} {}", if promotes { "+" } else { "" }, arrow.label);
        let label = label.trim();
        if label.is_empty() {
            return;
        }
        if let Route::Place(cells) = &arrow.route
            && let [cell] = cells[..]
        {
            let Some(r) = self.rect(cell) else { return };
            return self.text(
                r.centre(),
                fitting(label, r.w * 0.42, r.w * 0.85),
                label,
                "font-weight=\"600\" fill=\"#fff\"",
            );
        }
        let places = self.label_places(&arrow.route);
        let is_free = |at: &&(f32, f32)| plates.iter().all(|p| (p.0 - at.0).abs() > 36.0 || (p.1 - at.1).abs() > 18.0);
        if let Some(&at) = places.iter().find(is_free).or(places.first()) {
            plates.push(at);
            self.pill(at, label, if best { self.picture.theme.hint } else { self.picture.theme.other });
        }
    }

    /// Where the label of a move may stand, the best place first.
    fn label_places(&self, route: &Route) -> Vec<(f32, f32)> {
        if let Some((from, to)) = self.ends(route) {
            // Nearer to the head, where arrows from one piece have parted.
            let on_shaft = |t: f32| (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t);
            return [0.55, 0.4, 0.7, 0.25, 0.85].map(on_shaft).to_vec();
        }
        // The cells nearest to the middle of a placement.
        let mut places: Vec<(f32, f32)> = route.cells().iter().filter_map(|c| Some(self.rect(*c)?.centre())).collect();
        let n = places.len().max(1) as f32;
        let middle = places.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
        let away = |p: &(f32, f32)| (p.0 - middle.0).abs() + (p.1 - middle.1).abs();
        places.sort_by(|a, b| away(a).total_cmp(&away(b)));
        places
    }

    /// A label on a small plate, kept inside the picture.
    fn pill(&mut self, (x, y): (f32, f32), label: &str, color: &str) {
        let size = 12.0;
        let label = &cut(label, size, 90.0_f32.min(self.layout.size.0 - 10.0));
        let (w, h) = (text_width(label, size) + 8.0, size + 5.0);
        let x = x.min(self.layout.size.0 - w / 2.0 - 1.0).max(w / 2.0 + 1.0);
        let plate = rectangle(Rect { x: x - w / 2.0, y: y - h / 2.0, w, h }, h / 2.0);
        put!(self, "<rect {plate} fill=\"#fff\" fill-opacity=\".92\" stroke=\"{color}\"/>");
        self.text((x, y), size, label, "font-weight=\"600\" fill=\"#1a1a1a\"");
    }
}

/// A weight as it may be drawn.
fn unit_interval(weight: f32) -> f32 {
    if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.0 }
}

/// A straight arrow from just outside the middle of one cell to the middle of another.
fn arrow_path(from: (f32, f32), to: (f32, f32), width: f32) -> String {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let point = |along: f32, across: f32| {
        let (x, y) = (from.0 + ux * along - uy * across, from.1 + uy * along + ux * across);
        format!("{} {}", N(x), N(y))
    };
    let half = width / 2.0;
    let head = (width * 1.5 + 5.0).min(length * 0.6);
    let (start, neck) = ((length * 0.15).min(8.0), length - head);
    format!(
        "M{}L{}L{}L{}L{}L{}L{}Z",
        point(start, half),
        point(neck, half),
        point(neck, half + width * 0.6 + 2.0),
        point(length, 0.0),
        point(neck, -half - width * 0.6 - 2.0),
        point(neck, -half),
        point(start, -half)
    )
}
