// Learners: their curves, the Elo of their generations, and games that they learned from.

import { useEffect, useState } from "preact/hooks";
import { ask } from "./backend";
import { Curves, intervalsSvg } from "./charts";
import { t } from "./i18n";
import { csv, openGame, type Played } from "./run";
import { download, kept, notice } from "./state";

interface Rating { generation: number; elo: number; interval: [number, number]; games: number }
interface Data { fields: Record<string, (number | null)[]>; order: string[]; lines: number; ratings?: Rating[] }
interface Learner { name: string; games: boolean; running?: boolean }

/** What a field is called above its chart. */
const TITLES: Record<string, string> = { loss: "Loss", games_per_second: "Games per second", games_per_cpu_second: "Games per CPU second", explained: "Results explained by the search", "training.losses.policy": "Loss of the policy", "training.losses.value": "Loss of the value", objective: "Objective" };
const titleOf = (field: string) => t(TITLES[field] ?? field);

const picked = kept<string[]>("yomi.learners", []);
const failed = (error: Error) => (notice.value = error.message);
/** The folder in front is the heading of the list. */
const parts = (name: string): [string, string] => {
  const words = name.split("/").filter((word, i) => i === 0 || word !== "runs");
  return words.length > 2 ? [words.slice(0, 2).join("/"), words.slice(2).join("/")] : [words[0], words.slice(1).join("/") || words[0]];
};

/** Games of a learner at the first look and now: what it plays per second while it runs. */
const looks = new Map<string, { at: number; games: number; now: number; pace: number }>();
function watch(name: string, data: Data) {
  const games = data.fields.games?.[data.fields.games.length - 1];
  if (games == null) return;
  const at = performance.now();
  const look = looks.get(name);
  if (!look) looks.set(name, { at, games, now: games, pace: 0 });
  else if (games > look.now) looks.set(name, { ...look, now: games, pace: (1000 * (games - look.games)) / (at - look.at) });
}

/** Games of one step: opened on the board. */
function Lessons({ name, only }: { name: string; only: boolean }) {
  const [found, setFound] = useState<{ step: number | null; steps: number[]; game: string | null; games: Played[] } | null>(null);
  const load = (step: number | null) => ask<{ step: number | null; steps: number[]; game: string | null; games: Played[] }>({ do: "lessons", name, ...(step === null ? {} : { step }) }).then(setFound, failed);
  useEffect(() => void load(null), [name]);
  if (!found || found.steps.length === 0) return null;
  const at = found.steps.indexOf(found.step ?? 0);
  return (
    <section class="card" data-testid="lessons" data-step={found.step}>
      <h3>{t("Games it learned from")}{only ? "" : ` · ${parts(name)[1]}`}</h3>
      <label class="row slider"><span>{t("step")} <b>{found.step}</b></span>
        <input type="range" data-testid="step" min="0" max={found.steps.length - 1} value={at} onChange={(e) => void load(found.steps[Number(e.currentTarget.value)])} /></label>
      <div class="bar">{found.games.map((g) => <button type="button" data-testid="lesson" onClick={() => openGame(found.game ?? "minishogi", g)}>{g.number + 1} · <b>{g.result}</b> · {g.moves.length} {t("moves")}</button>)}</div>
    </section>
  );
}

