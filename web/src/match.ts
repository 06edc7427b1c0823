// A game under way: who sits where, whose turn it is, the engine's moves, clocks, undo, hints.

import { computed, effect, signal } from "@preact/signals";
import { ask, backend, connection, type Search } from "./backend";
import { reason } from "./reasons";
import { catalog, firstVisit, flipped, game, match, newGame, notice, path, place, playMove, shown, tab, truncate, type Seat } from "./state";
import type { Analysis, Shown, Side } from "./types";

export interface Setup {
  game: string;
  level: number;
  player: string;
  budget: string;
  color: "black" | "white" | "random" | "both" | "watch";
  minutes: number;
  byoyomi: number;
  clock: boolean;
}
const DEFAULTS: Setup = { game: "minishogi", level: 3, player: "", budget: "time=1", color: "black", minutes: 5, byoyomi: 10, clock: false };
export const setup = signal<Setup>({ ...DEFAULTS, ...(JSON.parse(localStorage.getItem("yomi.setup") ?? "{}") as Partial<Setup>) });
effect(() => localStorage.setItem("yomi.setup", JSON.stringify(setup.value)));

// The form begins where the board is: a link or a record may have brought another game.
const onBoard = computed(() => game.value.game);
effect(() => {
  const name = onBoard.value;
  if (setup.peek().game !== name) setup.value = { ...setup.peek(), game: name };
});

export const thinking = signal<Side | null>(null);
let search: Search | null = null;

/** Whose turn a person may take now. */
export const movable = computed<Side | "both" | null>(() => {
  const playing = match.value;
  const now = shown.value?.position;
  if (!now || now.outcome || game.value.ending) return null;
  if (!playing || playing.over) return "both";
  const { black, white } = playing.seats;
  if (black === "human" && white === "human") return "both";
  return black === "human" ? "black" : white === "human" ? "white" : null;
});

/** The player in the seat, with a budget: what says nothing itself gets the usual one. */
function engineSeat(): string {
  const { level, player, budget } = setup.value;
  const own = player.trim();
  if (own) return /\b(sims|evals|nodes|depth|time)=/.test(own) ? own : `${own} ${budget}`;
  return level >= 9 ? `level(9) ${budget}` : `level(${level})`;
}

export function begin() {
  const { game: name, color, clock, minutes, byoyomi } = setup.value;
  const engine = engineSeat();
  const mine: Side = color === "random" ? (Math.random() < 0.5 ? "black" : "white") : color === "white" ? "white" : "black";
  const seat = (side: Side): Seat => (color === "both" ? "human" : color === "watch" ? engine : side === mine ? "human" : engine);
  halt();
  const seats = { black: seat("black"), white: seat("white") };
  const names: [string, string] = [seats.black, seats.white].map((s) => (s === "human" ? "human" : s)) as [string, string];
  game.value = { ...newGame(name), names };
  match.value = { seats, clock: clock ? { left: { black: minutes * 60, white: minutes * 60 }, byoyomi } : null, over: false };
  flipped.value = color !== "both" && color !== "watch" && mine === "white";
  notice.value = "";
}

function halt() {
  search?.stop();
  search = null;
  thinking.value = null;
}

/** The same again with colours changed. */
export function rematch() {
  const { color } = setup.value;
  const mine: Side | null = match.value ? (match.value.seats.black === "human" ? "black" : match.value.seats.white === "human" ? "white" : null) : null;
  const other = mine === "black" ? "white" : "black";
  setup.value = { ...setup.value, game: game.value.game, color: mine && (color === "black" || color === "white") ? other : color };
  begin();
}

export function end(how: string) {
  halt();
  game.value = { ...game.value, ending: how };
  if (match.value) match.value = { ...match.value, over: true };
}

