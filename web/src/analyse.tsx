// Analysing: several methods side by side on one position, live; the whole game; the tree.

import { effect, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask, backend, connection, type Answer, type Search } from "./backend";
import type { Candidate } from "./board";
import { BoardView } from "./boardview";
import { Bars, EvalGraph } from "./charts";
import { t } from "./i18n";
import { actions } from "./keys";
import { blackMoved, loss, mark, MoveList, short } from "./moves";
import { GamePicker, Result, record, savePicture } from "./play";
import { annotate, catalog, copy, download, flipped, game, goTo, link, mainLine, match, newGame, notice, path, place, playMove, preview, shown } from "./state";
import { TreeView } from "./tree";
import type { Analysis, MoveAnalysis, TreeReport } from "./types";

/** A method that looks at the position: analysing and showing are two switches. */
interface Lane {
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
const settings = signal<Settings>({ players: [], lines: 5, show: "visits", budget: "time=0.3", ...(JSON.parse(localStorage.getItem("yomi.analyse") ?? "{}") as Partial<Settings>) });
effect(() => localStorage.setItem("yomi.analyse", JSON.stringify(settings.value)));

let next = 1;
const lane = (player: string): Lane => ({ id: next++, player, running: false, analysis: null, tree: null, error: "", at: "" });
const lanes = signal<Lane[]>([]);
const searches = new Map<number, Search>();
const focus = signal<number>(0);
/** Frames that arrived in the last second, for the figure at the foot of the page. */
const frames: number[] = [];
export const frameRate = signal(0);

function usualPlayer(): string {
  const name = game.value.game.split("(")[0];
  return catalog.value?.games.find((entry) => entry.name === name)?.player ?? "uct";
}
function suggestions(): string[] {
  const shogi = game.value.game.includes("shogi");
  const tree = shogi ? ["mcss(t=80)", "mcss(t=20)", "alpha-beta", "uct", "ments"] : ["prior-rave", "uct", "rave", "mcss", "puct"];
  return [usualPlayer(), ...tree];
}
effect(() => {
  if (catalog.value && lanes.value.length === 0) lanes.value = (settings.value.players.length ? settings.value.players : [usualPlayer()]).map(lane);
});
effect(() => {
  const players = lanes.value.map((lane) => lane.player);
  if (players.length && players.join("\n") !== settings.peek().players.join("\n")) settings.value = { ...settings.peek(), players };
});

function update(id: number, part: Partial<Lane>) {
  lanes.value = lanes.value.map((lane) => (lane.id === id ? { ...lane, ...part } : lane));
}

export function start(id: number) {
  const wanted = lanes.value.find((lane) => lane.id === id);
  if (!wanted) return;
  searches.get(id)?.stop();
  const { game: name, position, moves } = place.value;
  update(id, { running: true, error: "", at: moves, ...(wanted.at === moves ? {} : { analysis: null, tree: null }) });
  void backend.then((engine) => {
    const search = engine.search(
      { game: name, position, moves, player: wanted.player, rows: Math.max(settings.value.lines, 60), live: true, tree: { path: "", top: 6, depth: 4 } },
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
  followed = now;
  if (!changed) return;
  queueMicrotask(() => {
    for (const entry of lanes.value) {
      if (entry.running) start(entry.id);
      else if (other) update(entry.id, { analysis: null, tree: null, error: "" });
    }
  });
});

// The whole game, position by position.
const review = signal<{ done: number; all: number } | null>(null);
let reviewing: { stop(): void } | null = null;

async function analyseGame(player: string) {
  if (reviewing) return reviewing.stop();
  const line = mainLine.value.slice();
  const { game: name, position } = game.value;
  let stopped = false;
  let current: Search | null = null;
  reviewing = {
    stop: () => {
      stopped = true;
      current?.stop();
    },
  };
  const engine = await backend;
  // From the end: trees are not reused, but the graph grows where the game was decided.
  for (let i = line.length - 1, done = 0; i >= 0 && !stopped; i--, done++) {
    review.value = { done, all: line.length };
    const node = line[i];
    const moves = path(game.value, node).join(" ");
    const budget = settings.value.budget.trim();
    const found = await new Promise<Answer>((resolve) => {
      current = engine.search({ game: name, position, moves, player: `${player.replace(/\s+(sims|evals|nodes|depth|time)=\S+/g, "")} ${budget}`, rows: 1, live: false }, (message) => {
        if (message.type === "error" || message.final === true) resolve(message);
      });
    });
    if (found.type === "error") {
      // Positions whose game is over have nothing to search: their outcome is known.
      const over = await ask<{ position: { outcome: string | null } }>({ do: "show", game: name, position, moves }).catch(() => null);
      const outcome = over?.position.outcome;
      if (outcome) annotate(node, { chance: outcome === "draw" ? 0.5 : outcome.startsWith("black") ? 1 : 0 });
      else {
        notice.value = found.message ?? "";
        break;
      }
      continue;
    }
    const analysis = found as unknown as Analysis;
    if (analysis.ended === "gameover" || analysis.chance === null) {
      const over = await ask<{ position: { outcome: string | null } }>({ do: "show", game: name, position, moves });
      const outcome = over.position.outcome;
      if (outcome) annotate(node, { chance: outcome === "draw" ? 0.5 : outcome.startsWith("black") ? 1 : 0 });
      continue;
    }
    const whiteToMove = node === 0 ? (position?.split(" ").includes("w") ?? false) : blackMoved(node);
    annotate(node, { chance: whiteToMove ? 1 - analysis.chance : analysis.chance, best: analysis.best ?? undefined, pv: analysis.pv });
  }
  reviewing = null;
  review.value = null;
}

async function read(text: string) {
  try {
    const answer = await ask<{ game: string; position: string | null; moves: string[]; headers: [string, string][] }>({ do: "read", text, game: game.value.game });
    match.value = null;
    const read = newGame(answer.game, answer.position, answer.moves);
    const header = (...keys: string[]) => answer.headers.find(([key]) => keys.includes(key))?.[1] ?? "";
    game.value = { ...read, names: [header("PB", "先手", "N+"), header("PW", "後手", "N-")] };
    notice.value = "";
  } catch (error) {
    notice.value = (error as Error).message;
  }
}

const number = (n: number | null, digits = 2) => (n === null || Number.isNaN(n) ? "–" : n.toFixed(digits));
export const compact = (n: number) => (n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${(n / 1e3).toFixed(0)}k` : String(n));
const percent = (n: number | null) => (n === null ? "–" : `${(100 * n).toFixed(1)}`);

function candidates(analysis: Analysis | null, at: string): Candidate[] {
  const show = settings.value.show;
  if (!analysis || show === "nothing" || at !== place.value.moves || preview.value) return [];
  const measure = (m: MoveAnalysis): number => (show === "visits" ? m.visits : show === "value" ? (m.chance ?? 0) : show === "prior" ? (m.prior ?? 0) : (m.selection ?? 0));
  const top = analysis.moves.slice(0, Math.max(settings.value.lines, 3)).filter((m) => show === "value" || measure(m) > 0);
  const most = Math.max(...top.map(measure), 1e-9);
  return top.map((m) => ({
    move: m.move,
    weight: Math.max(0.05, measure(m) / most),
    label: show === "visits" ? percent(m.chance).replace(/\..*/, "") : show === "value" ? percent(m.chance).replace(/\..*/, "") : `${(100 * measure(m)).toFixed(0)}`,
    best: m.move === analysis.best,
  }));
}

type Column = "visits" | "value" | "chance" | "prior" | "selection" | "depth";

function LaneView({ entry, only }: { entry: Lane; only: boolean }) {
  const [sort, setSort] = useState<Column>("visits");
  const [open, setOpen] = useState<"moves" | "depths" | "tree">("moves");
  const { analysis } = entry;
  const temperature = entry.player.match(/\bt=([\d.]+)/);
  const moves = analysis ? analysis.moves.slice().sort((a, b) => (b[sort] ?? -1e9) - (a[sort] ?? -1e9)).slice(0, settings.value.lines) : [];
  const fresh = entry.at === place.value.moves;
  const change = (player: string) => {
    update(entry.id, { player });
    if (entry.running) start(entry.id);
  };
  const head = (column: Column, text: string) => <th><button type="button" aria-pressed={sort === column} onClick={() => setSort(column)}>{t(text)}</button></th>;
  return (
    <section class={`lane ${focus.value === entry.id ? "focused" : ""}`} data-lane={entry.id} onPointerDown={() => (focus.value = entry.id)}>
      <div class="lane-head">
        <input type="text" value={entry.player} list="methods" spellcheck={false} aria-label={t("Player string")} data-testid="lane-player" onChange={(e) => change(e.currentTarget.value)} />
        <button type="button" class={entry.running ? "stop" : "primary"} data-testid="go" onClick={() => (entry.running ? stop(entry.id) : start(entry.id))}>{t(entry.running ? "Stop" : "Start")}</button>
        {!only && <button type="button" aria-label="remove" onClick={() => { stop(entry.id); lanes.value = lanes.value.filter((other) => other.id !== entry.id); }}>×</button>}
      </div>
      {temperature && (
        <label class="row slider"><span>{t("Temperature")} <b>{temperature[1]}</b></span>
          <input type="range" min="1" max="200" step="1" value={Number(temperature[1])} data-testid="temperature" onInput={(e) => change(entry.player.replace(/\bt=[\d.]+/, `t=${e.currentTarget.value}`))} />
        </label>
      )}
      {entry.error && <p class="error">{entry.error}</p>}
      {analysis && (
        <>
          <p class="figures" data-testid="figures">
            <b>{analysis.proof ?? `${percent(analysis.chance)} %`}</b>
            <span>{compact(analysis.simulations || analysis.nodes)} {analysis.simulations ? "sims" : "nodes"}</span>
            <span>{compact(Math.round(analysis.nodes_per_second))}/s</span>
            <span>{t("depth")} {analysis.depth}</span>
            {(analysis.entropy ?? 0) > 0 && <span>H {number(analysis.entropy)}</span>}
            <span>{(analysis.memory / 1e6).toFixed(0)} MB</span>
            {!fresh && <span class="stale">≠</span>}
          </p>
          <div class="segments small">
            {(["moves", "depths", "tree"] as const).map((view) => <button type="button" aria-pressed={open === view} data-view={view} onClick={() => setOpen(view)}>{t({ moves: "Moves", depths: "Nodes per depth", tree: "Tree" }[view])}</button>)}
          </div>
          {open === "moves" && (
            <div class="scroll">
              <table class="root" data-testid="root">
                <thead><tr><th>{t("move")}</th>{head("visits", "visits")}{head("chance", "win")}{head("value", "Q")}{head("prior", "prior")}{head("selection", "selection")}{head("depth", "depth")}<th class="wide">{t("line")}</th></tr></thead>
                <tbody>
                  {moves.map((m) => (
                    <tr key={m.move} class={m.move === analysis.best ? "best" : ""}
                      onMouseEnter={() => fresh && (preview.value = m.pv.split(" ").slice(0, 1))} onMouseLeave={() => (preview.value = null)}
                      onWheel={(e) => { if (!fresh) return; e.preventDefault(); const all = m.pv.split(" "); const n = (preview.value?.length ?? 0) + (e.deltaY > 0 ? 1 : -1); preview.value = n > 0 ? all.slice(0, Math.min(n, all.length)) : null; }}
                      onClick={() => { if (fresh) { preview.value = null; playMove(m.move); } }}>
                      <td><b>{short(m.move)}</b></td><td>{compact(m.visits)}</td><td>{m.proof ?? percent(m.chance)}</td><td>{number(m.value)}</td><td>{percent(m.prior)}</td><td>{percent(m.selection)}</td><td>{number(m.depth, 1)}</td>
                      <td class="pv">{m.pv.split(" ").slice(0, 12).map(short).join(" ")}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {open === "depths" && <Bars values={analysis.nodes_per_depth} label={t("Nodes per depth")} />}
          {open === "tree" && (entry.tree ? <TreeView tree={entry.tree} onExplore={(at) => searches.get(entry.id)?.explore(at, 6, 4)} onShow={(line) => fresh && (preview.value = line)} /> : <p class="hints">–</p>)}
        </>
      )}
    </section>
  );
}

export function Analyse() {
  const [text, setText] = useState("");
  const state = game.value;
  const shownLane = lanes.value.find((entry) => entry.id === focus.value) ?? lanes.value[0];
  const analysis = shownLane?.analysis ?? null;
  const live = shownLane && shownLane.at === place.value.moves ? analysis : null;
  const white = shown.value?.position.turn === "white";
  const stored = state.nodes[state.at].chance;
  const chance = live?.chance != null ? (white ? 1 - live.chance : live.chance) : stored;
  const line = mainLine.value;
  const mistakes = line.filter((node) => node > 0 && mark(loss(node)) !== "").sort((a, b) => (loss(b) ?? 0) - (loss(a) ?? 0));
  useEffect(() => {
    actions.a = () => {
      const entry = lanes.value.find((entry) => entry.id === focus.value) ?? lanes.value[0];
      if (entry) entry.running ? stop(entry.id) : start(entry.id);
    };
    actions.h = () => (settings.value = { ...settings.value, show: settings.value.show === "nothing" ? "visits" : "nothing" });
    return () => {
      delete actions.a;
      delete actions.h;
    };
  }, []);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void decode(file).then(read);
    else if (event.dataTransfer) void read(event.dataTransfer.getData("text"));
  };
  return (
    <div class="page two" onDragOver={(e) => e.preventDefault()} onDrop={drop}
      onPaste={(e) => { const pasted = e.clipboardData?.getData("text"); if (pasted && !(e.target as HTMLElement).matches("input, textarea")) void read(pasted); }}>
      <section class="stage">
        <div class="with-bar">
          <div class="eval" title={chance === undefined ? "" : `${(100 * chance).toFixed(1)} %`} data-testid="eval-bar">
            <svg viewBox="0 0 1 100" preserveAspectRatio="none"><rect width="1" height="100" class="eval-white" /><rect width="1" height={100 * (chance ?? 0.5)} y={flipped.value ? 0 : 100 - 100 * (chance ?? 0.5)} class="eval-black" /></svg>
            <span>{chance === undefined ? "" : (100 * chance).toFixed(0)}</span>
          </div>
          <div class="grow">
            <BoardView movable={shown.value?.position.outcome ? null : "both"} candidates={candidates(live, shownLane?.at ?? "")} territory={!!shown.value?.position.outcome} navigate />
          </div>
        </div>
        <p class="caption">{shown.value?.board.caption}{shown.value?.last ? ` · ${shown.value.last}` : ""}</p>
        <Result />
        <div class="bar">
          <span>{t("Show on board")}</span>
          <div class="segments small">
            {(["nothing", "visits", "value", "prior", "selection"] as const).map((show) => <button type="button" aria-pressed={settings.value.show === show} data-show={show} onClick={() => (settings.value = { ...settings.value, show })}>{t(show)}</button>)}
          </div>
          <label>{t("Lines")} <input type="number" min="1" max="40" value={settings.value.lines} data-testid="lines" onInput={(e) => (settings.value = { ...settings.value, lines: Math.max(1, Number(e.currentTarget.value) || 1) })} /></label>
          <button type="button" onClick={() => (flipped.value = !flipped.value)}>{t("Flip board")}</button>
        </div>
        <EvalGraph title={t("Evaluation of the game")} values={line.map((node) => state.nodes[node].chance ?? null)} at={line.indexOf(state.at)}
          marks={line.map((node) => (node > 0 ? mark(loss(node)) : ""))} onPick={(i) => goTo(line[i])} />
        <div class="bar">
          <button type="button" class="primary" data-testid="review" onClick={() => void analyseGame(shownLane?.player ?? usualPlayer())}>{review.value ? `${t("Stop")} ${review.value.done}/${review.value.all}` : t("Analyse the whole game")}</button>
          <label>{t("Budget per move")} <input type="text" class="short" value={settings.value.budget} spellcheck={false} onChange={(e) => (settings.value = { ...settings.value, budget: e.currentTarget.value })} /></label>
          {mistakes.length > 0 && <span class="mistakes">{mistakes.length} {t("mistakes")}: {mistakes.slice(0, 6).map((node) => <button type="button" onClick={() => goTo(node)}>{line.indexOf(node)} {short(state.nodes[node].move)} {mark(loss(node))} −{(100 * (loss(node) ?? 0)).toFixed(0)}</button>)}</span>}
        </div>
      </section>
      <aside class="panel">
        {lanes.value.map((entry) => <LaneView key={entry.id} entry={entry} only={lanes.value.length === 1} />)}
        <div class="bar">
          <select aria-label={t("Add a method")} data-testid="add-lane" value="" onChange={(e) => { const v = e.currentTarget.value; e.currentTarget.value = ""; if (v && lanes.value.length < (catalog.value?.limits.searches ?? 4)) lanes.value = [...lanes.value, lane(v)]; }}>
            <option value="">+ {t("Add a method")}</option>
            {[...new Set([...suggestions(), ...(catalog.value?.methods.map((m) => m.name) ?? [])])].map((name) => <option value={name}>{name}</option>)}
          </select>
          {lanes.value.some((entry) => entry.running) && <small class="hints">{frameRate.value} /s</small>}
          {connection.value === "none" && <small class="error">{t("this site shows results only")}</small>}
        </div>
        <h2>{t("Game")}</h2>
        <GamePicker value={state.game} onPick={(name) => { match.value = null; game.value = newGame(name); }} />
        <MoveList />
        {state.nodes[state.at].pv && <p class="hints pv">{t("line")}: {state.nodes[state.at].pv!.split(" ").slice(0, 14).map(short).join(" ")}</p>}
        <details open={false} data-testid="paste">
          <summary>{t("Paste a position or a game")}</summary>
          <textarea rows={5} value={text} spellcheck={false} placeholder={"SFEN, position …, KIF, KI2, CSA, SGF, blksgf"} onInput={(e) => setText(e.currentTarget.value)} />
          <div class="bar"><button type="button" class="primary" onClick={() => void read(text)}>{t("Read")}</button><small class="hints">{t("or drop a file here")}</small></div>
        </details>
        <div class="bar">
          <button type="button" onClick={() => void record().then((r) => copy(r.files[0].text))}>{t("Copy record")}</button>
          <button type="button" onClick={() => void record().then((r) => download(`game.${r.files[0].ending}`, r.files[0].text))}>↓</button>
          <button type="button" onClick={() => copy(shown.value?.position.position ?? "")}>SFEN / {t("Copy")}</button>
          <button type="button" onClick={() => copy(link())}>{t("Copy link")}</button>
          <button type="button" onClick={() => void savePicture()}>{t("Save picture")}</button>
        </div>
      </aside>
    </div>
  );
}

/** Old shogi records are in Shift_JIS. */
async function decode(file: File): Promise<string> {
  const bytes = await file.slice(0, 256 << 10).arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
}
