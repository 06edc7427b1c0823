// Moves under consideration on the board: arrows for pieces, a ghost for drops, discs on points, heat for tiles.

import { arrow, Plate, Tablet } from "./pieces";
import type { At, BoardReport, Route, Side } from "./types";

/** A move under consideration, as it is drawn on the board. */
export interface Candidate {
  move: string;
  /** 0 to 1: width and strength. */
  weight: number;
  label: string;
  best: boolean;
  /** Not among the first: heat on the board, where moves are one point or tiles, and no number. */
  faint?: boolean;
}

/** Where things are in the picture. */
export interface Geometry {
  w: number;
  h: number;
  centre(at: At): [number, number];
  border(cells: At[]): string;
  up(side: Side): boolean;
}

type Drawn = Candidate & { route: Route };

export function Candidates({ board, turn, candidates, geometry }: { board: BoardReport; turn: Side; candidates: Candidate[]; geometry: Geometry }) {
  const routes = new Map(board.moves.map((route) => [route.move, route]));
  const drawn = candidates.flatMap((c): Drawn[] => (routes.has(c.move) ? [{ ...c, route: routes.get(c.move)! }] : [])).sort((a, b) => a.weight - b.weight);
  if (drawn.length === 0) return null;
  const tiles = drawn.filter((c) => c.route.from === undefined && c.route.item === undefined && c.route.to.length > 1);
  const { w, h, centre, up } = geometry;
  const plates = apart(drawn, geometry);
  return (
    <g class="candidates">
      {tiles.length > 0 && <Heat tiles={tiles} geometry={geometry} />}
      {drawn.map(({ route, weight, label, best, move, faint }) => {
        if (faint) return route.from || route.item !== undefined || route.to.length !== 1 ? null : <Warm at={centre(route.to[0])} w={w} weight={weight} />;
        const cls = best ? "candidate best" : "candidate";
        if (route.item !== undefined) {
          const [x, y] = centre(route.to[0]);
          const look = board.trays.find((tray) => tray.side === turn)?.items[route.item];
          return (
            <g class={cls} data-move={move}>
              <circle cx={x} cy={y} r={w * 0.46} class="ring" style={{ strokeWidth: `${w * (0.03 + 0.07 * weight)}px` }} />
              {look && <g transform={`translate(${x} ${y})scale(${Math.min(w, h) / 120})`} style={{ opacity: 0.45 + 0.35 * weight }}><Tablet look={look} up={up(turn)} /></g>}
              {label && <Plate x={x + w * 0.26} y={y - h * 0.3} text={label} size={w} />}
            </g>
          );
        }
        if (route.from) {
          const [from, to] = [centre(route.from), centre(route.to[0])];
          return (
            <g class={cls} data-move={move}>
              <path d={arrow(from, to, w * (0.07 + 0.14 * weight))} style={{ opacity: 0.4 + 0.35 * weight }} />
              {label && <Plate x={from[0] + (to[0] - from[0]) * plates.get(move)!} y={from[1] + (to[1] - from[1]) * plates.get(move)!} text={label} size={w} />}
            </g>
          );
        }
        if (route.to.length !== 1) return null;
        const [x, y] = centre(route.to[0]);
        return (
          <g class={cls} data-move={move}>
            <circle cx={x} cy={y} r={w * 0.44} style={{ opacity: 0.4 + 0.5 * weight }} />
            <text x={x} y={y + w * 0.13} style={{ fontSize: `${w * 0.36}px` }} class="on-disc">{label}</text>
          </g>
        );
      })}
    </g>
  );
}

/** How far along its arrow the number of a move stands, so that numbers do not cover each other: the best move chooses first. */
function apart(drawn: Drawn[], { w, centre }: Geometry): Map<string, number> {
  const taken: [number, number][] = [];
  const found = new Map<string, number>();
  for (const { route, move } of drawn.filter((c) => c.route.from && !c.faint).reverse()) {
    const [from, to] = [centre(route.from!), centre(route.to[0])];
    const at = (part: number): [number, number] => [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
    const part = [0.78, 0.5, 0.3].find((part) => taken.every(([x, y]) => Math.hypot(at(part)[0] - x, at(part)[1] - y) > w * 0.45)) ?? 0.78;
    taken.push(at(part));
    found.set(move, part);
  }
  return found;
}

/** A point that was looked at, too. */
const Warm = ({ at: [x, y], w, weight }: { at: [number, number]; w: number; weight: number }) => <circle cx={x} cy={y} r={w * (0.07 + 0.3 * Math.sqrt(weight))} class="heat" style={{ opacity: 0.35 + 0.3 * weight }} />;

/** Tiles overlap: every cell is as strong as all moves through it, and only the best is drawn around. */
function Heat({ tiles, geometry }: { tiles: Drawn[]; geometry: Geometry }) {
  const { w, h, centre, border } = geometry;
  const heat = new Map<string, { at: At; sum: number }>();
  for (const { route, weight } of tiles)
    for (const at of route.to) heat.set(`${at}`, { at, sum: (heat.get(`${at}`)?.sum ?? 0) + weight });
  const most = Math.max(...[...heat.values()].map((cell) => cell.sum));
  const best = tiles.find((c) => c.best) ?? tiles[tiles.length - 1];
  const n = best.route.to.length;
  const [x, y] = best.route.to.map(centre).reduce((s, c) => [s[0] + c[0] / n, s[1] + c[1] / n], [0, 0]);
  return (
    <g class="candidate" data-move={best.move}>
      {[...heat.values()].map(({ at, sum }) => {
        const [cx, cy] = centre(at);
        return <rect x={cx - w / 2} y={cy - h / 2} width={w} height={h} class="heat" style={{ opacity: 0.06 + (0.54 * sum) / most }} />;
      })}
      <path d={border(best.route.to)} class="heat-best" />
      {best.label && <Plate x={x} y={y} text={best.label} size={w} />}
    </g>
  );
}
