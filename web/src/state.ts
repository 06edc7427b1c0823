// The game on the board: a tree of moves. Everything is kept in the browser, so that a reload loses nothing.

import { computed, effect, signal } from "@preact/signals";
import { ask } from "./backend";
import { speak } from "./names";
import type { Catalog, Place, Shown, Side } from "./types";

export type Tab = "play" | "analyse" | "experiment" | "learn" | "league";
export const TABS: Tab[] = ["play", "analyse", "experiment", "learn", "league"];

export interface Node {
  move: string;
  parent: number;
  children: number[];
  /** Black's chance of winning here, as a search saw it. */
  chance?: number;
  /** What that search would have played, and its line. */
  best?: string;
  pv?: string;
  /** The move in all the forms a person may know. */
  spoken?: string;
}
export interface Game {
  game: string;
  position: string | null;
  nodes: Node[];
  at: number;
  /** Ended by a player: `resign` or `time` of the side to move. */
  ending: string | null;
  names: [string, string];
}
/** Who plays a side: a person, or a player as it is typed. */
export type Seat = "human" | string;
export interface Match {
  seats: Record<Side, Seat>;
  clock: { left: Record<Side, number>; byoyomi: number } | null;
  over: boolean;
}

function restored<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(key);
    return text ? (JSON.parse(text) as T) : otherwise;
  } catch {
    return otherwise;
  }
}
export function kept<T>(key: string, otherwise: T) {
  const value = signal<T>(restored(key, otherwise));
  effect(() => localStorage.setItem(key, JSON.stringify(value.value)));
  return value;
}

export function newGame(game: string, position: string | null = null, moves: string[] = []): Game {
  const nodes: Node[] = [{ move: "", parent: -1, children: [] }];
  moves.forEach((move, i) => {
    nodes.push({ move, parent: i, children: [] });
    nodes[i].children.push(i + 1);
  });
  return { game, position, nodes, at: nodes.length - 1, ending: null, names: ["", ""] };
}

/** Nothing is kept of a visit before. */
export const firstVisit = localStorage.getItem("yomi.game") === null;
export const tab = signal<Tab>("play");
export const game = kept<Game>("yomi.game", newGame("minishogi"));
export const match = kept<Match | null>("yomi.match", null);
export const flipped = kept<boolean>("yomi.flipped", false);
export const theme = kept<"auto" | "light" | "dark">("yomi.theme", "auto");
export const catalog = signal<Catalog | null>(null);
export const shown = signal<Shown | null>(null);
/** A line for the person: why a move is illegal, what went wrong. */
export const notice = signal<string>("");
/** A line of moves shown on the board in place of the position, and how much of it. */
export const preview = signal<string[] | null>(null);

export function path(state: Game, at = state.at): string[] {
  const moves: string[] = [];
  for (let node = at; node > 0; node = state.nodes[node].parent) moves.unshift(state.nodes[node].move);
  return moves;
}

/** The nodes of the main line through the node shown: down to it, then along first children. */
export const mainLine = computed<number[]>(() => {
  const state = game.value;
  const line: number[] = [];
  for (let node = state.at; node > 0; node = state.nodes[node].parent) line.unshift(node);
  line.unshift(0);
  for (let node = state.nodes[state.at].children[0]; node !== undefined; node = state.nodes[node].children[0]) line.push(node);
  return line;
});

let placed: Place | null = null;
export const place = computed<Place>(() => {
  const now = { game: game.value.game, position: game.value.position, moves: path(game.value).join(" ") };
  // A game that only got its notes has not moved.
  if (placed && placed.game === now.game && placed.position === now.position && placed.moves === now.moves) return placed;
  return (placed = now);
});

let asked = 0;
effect(() => {
  const { game: name, position, moves } = place.value;
  const more = preview.value;
  const number = ++asked;
  const all = more ? `${moves} ${more.join(" ")}` : moves;
  ask<Shown>({ do: "show", game: name, position, moves: all }).then(
    (answer) => {
      if (number === asked) shown.value = answer;
    },
    (error: Error) => {
      if (number === asked) notice.value = error.message;
    },
  );
});

