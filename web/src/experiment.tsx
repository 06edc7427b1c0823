// Experiments: what they ask, starting and pausing them, how they go; and every run that lies in the folders.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask, backend } from "./backend";
import { Notice } from "./boardview";
import { t } from "./i18n";
import { RunView, type Run, type RunState } from "./run";
import { copy, kept, notice } from "./state";

interface Entry { name: string; title: string; paper: string; question: string; kinds: string[]; running: RunState | null }
interface Experiment extends Entry { note: string[]; parts: { title: string; kind: string; jobs: number }[]; jobs: number; reproducible: boolean; missing: string | null; programs?: string[]; report: Run | null; runs: { name: string }[] }

const chosen = kept<string | null>("yomi.experiment", null);
const shownRun = signal<Run | null>(null);
const form = kept("yomi.experiment-form", { scale: 0.02, seed: 1, jobs: 1 });
const failed = (error: Error) => (notice.value = error.message);
const showRun = (name: string) => ask<Run>({ do: "run", name }).then((run) => (shownRun.value = run), failed);

/** How long it will still take, at the pace since it was first seen running. */
function useEta(running: RunState | null | undefined): string {
  const [began, setBegan] = useState<{ at: number; done: number; run: string } | null>(null);
  useEffect(() => {
    if (running?.state !== "running") setBegan(null);
    else if (began?.run !== running.run && running.all > 0) setBegan({ at: performance.now(), done: running.done, run: running.run });
  }, [running?.state, running?.run, running?.all]);
  if (!began || !running || running.done <= began.done) return "";
  const pace = (running.done - began.done) / ((performance.now() - began.at) / 1000);
  const left = Math.round((running.all - running.done) / pace);
  return `${pace.toFixed(pace < 10 ? 1 : 0)}/s · ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} ${t("left")}`;
}

function Starter({ detail, onChange }: { detail: Experiment; onChange(): void }) {
  const state = detail.running?.state ?? "";
  const busy = /ing$/.test(state);
  const { scale, seed, jobs } = form.value;
  const set = (part: Partial<typeof form.value>) => (form.value = { ...form.value, ...part });
  const command = `yomi experiment run ${detail.name} --scale ${scale} --seed ${seed} --jobs ${jobs}`;
  const eta = useEta(detail.running);
  const halt = (how: string) => void ask({ do: how, name: detail.name }).then(onChange, failed);
  // The same scale and seed are the same run: what it has is kept.
  const begun = detail.running ? !/complete|failed/.test(state) && detail.running.scale === scale && detail.running.seed === seed : false;
  const left = shownRun.value?.summary as { scale?: number; seed?: number; jobs?: number; jobs_done?: number } | undefined;
  const goesOn = begun || (!!left && left.scale === scale && left.seed === seed && (left.jobs_done ?? 0) < (left.jobs ?? 0));
  return (
    <div class="card starter">
      <label>{t("scale")} <input type="number" step="0.01" min="0.001" max="10" value={scale} data-testid="scale" onInput={(e) => set({ scale: Number(e.currentTarget.value) })} /></label>
      <label>{t("seed")} <input type="number" min="0" value={seed} onInput={(e) => set({ seed: Number(e.currentTarget.value) })} /></label>
      <label>{t("jobs")} <input type="number" min="1" max="64" value={jobs} onInput={(e) => set({ jobs: Number(e.currentTarget.value) })} /></label>
      {busy ? (
        <>
          <button type="button" disabled={state !== "running"} title={t("Games that are being played are finished.")} data-testid="pause" onClick={() => halt("pause")}>{t("Pause")}</button>
          <button type="button" class="stop" disabled={state === "stopping"} title={t("At once; games that are being played are played again later.")} data-testid="stop" onClick={() => halt("break-off")}>{t("Stop")}</button>
        </>
      ) : (
        <button type="button" class="primary" disabled={!!detail.missing} data-testid="start" onClick={() => void ask({ do: "start", name: detail.name, scale, seed, jobs }).then(() => setTimeout(onChange, 200), failed)}>{t(goesOn ? "Resume" : "Start")}</button>
      )}
      {detail.running && <span class={`state ${state}`} data-testid="state">{t(state)}</span>}
      {detail.running && <progress max={Math.max(detail.running.all, 1)} value={detail.running.done} aria-label={t("progress")} />}
      {detail.running && <span class="hints" data-testid="progress">{detail.running.done}/{detail.running.all} {eta}</span>}
      <p class="command"><code>{command}</code> <button type="button" class="quiet" onClick={() => copy(command)}>{t("Copy")}</button></p>
      {(detail.programs?.length ?? 0) > 0 && !detail.missing && <p class="hints">{t("It starts")} <code>{detail.programs!.join(", ")}</code></p>}
      {detail.missing && <p class="error">{detail.missing}</p>}
      {detail.running?.error && <p class="error">{detail.running.error}</p>}
    </div>
  );
}

