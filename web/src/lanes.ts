// Methods that look at the position, side by side: each has a search of its own.

import { effect, signal } from "@preact/signals";
import { backend, type Answer, type Search } from "./backend";
import { playersWithFiles } from "./newgame";
import { annotate, catalog, game, place, shown } from "./state";
import type { Analysis, TreeReport } from "./types";

/** A method that looks at the position: analysing and showing are two switches. */
export interface Lane {
  id: number;
  player: string;
  running: boolean;
  analysis: Analysis | null;
  tree: TreeReport | null;
  error: string;
  /** The moves that were analysed. */
  at: string;
}
interface Settings {
  players: string[];
  lines: number;
  show: "nothing" | "visits" | "value" | "prior" | "selection";
  budget: string;
}
export const settings = signal<Settings>({ players: [], lines: 5, show: "visits", budget: "time=0.3", ...(JSON.parse(localStorage.getItem("yomi.analyse") ?? "{}") as Partial<Settings>) });
effect(() => localStorage.setItem("yomi.analyse", JSON.stringify(settings.value)));

let next = 1;
export const lane = (player: string): Lane => ({ id: next++, player, running: false, analysis: null, tree: null, error: "", at: "" });
export const lanes = signal<Lane[]>([]);
export const searches = new Map<number, Search>();
export const focus = signal<number>(0);
/** Frames that arrived in the last second, for the figure at the foot of the page. */
const frames: number[] = [];
export const frameRate = signal(0);

export function usualPlayer(of = game.value.game): string {
  const name = of.split("(")[0];
  return catalog.value?.games.find((entry) => entry.name === name)?.player ?? "uct";
}
/** A player that was not chosen: it stands there because it is the usual one of its game. */
const isUsual = (player: string) => catalog.value?.games.some((entry) => entry.player === player) ?? false;
export function suggestions(): string[] {
  const shogi = game.value.game.includes("shogi");
  const tree = shogi ? ["mcss(t=80)", "mcss(t=20)", "alpha-beta", "uct", "ments"] : ["prior-rave", "uct", "rave", "mcss", "puct"];
  return [usualPlayer(), ...playersWithFiles(game.value.game), ...tree];
}
effect(() => {
  if (catalog.value && lanes.value.length === 0) {
    const kept = settings.peek().players;
    lanes.value = (kept.length > 1 || (kept.length === 1 && !isUsual(kept[0])) ? kept : [usualPlayer()]).map(lane);
  }
});
effect(() => {
  const players = lanes.value.map((lane) => lane.player);
  if (players.length && players.join("\n") !== settings.peek().players.join("\n")) settings.value = { ...settings.peek(), players };
});

export function update(id: number, part: Partial<Lane>) {
  lanes.value = lanes.value.map((lane) => (lane.id === id ? { ...lane, ...part } : lane));
}

/** Alpha-beta has as many lines as it was built for; other methods have all of them. */
const bySearch = (player: string) => /^\s*alpha-beta\b(?!.*\bmultipv=)/.test(player);
function withLines(player: string): string {
  const lines = Math.min(settings.value.lines, 20);
  if (!bySearch(player) || lines < 2) return player;
  return player.replace(/alpha-beta(\()?/, (_, open) => `alpha-beta(multipv=${lines}${open ? "," : ")"}`);
}
/** How many lines are shown, while it runs. */
export function setLines(lines: number) {
  settings.value = { ...settings.value, lines };
  for (const entry of lanes.value) if (entry.running && bySearch(entry.player)) start(entry.id);
}

export function start(id: number) {
  const wanted = lanes.value.find((lane) => lane.id === id);
  if (!wanted) return;
  searches.get(id)?.stop();
  const { game: name, position, moves } = place.value;
  update(id, { running: true, error: "", at: moves, ...(wanted.at === moves ? {} : { analysis: null, tree: null }) });
  void backend.then((engine) => {
    const search = engine.search(
      { game: name, position, moves, player: withLines(wanted.player), rows: Math.max(settings.value.lines, 60), live: true, tree: { path: "", top: 6, depth: 4 } },
      (message: Answer) => {
        if (searches.get(id) !== search) return;
        if (message.type === "tree") update(id, { tree: message as unknown as TreeReport });
        else if (message.type === "error") update(id, { error: message.message ?? "", running: false });
        else if (message.type === "analysis") {
          const analysis = message as unknown as Analysis;
          const now = performance.now();
          frames.push(now);
          while (frames[0] < now - 1000) frames.shift();
          frameRate.value = frames.length;
          update(id, { analysis, running: !analysis.final });
          if (analysis.final) remember(analysis, moves);
        }
      },
    );
    searches.set(id, search);
  });
}
export function stop(id: number) {
  searches.get(id)?.stop();
  update(id, { running: false });
}

/** The result of a search stays with its position. */
function remember(analysis: Analysis, moves: string) {
  if (place.value.moves !== moves || analysis.chance === null) return;
  const white = shown.value?.position.turn === "white";
  annotate(game.value.at, { chance: white ? 1 - analysis.chance : analysis.chance, best: analysis.best ?? undefined, pv: analysis.pv });
}

// What analyses goes on with the position shown.
let followed = place.value;
effect(() => {
  const now = place.value;
  const changed = now.moves !== followed.moves || now.game !== followed.game || now.position !== followed.position;
  const other = now.game !== followed.game || now.position !== followed.position;
  const before = followed;
  followed = now;
  if (!changed) return;
  queueMicrotask(() => {
    if (now.game !== before.game && lanes.value.length === 1 && lanes.value[0].player === usualPlayer(before.game)) update(lanes.value[0].id, { player: usualPlayer() });
    for (const entry of lanes.value) {
      if (entry.running) start(entry.id);
      else if (other) update(entry.id, { analysis: null, tree: null, error: "" });
    }
  });
});
