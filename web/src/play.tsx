// Playing: against a level, against any player that can be typed, against each other, or watching.

import { computed, effect, signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { ask, backend, connection, type Search } from "./backend";
import { BoardView } from "./boardview";
import { gameName, sideName, t } from "./i18n";
import { MoveList } from "./moves";
import { catalog, copy, download, flipped, game, link, match, newGame, notice, path, place, playMove, shown, tab, truncate, type Seat } from "./state";
import type { Analysis, Side } from "./types";

const MAIN = ["shogi", "minishogi", "go9", "go13", "go19", "blokus-duo", "othello"];

interface Setup {
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

const thinking = signal<Side | null>(null);
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

function end(how: string) {
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
  if (!playing || playing.over || !now || connection.value !== "open") return;
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
let spent = 0;
let turnKey = "";
setInterval(() => {
  const playing = match.value;
  const now = shown.value;
  if (!playing?.clock || playing.over || !now || now.position.outcome || game.value.ending) return;
  const turn = now.position.turn;
  const key = `${place.value.moves}`;
  if (key !== turnKey) {
    turnKey = key;
    spent = 0;
  }
  spent += 0.25;
  const left = playing.clock.left[turn];
  if (left > 0) match.value = { ...playing, clock: { ...playing.clock, left: { ...playing.clock.left, [turn]: Math.max(0, left - 0.25) } } };
  else if (spent > playing.clock.byoyomi + 0.25) end("time");
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

export async function record() {
  const state = game.value;
  return ask<{ files: { ending: string; text: string }[] }>({ do: "write", ...place.value, names: state.names, ending: state.ending });
}

function time(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

function SeatView({ side }: { side: Side }) {
  const playing = match.value;
  const turn = shown.value?.position.turn === side && !shown.value.position.outcome && !game.value.ending;
  const seat = playing?.seats[side] ?? "human";
  return (
    <div class={`seat ${turn ? "turn" : ""}`}>
      <span class={`chip ${side} ${game.value.game.split("-")[0].replace(/\d.*/, "")}`} />
      <span class="seat-name" title={seat}>{sideName(side)} · {seat === "human" ? "human" : seat}</span>
      {thinking.value === side && <span class="spinner" aria-label={t("thinking…")} />}
      {playing?.clock && <span class="clock">{playing.clock.left[side] > 0 ? time(playing.clock.left[side]) : turn ? `${Math.max(0, playing.clock.byoyomi - Math.floor(spent))} s` : `${playing.clock.byoyomi} s`}</span>}
    </div>
  );
}

export function Result() {
  const now = shown.value;
  if (!now) return null;
  const { ending } = game.value;
  const loser = now.position.turn;
  const winner = loser === "black" ? "white wins" : "black wins";
  const text = now.position.outcome
    ? `${t(now.position.outcome)}${now.position.score ? ` (${now.position.score})` : ""}`
    : ending === "resign" ? `${sideName(loser)} ${t("resigned")}: ${t(winner)}`
    : ending === "time" ? `${sideName(loser)} ${t("out of time")}: ${t(winner)}` : "";
  return text ? <p class="result" data-testid="result">{text}</p> : null;
}

export function GamePicker({ value, onPick }: { value: string; onPick(game: string): void }) {
  const names = catalog.value?.games.map((entry) => entry.name) ?? MAIN;
  const rest = names.filter((name) => !MAIN.includes(name));
  const bare = value.split("(")[0];
  return (
    <div class="games" role="group" aria-label={t("Game")}>
      {MAIN.map((name) => <button type="button" key={name} aria-pressed={bare === name} data-game={name} onClick={() => onPick(name)}>{gameName(name)}</button>)}
      <select aria-label="more" value={rest.includes(bare) ? bare : ""} onChange={(e) => e.currentTarget.value && onPick(e.currentTarget.value)}>
        <option value="">…</option>
        {rest.map((name) => <option value={name}>{gameName(name)}</option>)}
      </select>
    </div>
  );
}

export function Play() {
  const [showTerritory, setTerritory] = useState(false);
  const s = setup.value;
  const change = (part: Partial<Setup>) => (setup.value = { ...setup.value, ...part });
  const entry = catalog.value?.games.find((entry) => entry.name === s.game.split("(")[0]);
  const level = entry?.levels.find((entry) => entry.level === s.level);
  const now = shown.value;
  const playing = match.value && !match.value.over && !now?.position.outcome && !game.value.ending;
  const hasPass = now?.board.moves.some((m) => m.to.length === 0 && m.from === undefined) ?? false;
  const counted = (now?.board.territory.length ?? 0) > 0;
  return (
    <div class="page two">
      <section class="stage">
        <SeatView side={flipped.value ? "black" : "white"} />
        <BoardView movable={movable.value} territory={showTerritory || (!!now?.position.outcome && counted)} />
        <SeatView side={flipped.value ? "white" : "black"} />
        <p class="caption">{now?.board.caption}{now?.last ? ` · ${now.last}` : ""}</p>
        <Result />
        <div class="bar">
          <button type="button" onClick={undo} data-testid="undo">{t("Undo")}</button>
          {hasPass && <button type="button" onClick={pass} disabled={!movable.value} data-testid="pass">{t("Pass")}</button>}
          <button type="button" onClick={() => end("resign")} disabled={!playing} data-testid="resign">{t("Resign")}</button>
          <button type="button" onClick={() => (flipped.value = !flipped.value)}>{t("Flip board")}</button>
          {counted && <button type="button" aria-pressed={showTerritory} onClick={() => setTerritory(!showTerritory)}>{t("Territory")}</button>}
          <button type="button" onClick={() => (tab.value = "analyse")}>{t("Analyse this game")}</button>
        </div>
      </section>
      <aside class="panel">
        <h2>{t("New game")}</h2>
        <GamePicker value={s.game} onPick={(name) => change({ game: name })} />
        {(entry?.rules.length ?? 0) > 0 && (
          <details>
            <summary>{t("Rules")}</summary>
            <input type="text" value={s.game} aria-label={t("Rules")} onChange={(e) => change({ game: e.currentTarget.value.trim() || "minishogi" })} />
            <ul class="hints">{entry!.rules.map((rule) => <li><code>{rule.key}={rule.default}</code> {rule.meaning} ({rule.values})</li>)}</ul>
          </details>
        )}
        <label class="row"><span>{t("Level")} <b>{s.player.trim() ? "–" : s.level}</b>{level?.elo != null && !s.player.trim() && <small> {level.elo} Elo</small>}</span>
          <input type="range" min="1" max="9" value={s.level} data-testid="level" onInput={(e) => change({ level: Number(e.currentTarget.value), player: "" })} />
        </label>
        <label class="row"><span>{t("Player string")}</span>
          <input type="text" placeholder={level?.player ?? "mcss(t=80) sims=2000"} value={s.player} data-testid="player" onChange={(e) => change({ player: e.currentTarget.value })} list="methods" spellcheck={false} />
        </label>
        <div class="row"><span>{t("You play")}</span>
          <div class="segments">
            {(["black", "white", "random", "both", "watch"] as const).map((c) => (
              <button type="button" aria-pressed={s.color === c} data-color={c} onClick={() => change({ color: c })}>
                {t({ black: "Black", white: "White", random: "Random", both: "Both sides", watch: "Nobody (watch)" }[c])}
              </button>
            ))}
          </div>
        </div>
        <div class="row"><label><input type="checkbox" checked={s.clock} onChange={(e) => change({ clock: e.currentTarget.checked })} /> {t("Clock")}</label>
          {s.clock && <span class="inline">
            <input type="number" min="0" max="180" value={s.minutes} aria-label={t("minutes")} onChange={(e) => change({ minutes: Number(e.currentTarget.value) })} /> {t("minutes")}
            <input type="number" min="0" max="300" value={s.byoyomi} aria-label={t("byoyomi (s)")} onChange={(e) => change({ byoyomi: Number(e.currentTarget.value) })} /> {t("byoyomi (s)")}
          </span>}
        </div>
        <button type="button" class="primary wide" onClick={begin} data-testid="new-game">{t("New game")}</button>
        <h2>{t("Moves")}</h2>
        <MoveList />
        <div class="bar">
          <button type="button" onClick={() => void record().then((r) => copy(r.files[0].text))}>{t("Copy record")}</button>
          <button type="button" onClick={() => copy(link())}>{t("Copy link")}</button>
          <button type="button" onClick={() => void savePicture()}>{t("Save picture")}</button>
        </div>
      </aside>
    </div>
  );
}

export async function savePicture() {
  const night = document.documentElement.dataset.theme === "dark";
  const answer = await ask<{ svg: string }>({ do: "picture", ...place.value, turned: flipped.value, night });
  download(`${game.value.game.split("(")[0]}.svg`, answer.svg, "image/svg+xml");
}
