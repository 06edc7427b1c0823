// What the program answers: docs/json.md and docs/studio.md.

export type At = [number, number];
export type Side = "black" | "white";

export interface Look {
  side: Side;
  face?: string;
  letter?: string;
  promoted?: boolean;
  size?: number;
  tile?: string;
}
export interface Piece extends Look {
  at: At;
}
export interface Item extends Look {
  cells: At[];
  count: number;
}
export interface Tray {
  side: Side;
  title: string;
  items: Item[];
}
export interface Route {
  move: string;
  from?: At;
  item?: number;
  promotes?: boolean;
  to: At[];
}
export interface BoardReport {
  title: string;
  caption: string;
  style: "squares" | "points" | "hollows";
  columns: number;
  rows: number;
  cell: [number, number];
  stars: At[];
  labels: { columns: [string, string][]; rows: [string, string][]; row_first: boolean };
  pieces: Piece[];
  trays: Tray[];
  last: At[];
  danger: At[];
  ko: At[];
  territory: [At, Side][];
  anchors: At[];
  moves: Route[];
}
export interface PositionReport {
  game: string;
  position: string;
  turn: Side;
  key: string;
  outcome: string | null;
  score: string | null;
  moves: string[];
}
export interface Shown {
  position: PositionReport;
  board: BoardReport;
  moves: string[];
  last: string | null;
  played: string | null;
  note: string | null;
  declared: boolean;
  examples: string;
}
export interface MoveAnalysis {
  move: string;
  visits: number;
  value: number | null;
  chance: number | null;
  prior: number | null;
  selection: number | null;
  backup: number | null;
  depth: number | null;
  lead: number | null;
  proof: string | null;
  pv: string;
}
export interface Analysis {
  type: "analysis";
  final: boolean;
  position: string;
  best: string | null;
  value: number | null;
  chance: number | null;
  win: number;
  lead: number | null;
  proof: string | null;
  pv: string;
  moves: MoveAnalysis[];
  simulations: number;
  evaluations: number;
  nodes: number;
  depth: number;
  nodes_per_depth: number[];
  effective_depth: number | null;
  entropy: number | null;
  memory: number;
  seconds: number;
  nodes_per_second: number;
  simulations_per_second: number;
  ended: string | null;
  player?: string;
}
export interface TreeRow {
  move: string;
  visits: number;
  value: number | null;
  prior: number;
  proof: string | null;
  children: number;
  below: TreeRow[];
}
export interface TreeReport {
  type: "tree";
  moves: string;
  nodes: number;
  visits: number;
  children: number;
  below: TreeRow[];
}
export interface LevelEntry {
  level: number;
  player: string | null;
  elo: number | null;
}
export interface GameEntry {
  name: string;
  family: string;
  summary: string;
  rules: { key: string; values: string; default: string; meaning: string }[];
  levels: LevelEntry[];
  player: string | null;
}
export interface MethodEntry {
  name: string;
  about: string;
  paper: string;
  tree: boolean;
}
export interface Catalog {
  games: GameEntry[];
  methods: MethodEntry[];
  /** Networks and weights that players may use, by name; none on an exported site. */
  files?: { name: string; game: string | null; player: string }[];
  limits: { simulations: number; seconds: number; threads: number; hash: number; searches: number };
}
export interface Place {
  game: string;
  position: string | null;
  moves: string;
}
export interface Budget {
  sims?: number;
  evals?: number;
  nodes?: number;
  depth?: number;
  time?: number;
}
