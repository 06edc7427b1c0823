// Cells of boards and tiles.

import type { At, BoardReport } from "./types";

export const same = (a: At, b: At) => a[0] === b[0] && a[1] === b[1];
export const key = (cells: At[]) => cells.map((c) => `${c[0]},${c[1]}`).sort().join(" ");

/** The name of a cell as it stands in moves. */
export function cellName(board: BoardReport, [column, row]: At): string {
  const [c, r] = [board.labels.columns[column]?.[1] ?? "", board.labels.rows[row]?.[1] ?? ""];
  return board.labels.row_first ? r + c : c + r;
}

export const turnCells = (cells: At[]): At[] => normal(cells.map(([x, y]) => [-y, x]));
export const mirrorCells = (cells: At[]): At[] => normal(cells.map(([x, y]) => [-x, y]));
export function normal(cells: At[]): At[] {
  const [x, y] = [Math.min(...cells.map((c) => c[0])), Math.min(...cells.map((c) => c[1]))];
  return cells.map(([a, b]): At => [a - x, b - y]).sort((a, b) => a[1] - b[1] || a[0] - b[0]);
}
/** Every way to lay a tile, each once, in the order in which Space goes through them. */
export function orientations(cells: At[]): At[][] {
  const found: At[][] = [];
  let now = normal(cells);
  for (let i = 0; i < 8; i++) {
    if (!found.some((other) => key(other) === key(now))) found.push(now);
    now = i === 3 ? mirrorCells(now) : turnCells(now);
  }
  return found;
}
