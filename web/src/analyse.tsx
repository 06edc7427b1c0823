// Analysing: several methods side by side on one position, live; the whole game; the tree.

import { useEffect, useState } from "preact/hooks";
import { connection } from "./backend";
import { BoardView } from "./boardview";
import type { Candidate } from "./candidates";
import { EvalGraph } from "./charts";
import { percent } from "./format";
import { t } from "./i18n";
import { actions } from "./keys";
import { LaneView } from "./lane";
import { focus, frameRate, lane, lanes, setLines, settings, start, stop, suggestions, usualPlayer } from "./lanes";
import { loss, markOf, moveName, MoveList } from "./moves";
import { spokenLine } from "./names";
import { GamePicker } from "./newgame";
import { Caption, Exchange, Result, SeatView } from "./play";
import { analyseGame, decode, read, review } from "./review";
import { catalog, flipped, game, goTo, mainLine, match, newGame, place, preview, shown } from "./state";
import { SavedTrees } from "./trees";
import type { Analysis, MoveAnalysis } from "./types";

function candidates(analysis: Analysis | null, at: string): Candidate[] {
  const show = settings.value.show;
  if (!analysis || show === "nothing" || at !== place.value.moves || preview.value) return [];
  const measure = (m: MoveAnalysis): number => (show === "visits" ? m.visits : show === "value" ? (m.chance ?? 0) : show === "prior" ? (m.prior ?? 0) : (m.selection ?? 0));
  const all = analysis.moves.filter((m) => show === "value" || measure(m) > 0);
  const most = Math.max(...all.map(measure), 1e-9);
  const few = Math.max(settings.value.lines, 3);
  return all.map((m, i) => ({
    move: m.move,
    weight: Math.max(0.05, measure(m) / most),
    label: show === "visits" || show === "value" ? percent(m.chance).replace(/\..*/, "") : `${(100 * measure(m)).toFixed(0)}`,
    best: m.move === analysis.best,
    faint: i >= few,
  }));
}

/** Black's chance as a bar, Black at its own side of the board; the number is that of the side that leads, at its end. */
function EvalBar({ chance }: { chance: number | undefined }) {
  const height = 100 * (chance ?? 0.5);
  return (
    <div class="eval" title={chance === undefined ? "" : `${t("Black")} ${(100 * chance).toFixed(1)} %`} data-testid="eval-bar">
      <svg viewBox="0 0 1 100" preserveAspectRatio="none"><rect width="1" height="100" class="eval-white" /><rect width="1" height={height} y={flipped.value ? 0 : 100 - height} class="eval-black" /><path d="M0 50H1" class="eval-half" vector-effect="non-scaling-stroke" /></svg>
      {chance !== undefined && <span class={chance >= 0.5 ? "of-black" : "of-white"} style={(chance >= 0.5) !== flipped.value ? { bottom: 0 } : { top: 0 }}>{(100 * Math.max(chance, 1 - chance)).toFixed(0)}</span>}
    </div>
  );
}

function Paste() {
  const [text, setText] = useState("");
  return (
    <details open={false} data-testid="paste">
      <summary>{t("Paste a position or a game")}</summary>
      <textarea rows={5} value={text} spellcheck={false} placeholder={"SFEN, position …, KIF, KI2, CSA, SGF, blksgf"} onInput={(e) => setText(e.currentTarget.value)} />
      <div class="bar">
        <button type="button" class="primary" onClick={() => void read(text)}>{t("Read")}</button>
        <label class="file">{t("Open a file")}<input type="file" data-testid="file" onChange={(e) => { const file = e.currentTarget.files?.[0]; if (file) void decode(file).then(read); }} /></label>
        <small class="hints">{t("or drop a file here")}</small>
      </div>
    </details>
  );
}

export function Analyse() {
  const state = game.value;
  const shownLane = lanes.value.find((entry) => entry.id === focus.value) ?? lanes.value[0];
  const live = shownLane && shownLane.at === place.value.moves ? shownLane.analysis : null;
  const white = shown.value?.position.turn === "white";
  const chance = live?.chance != null ? (white ? 1 - live.chance : live.chance) : state.nodes[state.at].chance;
  const line = mainLine.value;
  const mistakes = line.filter((node) => markOf(node) !== "").sort((a, b) => (loss(b) ?? 0) - (loss(a) ?? 0));
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
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const pasted = event.clipboardData?.getData("text");
      if (pasted && !(event.target as HTMLElement).matches?.("input, textarea")) void read(pasted);
    };
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, []);
  const node = state.nodes[state.at];
  return (
    <div class="page two analyse" onDragOver={(e) => e.preventDefault()} onDrop={drop}>
      <section class="stage">
        <BoardView movable={shown.value?.position.outcome ? null : "both"} candidates={candidates(live, shownLane?.at ?? "")} territory={!!shown.value?.position.outcome} navigate
          seat={(side) => <SeatView side={side} />} bar={<EvalBar chance={chance} />} />
        <Result />
        <div class="bar tools-bar">
          <span class="hints">{t("Show on board")}</span>
          <div class="segments small">
            {(["nothing", "visits", "value", "prior", "selection"] as const).map((show) => <button type="button" aria-pressed={settings.value.show === show} data-show={show} onClick={() => (settings.value = { ...settings.value, show })}>{t(show)}</button>)}
          </div>
          <label class="hints">{t("Lines")} <input type="number" min="1" max="40" value={settings.value.lines} data-testid="lines" onInput={(e) => setLines(Math.max(1, Number(e.currentTarget.value) || 1))} /></label>
          <button type="button" onClick={() => (flipped.value = !flipped.value)}>{t("Flip board")}</button>
        </div>
        <EvalGraph title={t("Evaluation of the game")} empty={t("Analyse the whole game to see who was ahead, and where it turned.")} values={line.map((node) => state.nodes[node].chance ?? null)} at={line.indexOf(state.at)}
          marks={line.map((node) => markOf(node))} onPick={(i) => goTo(line[i])} />
        <div class="bar">
          <button type="button" class="primary" data-testid="review" disabled={line.length < 2} onClick={() => void analyseGame(shownLane?.player ?? usualPlayer())}>{review.value ? `${t("Stop")} ${review.value.done}/${review.value.all}` : t("Analyse the whole game")}</button>
          <label class="hints">{t("Budget per move")} <input type="text" class="short" data-testid="budget" value={settings.value.budget} spellcheck={false} onChange={(e) => (settings.value = { ...settings.value, budget: e.currentTarget.value })} /></label>
          {mistakes.length > 0 && <span class="mistakes">{t("Mistakes")}: {mistakes.slice(0, 6).map((node) => <button type="button" onClick={() => goTo(node)}>{line.indexOf(node)} {moveName(node)} {markOf(node)} −{(100 * (loss(node) ?? 0)).toFixed(0)}</button>)}</span>}
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
        <SavedTrees />
        <h2>{t("Game")}</h2>
        <Caption />
        <MoveList />
        {node.pv && <p class="hints pv">{t("line")}: {spokenLine(place.value, node.pv.split(" ").slice(0, 14).join(" ")).join(" ")}</p>}
        <Paste />
        <Exchange />
        <details><summary>{t("Another game")}</summary><GamePicker value={state.game} onPick={(name) => { match.value = null; game.value = newGame(name); }} /></details>
      </aside>
    </div>
  );
}