export function LearnPage() {
  const [list, setList] = useState<Learner[] | null>(null);
  const [data, setData] = useState<Record<string, Data>>({});
  const [fields, setFields] = useState<string[]>([]);
  const [axis, setAxis] = useState("");
  const refresh = (first: boolean) =>
    ask<{ learners: Learner[] }>({ do: "learners" }).then((answer) => {
      setList(answer.learners);
      if (!first || answer.learners.length === 0) return;
      const there = picked.value.filter((name) => answer.learners.some((learner) => learner.name === name));
      // Who is at work is looked at first; else siblings are what is compared.
      const usual = answer.learners.some((learner) => learner.running) ? answer.learners.filter((learner) => learner.running) : answer.learners.filter((learner) => parts(learner.name)[0] === parts(answer.learners[0].name)[0]);
      picked.value = there.length ? there : usual.slice(0, 4).map((learner) => learner.name);
    }, failed);
  useEffect(() => {
    void refresh(true);
    const timer = setInterval(() => void refresh(false), 5000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    const load = () => picked.value.forEach((name) => ask<Data>({ do: "curves", name }).then((answer) => { setData((now) => ({ ...now, [name]: answer })); watch(name, answer); }, () => {}));
    load();
    // A learner that runs writes on.
    const timer = setInterval(load, 5000);
    return () => clearInterval(timer);
  }, [picked.value.join()]);
  const names = picked.value.filter((name) => data[name]);
  const known = [...new Set(names.flatMap((name) => Object.keys(data[name].fields)))];
  const order = [...new Set([...(data[names[0]]?.order ?? []), ...known])].filter((field) => known.includes(field));
  const x = known.includes(axis) ? axis : ["games", "updates", "positions", "step", "batch", "generation"].find((field) => known.includes(field)) || order[0] || "";
  const shown = fields.filter((field) => known.includes(field));
  const usual = [/(^|\.)elo$|gate\.best/, /loss|error|objective/, /^games_per/, /explained|score/].map((word) => order.find((field) => word.test(field) && field !== x)).filter((field) => field !== undefined);
  const ys = shown.length ? shown : usual.length ? usual.slice(0, 4) : order.filter((field) => field !== x).slice(0, 1);
  const groups = [...new Set((list ?? []).map((learner) => parts(learner.name)[0]))];
  const toggle = (name: string) => (picked.value = picked.value.includes(name) ? picked.value.filter((other) => other !== name) : [...picked.value, name]);
  return (
    <div class="page list">
      <aside class="panel">
        <h2>{t("Learners")}</h2>
        {list?.length === 0 && <p class="hints">{t("No runs were found.")} <code>yomi learn</code></p>}
        {groups.map((group) => {
          const own = list!.filter((learner) => parts(learner.name)[0] === group);
          const all = own.every((learner) => picked.value.includes(learner.name));
          return (
            <details open={own.some((learner) => picked.value.includes(learner.name))}>
              <summary>{group} <small>({own.length})</small> {own.length > 1 && <button type="button" class="quiet" onClick={(e) => { e.preventDefault(); picked.value = all ? picked.value.filter((name) => !own.some((o) => o.name === name)) : own.map((learner) => learner.name); }}>{t(all ? "none" : "all")}</button>}</summary>
              <ul class="entries">{own.map((learner) => <li><label class="check"><input type="checkbox" checked={picked.value.includes(learner.name)} data-learner={learner.name} onChange={() => toggle(learner.name)} /> {parts(learner.name)[1]}{learner.games && <small title={t("with games")}> ▦</small>}{learner.running && <span class="state running" data-testid="at-work">{t("running")}{looks.get(learner.name)?.pace ? ` · ${looks.get(learner.name)!.pace.toFixed(1)} ${t("games/s")}` : ""}</span>}</label></li>)}</ul>
            </details>
          );
        })}
      </aside>
      <section class="content">
        <h1>{t("Learn")}</h1>
        {!list && <p class="hints"><span class="spinner" /></p>}
        {order.length > 0 && <div class="bar"><label>{t("Horizontal axis")} <select value={x} onChange={(e) => setAxis(e.currentTarget.value)}>{order.map((field) => <option value={field}>{field}</option>)}</select></label></div>}
        {order.length > 0 && <details class="fields"><summary>{t("Curves")}: {ys.map(titleOf).join(", ")}</summary><div class="bar">{order.filter((field) => field !== x).map((field) => <button type="button" aria-pressed={ys.includes(field)} onClick={() => setFields(ys.includes(field) ? ys.filter((other) => other !== field) : [...ys, field])}>{field}</button>)}</div></details>}
        {names.filter((name) => (data[name].ratings?.length ?? 0) > 1).map((name) => {
          const svg = intervalsSvg(data[name].ratings!.map((r) => ({ x: r.generation, value: r.elo, low: r.interval[0], high: r.interval[1] })), t("generation"));
          return (
            <section class="card" key={`elo-${name}`} data-testid="generations"><h3>{t("Elo of generations")} · {parts(name)[0]}{parts(name)[1] === parts(name)[0] ? "" : `/${parts(name)[1]}`}</h3>
              <div class="ratings-chart" dangerouslySetInnerHTML={{ __html: svg }} /><button type="button" class="quiet" onClick={() => download("generations.svg", svg, "image/svg+xml")}>SVG ↓</button></section>
          );
        })}
        {ys.map((field) => {
          // Curves of several learners share one axis: their points are merged.
          const with_ = names.filter((name) => data[name].fields[field] && data[name].fields[x]);
          const xs = [...new Set(with_.flatMap((name) => data[name].fields[x].map((value) => value ?? 0)))].sort((a, b) => a - b);
          const index = new Map(xs.map((value, i) => [value, i]));
          const series = with_.map((name) => {
            const values: (number | null)[] = new Array(xs.length).fill(null);
            data[name].fields[x].forEach((value, i) => (values[index.get(value ?? 0)!] = data[name].fields[field][i] ?? null));
            return { name: parts(name)[1], values };
          });
          return xs.length > 0 && (
            <section class="card" key={field} data-curve={field} data-points={xs.length}><h3>{titleOf(field)}</h3><Curves x={xs} series={series} xLabel={x} />
              <button type="button" class="quiet" onClick={() => download(`${field}.csv`, csv([x, ...with_], xs.map((value, i) => [String(value), ...series.map((s) => String(s.values[i] ?? ""))])), "text/csv")}>CSV ↓</button></section>
          );
        })}
        {names.filter((name) => list?.find((learner) => learner.name === name)?.games).map((name) => <Lessons key={name} name={name} only={names.length === 1} />)}
        {list && names.length === 0 && <p class="hints">{t("Choose learners at the left.")}</p>}
      </section>
    </div>
  );
}