export function ExperimentPage() {
  const [list, setList] = useState<Entry[]>([]);
  const [runs, setRuns] = useState<{ name: string; experiment: string | null }[]>([]);
  const [filter, setFilter] = useState("");
  const [detail, setDetail] = useState<Experiment | null>(null);
  const [server, setServer] = useState(true);
  const name = chosen.value;
  const refresh = () => {
    ask<{ experiments: Entry[] }>({ do: "experiments" }).then((answer) => setList(answer.experiments), failed);
    if (name) ask<Experiment>({ do: "experiment", name }).then(setDetail, (error: Error) => { failed(error); chosen.value = null; });
  };
  useEffect(() => {
    void backend.then((engine) => setServer(engine.server));
    ask<{ runs: { name: string; experiment: string | null }[] }>({ do: "runs" }).then((answer) => setRuns(answer.runs), failed);
  }, []);
  useEffect(() => {
    if (name) shownRun.value = null;
    setDetail(null);
    refresh();
  }, [name]);
  useEffect(() => {
    // What was run before stands there at once; a run that goes on shows itself.
    if (detail && !detail.report && !shownRun.value && detail.runs.length > 0) void showRun(detail.runs[0].name);
  }, [detail?.name]);
  const busy = /ing$/.test(detail?.running?.state ?? "");
  useEffect(() => {
    if (!busy) return;
    shownRun.value = null;
    const timer = setInterval(refresh, 1000);
    return () => clearInterval(timer);
  }, [busy, name]);
  const fits = (text: string) => filter.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
  const names = new Set(list.map((entry) => entry.name));
  const others = runs.filter((run) => !run.experiment || !names.has(run.experiment)).filter((run) => fits(run.name));
  return (
    <div class="page list">
      <aside class="panel">
        <input type="text" value={filter} placeholder={t("filter")} aria-label={t("filter")} spellcheck={false} onInput={(e) => setFilter(e.currentTarget.value)} />
        <h2>{t("Experiments")}</h2>
        <ul class="entries" data-testid="experiments">
          {list.filter((entry) => fits(`${entry.name} ${entry.title} ${entry.paper}`)).map((entry) => (
            <li><button type="button" aria-pressed={entry.name === name} data-experiment={entry.name} onClick={() => { chosen.value = entry.name; if (matchMedia("(max-width: 1020px)").matches) document.querySelector(".content")?.scrollIntoView({ behavior: "smooth" }); }}>
              <b>{entry.name} {entry.running && <span class={`state ${entry.running.state}`}>{t(entry.running.state)}</span>}</b><small>{entry.paper || entry.kinds[0]}</small><span>{entry.title}</span>
            </button></li>
          ))}
        </ul>
        {others.length > 0 && <><h2>{t("Other runs")}</h2>
          <ul class="entries">{others.map((run) => <li><button type="button" aria-pressed={!name && shownRun.value?.name === run.name} onClick={() => { chosen.value = null; void showRun(run.name); }}><b>{run.name.split("/").pop()}</b><small>{run.name.split("/")[0]}</small></button></li>)}</ul></>}
      </aside>
      <section class="content">
        {!name && !shownRun.value && <div class="welcome"><h1>{t("Experiments")}</h1><p class="question">{t("Every table and figure of the papers, and questions they leave open: choose one, start it in miniature, or look at the runs that were made.")}</p>
          <div class="cards">{list.filter((entry) => fits(`${entry.name} ${entry.title} ${entry.paper}`)).map((entry) => {
            const made = runs.filter((run) => run.experiment === entry.name).length;
            return (
              <button type="button" key={entry.name} onClick={() => { chosen.value = entry.name; scrollTo(0, 0); }}>
                <span class="kicker">{entry.paper || entry.name}</span><b>{entry.title}</b><span>{entry.question}</span>
                <small>{made > 0 ? `✓ ${made} ${t(made === 1 ? "run" : "runs")}` : t("not run yet")}</small>
              </button>
            );
          })}</div></div>}
        {!name && shownRun.value && <><h1>{shownRun.value.name}</h1><RunView run={shownRun.value} /></>}
        {name && !detail && <p class="hints"><span class="spinner" /></p>}
        {detail && (
          <>
            <p class="kicker">{detail.paper || detail.name}</p>
            <h1>{detail.title}</h1>
            <p class="question">{detail.question}</p>
            {detail.note?.length > 0 && <ul class="hints">{detail.note.map((note) => <li>{note}</li>)}</ul>}
            {server && <Starter detail={detail} onChange={refresh} />}
            <p class="hints">{detail.parts.map((part) => `${part.title} (${part.kind}, ${part.jobs})`).join(" · ")}</p>
            {detail.runs.length > 0 && <p class="bar">{t("Runs")}: {detail.runs.map((run) => <button type="button" aria-pressed={shownRun.value?.name === run.name} data-run={run.name} onClick={() => void showRun(run.name)}>{run.name}</button>)}</p>}
            {shownRun.value ? <RunView run={shownRun.value} /> : detail.report && <RunView run={detail.report} />}
          </>
        )}
        <Notice />
      </section>
    </div>
  );
}