// Moves get their names once, a whole line at a time.
let naming = false;
effect(() => {
  const state = game.value;
  const line = mainLine.value.slice(1);
  if (naming || !line.some((node) => state.nodes[node].spoken === undefined)) return;
  naming = true;
  speak({ game: state.game, position: state.position, moves: "" }, [line.map((node) => state.nodes[node].move).join(" ")]).then(
    ([words]) => {
      naming = false;
      const now = game.value;
      if (now.game !== state.game || now.position !== state.position) return void (game.value = { ...now });
      const nodes = now.nodes.slice();
      line.forEach((node, i) => {
        if (nodes[node]?.move === state.nodes[node].move) nodes[node] = { ...nodes[node], spoken: words[i] ?? "" };
      });
      game.value = { ...now, nodes };
    },
    // Without names the moves stand as they are.
    () => {},
  );
});

/** Plays a move from the node shown; a move that was played there before is followed. */
export function playMove(move: string) {
  const state = game.value;
  preview.value = null;
  notice.value = "";
  const known = state.nodes[state.at].children.find((child) => state.nodes[child].move === move);
  if (known !== undefined) {
    game.value = { ...state, at: known };
    return;
  }
  const nodes = state.nodes.slice();
  nodes.push({ move, parent: state.at, children: [] });
  nodes[state.at] = { ...nodes[state.at], children: [...nodes[state.at].children, nodes.length - 1] };
  game.value = { ...state, nodes, at: nodes.length - 1, ending: null };
}

export function goTo(at: number) {
  preview.value = null;
  notice.value = "";
  if (at >= 0 && at < game.value.nodes.length && at !== game.value.at) game.value = { ...game.value, at };
}
export function step(by: number) {
  const line = mainLine.value;
  const place = line.indexOf(game.value.at);
  goTo(line[Math.max(0, Math.min(line.length - 1, place + by))]);
}
export function variation(by: number) {
  const { nodes, at } = game.value;
  const siblings = nodes[nodes[at].parent]?.children ?? [];
  goTo(siblings[(siblings.indexOf(at) + by + siblings.length) % siblings.length] ?? at);
}
export function annotate(at: number, found: Pick<Node, "chance" | "best" | "pv">) {
  const nodes = game.value.nodes.slice();
  if (!nodes[at]) return;
  nodes[at] = { ...nodes[at], ...found };
  game.value = { ...game.value, nodes };
}
/** Cuts off everything after the node shown. */
export function truncate(at: number) {
  const moves = path(game.value, at);
  const { game: name, position, names } = game.value;
  game.value = { ...newGame(name, position, moves), names };
}
/** Takes a move away, with everything after it; the position before it is shown. */
export function removeMove(at: number) {
  const { nodes } = game.value;
  if (at <= 0 || !nodes[at]) return;
  const parent = nodes[at].parent;
  const left = nodes.slice();
  left[parent] = { ...left[parent], children: left[parent].children.filter((child) => child !== at) };
  game.value = { ...game.value, nodes: left, at: parent, ending: null };
}
/** Makes the line through a move the main one: first child of all before it. */
export function promote(at: number) {
  const nodes = game.value.nodes.slice();
  for (let node = at; node > 0; node = nodes[node].parent) {
    const parent = nodes[node].parent;
    nodes[parent] = { ...nodes[parent], children: [node, ...nodes[parent].children.filter((child) => child !== node)] };
  }
  game.value = { ...game.value, nodes };
}

/** `#analyse?game=go9&moves=E5`: a position as a link. */
export function readFragment() {
  const [word, query] = location.hash.slice(1).split("?");
  if (TABS.includes(word as Tab)) tab.value = word as Tab;
  const wanted = new URLSearchParams(query ?? "");
  const name = wanted.get("game");
  if (name) {
    game.value = newGame(name, wanted.get("position"), (wanted.get("moves") ?? "").split(" ").filter(Boolean));
    match.value = null;
    history.replaceState(null, "", `#${tab.value}`);
  }
}
export function link(): string {
  const { game: name, position, moves } = place.value;
  const query = new URLSearchParams({ game: name, ...(position ? { position } : {}), ...(moves ? { moves } : {}) });
  return `${location.origin}${location.pathname}#analyse?${query}`;
}

export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    notice.value = `✓ ${text.split("\n")[0].slice(0, 60)}${text.length > 60 ? "…" : ""}`;
  } catch {
    notice.value = text;
  }
}
export function download(name: string, text: string, kind = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type: kind }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
