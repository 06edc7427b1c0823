// What boards are drawn with: pieces, stones, tiles, arrows, hands and trays.

import { same } from "./cells";
import type { At, BoardReport, Item, Look, Route, Side } from "./types";
import outlines from "../../crates/games/src/draw/glyphs/kanji.txt?raw";

export const GLYPHS = new Map(
  outlines.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
);

/** A pentagon with its character, in a box of 100 by 100 around 0. */
export function Tablet({ look, up }: { look: Look; up: boolean }) {
  const size = look.size ?? 1;
  const glyph = look.face ? GLYPHS.get(look.face) : undefined;
  return (
    <g transform={`${up ? "" : "rotate(180) "}scale(${size})`} class="tablet">
      <path d="M0-46 28-33 38 42H-38L-28-33z" class="tablet-body" />
      {glyph ? (
        <path d={glyph} transform="translate(-27 -27)scale(.54)" class={look.promoted ? "tablet-ink promoted" : "tablet-ink"} />
      ) : (
        <text y="14" class="tablet-letter">{look.letter}</text>
      )}
    </g>
  );
}

export function Stone({ side, r }: { side: Side; r: number }) {
  return <circle r={r} class={`stone ${side}`} fill={`url(#stone-${side})`} />;
}

/** Light from the upper left, in flat colours that the themes share. */
export const SHADES = (
  <defs>
    <radialGradient id="stone-black" cx=".35" cy=".3" r=".75"><stop offset="0" stop-color="#5a5b60" /><stop offset=".55" stop-color="#232326" /><stop offset="1" stop-color="#0c0c0e" /></radialGradient>
    <radialGradient id="stone-white" cx=".35" cy=".3" r=".8"><stop offset="0" stop-color="#ffffff" /><stop offset=".6" stop-color="#efece4" /><stop offset="1" stop-color="#c9c4b7" /></radialGradient>
  </defs>
);

export function promotionLook(board: BoardReport, route: Route, turn: Side): Look {
  const piece = board.pieces.find((piece) => route.from && same(piece.at, route.from));
  return piece ?? { side: turn };
}

const PROMOTED: Record<string, string> = { 飛: "龍", 角: "馬", 銀: "全", 桂: "圭", 香: "杏", 歩: "と" };

/** The choice at the square: promote first. */
export function Promotion(props: { at: [number, number]; w: number; h: number; limit: [number, number]; moves: Route[]; look: Look; up: boolean; onChoose(move: string): void }) {
  const { at, w, h, limit, moves, look, up, onChoose } = props;
  const y = Math.min(Math.max(at[1] - h / 2, 2), limit[1] - 2 * h - 2);
  return (
    <g class="promotion">
      <rect x={at[0] - w / 2 - 2} y={y - 2} width={w + 4} height={2 * h + 4} rx="5" class="promotion-box" />
      {moves.slice(0, 2).map((route, i) => {
        const face = route.promotes ? (PROMOTED[look.face ?? ""] ?? look.face) : look.face;
        return (
          <g data-promote={route.promotes ? "yes" : "no"} class="choice" onPointerDown={(e) => e.stopPropagation()} onPointerUp={(e) => { e.stopPropagation(); onChoose(route.move); }}>
            <rect x={at[0] - w / 2} y={y + i * h} width={w} height={h} rx="4" />
            <g transform={`translate(${at[0]} ${y + (i + 0.5) * h})scale(${Math.min(w, h) / 100})`}>
              <Tablet look={{ ...look, face, promoted: route.promotes }} up={up} />
            </g>
          </g>
        );
      })}
    </g>
  );
}

/** A number on a plate; it grows with the cells of the board. */
export function Plate({ x, y, text, size }: { x: number; y: number; text: string; size: number }) {
  const letter = Math.max(9, size * 0.22);
  const [width, height] = [text.length * letter * 0.6 + letter * 0.7, letter * 1.42];
  return (
    <g class="plate">
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={height / 2} />
      <text x={x} y={y + letter * 0.36} style={{ fontSize: `${letter}px` }}>{text}</text>
    </g>
  );
}

export function arrow(from: [number, number], to: [number, number], width: number): string {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.max(1, Math.hypot(dx, dy));
  const [ux, uy] = [dx / length, dy / length];
  const point = (along: number, across: number) => `${(from[0] + ux * along - uy * across).toFixed(1)} ${(from[1] + uy * along + ux * across).toFixed(1)}`;
  const half = width / 2;
  const head = Math.min(width * 1.5 + 5, length * 0.6);
  const wing = half + width * 0.6 + 2;
  return `M${point(Math.min(8, length * 0.15), half)}L${point(length - head, half)}L${point(length - head, wing)}L${point(length, 0)}L${point(length - head, -wing)}L${point(length - head, -half)}L${point(Math.min(8, length * 0.15), -half)}Z`;
}

export function TrayView(props: { items: Item[]; side: Side; up: boolean; title: string; active: boolean; selected(item: Item, index: number): boolean; onPick(item: Item, index: number, event: PointerEvent): void }) {
  const { items, side, up, title, active, selected, onPick } = props;
  const tiles = items.some((item) => item.cells.length > 0);
  return (
    <div class={`tray ${side} ${tiles ? "tiles" : "hand"} ${active ? "active" : ""}`} data-tray={side} aria-label={title}>
      {items.map((item, index) => (
        <button
          type="button" key={index} class={`item ${selected(item, index) ? "selected" : ""}`} disabled={item.count === 0}
          data-item={tiles ? item.tile : (item.letter ?? String(index))} aria-label={`${item.tile ?? item.letter} × ${item.count}`}
          onPointerDown={(event) => onPick(item, index, event)}
        >
          {tiles ? <TileIcon cells={item.cells} side={side} /> : (
            <svg viewBox="-50 -50 100 100" class="hand-piece"><Tablet look={item} up={up} /></svg>
          )}
          {!tiles && item.count > 1 && <span class="count">{item.count}</span>}
        </button>
      ))}
    </div>
  );
}

function TileIcon({ cells, side }: { cells: At[]; side: Side }) {
  const [columns, rows] = [Math.max(...cells.map((c) => c[0])) + 1, Math.max(...cells.map((c) => c[1])) + 1];
  return (
    <svg viewBox={`0 0 ${columns * 10} ${rows * 10}`} class="tile-icon" style={{ width: `${columns * 9}px`, height: `${rows * 9}px` }}>
      {cells.map(([x, y]) => <rect x={x * 10 + 0.4} y={y * 10 + 0.4} width="9.2" height="9.2" rx="1.5" class={`tile ${side}`} />)}
    </svg>
  );
}