// The engine moves whenever it is its turn at the end of the game: also after a reload.
let asked = "";
effect(() => {
  const playing = match.value;
  const now = shown.value;
  const { moves, game: name, position } = place.value;
  if (!playing || playing.over || !now || connection.value !== "open" || tab.value !== "play") return;
  if (now.moves.join(" ") !== moves || game.value.nodes[game.value.at].children.length > 0) return;
  if (now.position.outcome) {
    if (!playing.over) queueMicrotask(() => (match.value = { ...match.value!, over: true }));
    return;
  }
  const seat = playing.seats[now.position.turn];
  const wanted = seat === "human" ? "" : `${name} ${position} ${moves} ${seat}`;
  if (wanted === asked) return;
  halt();
  asked = wanted;
  if (!wanted) return;
  const turn = now.position.turn;
  thinking.value = turn;
  const clock = playing.clock ? { left: playing.clock.left[turn], byoyomi: playing.clock.byoyomi } : undefined;
  void backend.then((engine) => {
    if (asked !== wanted) return;
    search = engine.search({ game: name, position, moves, player: seat, rows: 1, live: false, seed: seed(), ...(clock ? { clock } : {}) }, (message) => {
      if (asked !== wanted) return;
      if (message.type === "error") {
        notice.value = message.message ?? "";
        thinking.value = null;
        return;
      }
      const analysis = message as unknown as Analysis;
      if (message.type !== "analysis" || !analysis.final) return;
      thinking.value = null;
      search = null;
      asked = "";
      if (analysis.best) playMove(analysis.best);
    });
  });
});
const seed = () => Math.floor(Math.random() * 2 ** 31);

// Clocks: the side to move loses its time, then its byoyomi.
export const spent = signal(0);
let turnKey = "";
setInterval(() => {
  const playing = match.value;
  const now = shown.value;
  if (!playing?.clock || playing.over || !now || now.position.outcome || game.value.ending) return;
  const turn = now.position.turn;
  const key = `${place.value.moves}`;
  if (key !== turnKey) {
    turnKey = key;
    spent.value = 0;
  }
  spent.value += 0.25;
  const left = playing.clock.left[turn];
  if (left > 0) match.value = { ...playing, clock: { ...playing.clock, left: { ...playing.clock.left, [turn]: Math.max(0, left - 0.25) } } };
  else if (spent.value > playing.clock.byoyomi + 0.25) end("time");
}, 250);

export function undo() {
  const playing = match.value;
  halt();
  asked = "";
  const state = game.value;
  const length = path(state).length;
  if (length === 0) return;
  // Back to the person's own turn: past the engine's answer.
  const turn = shown.value?.position.turn;
  const engineAnswered = playing && turn && playing.seats[turn] === "human" && playing.seats[turn === "black" ? "white" : "black"] !== "human" && !playing.over;
  let at = state.at;
  for (let i = 0; i < (engineAnswered && length > 1 ? 2 : 1); i++) at = state.nodes[at].parent;
  truncate(at);
  if (playing) match.value = { ...playing, over: false };
}

export function pass() {
  const route = shown.value?.board.moves.find((m) => m.to.length === 0);
  if (route && movable.value) playMove(route.move);
}

/** A move as it is typed; the rules say why it cannot be played. */
export async function typed(text: string): Promise<boolean> {
  try {
    const answer = await ask<Shown>({ do: "play", ...place.value, move: text.trim() });
    if (answer.played) playMove(answer.played);
    return true;
  } catch (error) {
    notice.value = reason((error as Error).message);
    return false;
  }
}

/** What the usual player of the game would do here, for a moment of its time. */
export const hint = signal<{ at: string; move: string; chance: number | null } | null>(null);
export async function askHint() {
  const { game: name, position, moves } = place.value;
  const player = catalog.value?.games.find((entry) => entry.name === name.split("(")[0])?.player;
  if (!player || !movable.value) return;
  const engine = await backend;
  engine.search({ game: name, position, moves, player: `${player} time=1`, rows: 1, live: false, seed: seed() }, (message) => {
    if (message.type === "error") notice.value = message.message ?? "";
    const analysis = message as unknown as Analysis;
    if (message.type === "analysis" && analysis.final && analysis.best && place.value.moves === moves) hint.value = { at: moves, move: analysis.best, chance: analysis.chance };
  });
}

export async function record() {
  const state = game.value;
  return ask<{ files: { ending: string; text: string }[] }>({ do: "write", ...place.value, names: state.names, ending: state.ending });
}


// Who comes for the first time has an opponent already; a link takes the board from it.
if (firstVisit) begin();
