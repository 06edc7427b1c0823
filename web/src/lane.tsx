// One method at the position: its figures, its table of moves, its nodes per depth, its tree.

import { useRef, useState } from "preact/hooks";
import { backend } from "./backend";
import { Bars } from "./charts";
import { compact, number, percent } from "./format";
import { t } from "./i18n";
import { focus, lanes, searches, settings, start, stop, update, type Lane } from "./lanes";
import { short, spokenLine } from "./names";
import { notice, place, playMove, preview } from "./state";
import { TreeView } from "./tree";
import { refreshTrees } from "./trees";
import type { MoveAnalysis } from "./types";

type Column = "visits" | "value" | "chance" | "prior" | "selection" | "depth";
const COLUMNS: [Column, string, (m: MoveAnalysis) => string][] = [
  ["visits", "visits", (m) => compact(m.visits)],
  ["chance", "win", (m) => m.proof ?? percent(m.chance)],
  ["value", "Q", (m) => number(m.value)],
  ["prior", "prior", (m) => percent(m.prior)],
  ["selection", "selection", (m) => percent(m.selection)],
  ["depth", "depth", (m) => number(m.depth, 1)],
];

export function LaneView({ entry, only }: { entry: Lane; only: boolean }) {
  const [wanted, setSort] = useState<Column | null>(null);
  const [open, setOpen] = useState<"moves" | "depths" | "tree">("moves");
  const { analysis } = entry;
  // Visits say what a sampling search believes; alpha-beta has values only.
  const sort = wanted ?? (analysis && !analysis.simulations ? "chance" : "visits");
  const temperature = entry.player.match(/\bt=([\d.]+)/);
  const moves = analysis ? analysis.moves.slice().sort((a, b) => (b[sort] ?? -1e9) - (a[sort] ?? -1e9)).slice(0, settings.value.lines) : [];
  const fresh = entry.at === place.value.moves;
  const change = (player: string) => {
    update(entry.id, { player });
    if (entry.running) start(entry.id);
  };
  const save = () => void backend.then(() => searches.get(entry.id)?.save().then((name) => { notice.value = `✓ ${name}`; refreshTrees(); }, (error: Error) => (notice.value = error.message)));
  return (
    <section class={`lane ${focus.value === entry.id ? "focused" : ""}`} data-lane={entry.id} onPointerDown={() => (focus.value = entry.id)}>
      <div class="lane-head">
        <input type="text" value={entry.player} title={entry.player} list="methods" spellcheck={false} aria-label={t("Player string")} data-testid="lane-player" onChange={(e) => change(e.currentTarget.value)} />
        <button type="button" class={entry.running ? "stop" : "primary"} data-testid="go" onClick={() => (entry.running ? stop(entry.id) : start(entry.id))}>{t(entry.running ? "Stop" : "Start")}</button>
        {!only && <button type="button" aria-label={t("Remove")} onClick={() => { stop(entry.id); lanes.value = lanes.value.filter((other) => other.id !== entry.id); }}>×</button>}
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
            <span>{compact(analysis.simulations || analysis.nodes)} {t(analysis.simulations ? "sims" : "nodes")}</span>
            <span>{compact(Math.round(analysis.simulations ? analysis.simulations_per_second : analysis.nodes_per_second))}/s</span>
            <span>{t("depth")} {analysis.depth}</span>
            {(analysis.entropy ?? 0) > 0 && <span title={t("entropy of the visits")}>H {number(analysis.entropy)}</span>}
            {analysis.memory > 5e5 && <span>{(analysis.memory / 1e6).toFixed(0)} MB</span>}
            {!fresh && <span class="stale">{t("of another position")}</span>}
          </p>
          <div class="bar small">
            <div class="segments small">
              {(["moves", "depths", "tree"] as const).map((view) => <button type="button" aria-pressed={open === view} data-view={view} onClick={() => setOpen(view)}>{t({ moves: "Moves", depths: "Nodes per depth", tree: "Tree" }[view])}</button>)}
            </div>
            {open === "tree" && !entry.running && <button type="button" class="quiet" data-testid="save-tree" onClick={save}>{t("Save this tree")}</button>}
          </div>
          {open === "moves" && <Table entry={entry} moves={moves} fresh={fresh} sort={sort} onSort={setSort} />}
          {open === "depths" && <Bars values={analysis.nodes_per_depth} label={t("Nodes per depth")} />}
          {open === "tree" && (entry.tree ? <TreeView tree={entry.tree} at={{ ...place.value, moves: entry.at }} onExplore={(at) => searches.get(entry.id)?.explore(at, 6, 4)} onShow={(line) => fresh && (preview.value = line)} /> : <p class="hints">{t("This method grows no tree.")}</p>)}
        </>
      )}
    </section>
  );
}

function Table({ entry, moves, fresh, sort, onSort }: { entry: Lane; moves: MoveAnalysis[]; fresh: boolean; sort: Column; onSort(column: Column): void }) {
  const all = entry.analysis!.moves;
  // While the words of a new line are on their way, those of the line before stand there.
  const before = useRef(new Map<string, string[]>());
  // What a method does not say has no column.
  const columns = COLUMNS.filter(([key]) => key === "visits" || key === "chance" || all.some((m) => (m[key] ?? 0) !== 0));
  return (
    <div class="scroll">
      <table class="root" data-testid="root">
        <thead><tr><th>{t("move")}</th>{columns.map(([key, text]) => <th class={`c-${key}`}><button type="button" aria-pressed={sort === key} onClick={() => onSort(key)}>{t(text)}</button></th>)}<th class="wide">{t("line")}</th></tr></thead>
        <tbody>
          {moves.map((m) => {
            const line = m.pv.split(" ").filter(Boolean);
            const found = fresh ? spokenLine({ ...place.value, moves: entry.at }, line.slice(0, 12).join(" ")) : line.map(short);
            const key = `${entry.at} ${m.move}`;
            if (found.length >= Math.min(3, line.length)) before.current.set(key, found);
            const words = before.current.get(key) ?? found;
            return (
              <tr key={m.move} class={m.move === entry.analysis!.best ? "best" : ""}
                onMouseEnter={() => fresh && (preview.value = line.slice(0, 1))} onMouseLeave={() => (preview.value = null)}
                onWheel={(e) => { if (!fresh) return; e.preventDefault(); const n = (preview.value?.length ?? 0) + (e.deltaY > 0 ? 1 : -1); preview.value = n > 0 ? line.slice(0, Math.min(n, line.length)) : null; }}
                onClick={() => { if (fresh) { preview.value = null; playMove(m.move); } }}>
                <td><b>{words[0] ?? short(m.move)}</b></td>{columns.map(([key, , shown]) => <td class={`c-${key}`}>{shown(m)}</td>)}
                <td class="pv">{words.slice(1).map((word, i) => (
                  <span class={(preview.value?.length ?? 0) >= i + 2 && preview.value?.[0] === line[0] ? "seen" : ""} onMouseEnter={() => fresh && (preview.value = line.slice(0, i + 2))}>{word} </span>
                ))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
