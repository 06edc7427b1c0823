// The laboratory: experiments and their runs, curves of learners, the league.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask, backend } from "./backend";
import { Curves, ratingsSvg } from "./charts";
import { gameName, t } from "./i18n";
import { copy, download, game, match, newGame, notice, tab } from "./state";

interface RunState { state: string; done: number; all: number; error: string | null; run: string }
interface Entry { name: string; title: string; paper: string; question: string; kinds: string[]; running: RunState | null }
interface Block { text?: string; notes?: string[]; head?: string[]; rows?: string[][]; words?: number; figure?: string; svg?: string; conditions?: [string, string][] }
interface Section { title: string; blocks: Block[]; summary: { rows?: Row[]; kind?: string; wins?: number; draws?: number; losses?: number; elo?: Estimate | null; sprt?: { llr: number; decision: string } | null }; games: number; game: string | null }
interface Row { label: string; players?: string[]; wins?: number; draws?: number; losses?: number; printed?: number | null; measured?: { value: number; low: number; high: number; shown: string } | null; judgement?: { verdict: string } | null }
interface Estimate { value: number; interval: [number, number] }
interface Run { name: string; experiment: string | null; summary: Record<string, unknown>; sections: Section[] }
interface Experiment extends Entry { note: string[]; parts: { title: string; kind: string; jobs: number }[]; jobs: number; reproducible: boolean; missing: string | null; report: Run | null; runs: { name: string }[] }
interface Played { number: number; row: number; black: string; white: string; result: string; detail: string; position: string | null; moves: string[] }

/** Shows a game of a run on the board of the analysis page. */
export function openGame(name: string, played: Played) {
  match.value = null;
  game.value = { ...newGame(name, played.position, played.moves), at: 0, names: [played.black, played.white] };
  tab.value = "analyse";
}

export function Svg({ text, alt }: { text: string; alt: string }) {
  return <img class="figure" alt={alt} src={`data:image/svg+xml;utf8,${encodeURIComponent(text)}`} />;
}

function csv(head: string[], rows: string[][]): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function BlockView({ block, name }: { block: Block; name: string }) {
  if (block.text) return <p>{block.text}</p>;
  if (block.notes) return <ul class="hints">{block.notes.map((note) => <li>{note}</li>)}</ul>;
  if (block.svg) return <figure><Svg text={block.svg} alt={block.figure ?? ""} /><button type="button" class="quiet" onClick={() => download(`${block.figure}.svg`, block.svg!, "image/svg+xml")}>SVG ↓</button></figure>;
  if (block.head)
    return (
      <>
        <div class="scroll"><table class="report"><thead><tr>{block.head.map((word) => <th>{word}</th>)}</tr></thead>
          <tbody>{block.rows!.map((row) => <tr>{row.map((field, i) => <td class={`${i > (block.words ?? 0) ? "num" : ""} ${/^(agrees|differs|not significant)/.exec(field)?.[1]?.replace(" ", "-") ?? ""}`}>{field}</td>)}</tr>)}</tbody></table></div>
        <button type="button" class="quiet" onClick={() => download(`${name}.csv`, csv(block.head!, block.rows!), "text/csv")}>CSV ↓</button>
      </>
    );
  if (block.conditions) return <details><summary>{t("Settings")}</summary><dl class="facts">{block.conditions.map(([k, v]) => <><dt>{k}</dt><dd>{v}</dd></>)}</dl></details>;
  return null;
}

/** Wins, draws and losses as a bar, with the numbers in it: readable without colour. */
export function Wdl({ w, d, l }: { w: number; d: number; l: number }) {
  const n = Math.max(1, w + d + l);
  return (
    <span class="wdl" title={`+${w} =${d} −${l}`}>
      <span class="w" style={{ flexGrow: w / n }}>{w}</span>{d > 0 && <span class="d" style={{ flexGrow: d / n }}>{d}</span>}<span class="l" style={{ flexGrow: l / n }}>{l}</span>
    </span>
  );
}
const elo = (w: number, d: number, l: number): string => {
  const n = w + d + l;
  if (n === 0) return "–";
  // One virtual draw, so that no score is infinite.
  const s = (w + d / 2 + 0.5) / (n + 1);
  const spread = (400 / Math.LN10) * (1.96 * Math.sqrt((s * (1 - s)) / (n + 1))) / (s * (1 - s));
  return `${Math.round(400 * Math.log10(s / (1 - s)))} ± ${Math.round(spread)}`;
};

function Games({ run, part, row, onClose }: { run: string; part: number; row: number | null; onClose(): void }) {
  const [found, setFound] = useState<{ game: string; games: Played[]; all: number } | null>(null);
  useEffect(() => {
    ask<{ game: string; games: Played[]; all: number }>({ do: "games", name: run, part, ...(row === null ? {} : { row }) }).then(setFound, (error: Error) => (notice.value = error.message));
  }, [run, part, row]);
  return (
    <section class="card games-list" data-testid="games">
      <h3>{t("Games")} {found && <small>{found.games.length}/{found.all}</small>} <button type="button" class="quiet" onClick={onClose}>×</button></h3>
      <div class="scroll tall">
        <table class="report"><tbody>
          {found?.games.map((g) => <tr class="link" onClick={() => openGame(found.game, g)}><td class="num">{g.number + 1}</td><td><b>{g.result}</b></td><td class="player-cell">{g.black}</td><td class="player-cell">{g.white}</td><td>{g.detail}</td><td class="num">{g.moves.length}</td></tr>)}
        </tbody></table>
      </div>
    </section>
  );
}

function RunView({ run }: { run: Run }) {
  const [games, setGames] = useState<{ part: number; row: number | null } | null>(null);
  const s = run.summary;
  return (
    <div data-testid="run">
      {typeof s.sentence === "string" && <p class="sentence">{s.sentence}</p>}
      {typeof s.command === "string" && <p class="command"><code>{s.command}</code> <button type="button" class="quiet" onClick={() => copy(s.command as string)}>{t("Copy")}</button></p>}
      <p class="hints">{["jobs_done", "jobs", "seed", "scale", "program", "bench", "reproducible", "games", "scheduled"].filter((k) => s[k] !== undefined).map((k) => `${k.replace("_", " ")} ${String(s[k])}`).join(" · ")}</p>
      {run.sections.map((section, part) => (
        <section class="card" key={part}>
          <h3>{section.title}</h3>
          {(section.summary.rows ?? []).some((r) => r.wins !== undefined) && (
            <div class="scroll"><table class="report live">
              <thead><tr><th></th><th>W – D – L</th><th>Elo</th><th>{t("measured")}</th><th>{t("published")}</th><th>{t("verdict")}</th><th></th></tr></thead>
              <tbody>{section.summary.rows!.map((r, i) => (
                <tr><td class="player-cell" title={r.players?.join(" – ")}>{r.label}</td><td><Wdl w={r.wins ?? 0} d={r.draws ?? 0} l={r.losses ?? 0} /></td><td class="num">{elo(r.wins ?? 0, r.draws ?? 0, r.losses ?? 0)}</td><td class="num">{r.measured?.shown ?? "–"}</td><td class="num">{r.printed == null ? "–" : r.printed.toFixed(1)}</td><td class={r.judgement?.verdict.replace(" ", "-") ?? ""}>{r.judgement?.verdict ?? "–"}</td>
                  <td>{section.games > 0 && <button type="button" class="quiet" data-testid="open-games" onClick={() => setGames({ part, row: i })}>{t("Games")}</button>}</td></tr>
              ))}</tbody></table></div>
          )}
          {section.summary.wins !== undefined && <p><Wdl w={section.summary.wins} d={section.summary.draws ?? 0} l={section.summary.losses ?? 0} /> Elo {section.summary.elo ? `${section.summary.elo.value.toFixed(0)} [${section.summary.elo.interval.map((x) => x.toFixed(0)).join(", ")}]` : "–"}{section.summary.sprt && ` · LLR ${section.summary.sprt.llr.toFixed(2)} (${section.summary.sprt.decision})`}</p>}
          {section.blocks.map((block, i) => <BlockView key={i} block={block} name={`${run.name.replace("/", "-")}-${part + 1}`} />)}
          {section.games > 0 && <button type="button" data-testid="all-games" onClick={() => setGames({ part, row: null })}>{section.games} {t("Games")} · {section.game && gameName(section.game)}</button>}
          {games?.part === part && <Games run={run.name} part={part} row={games.row} onClose={() => setGames(null)} />}
        </section>
      ))}
    </div>
  );
}

const chosen = signal<string | null>(null);
const shownRun = signal<Run | null>(null);

export function ExperimentPage() {
  const [list, setList] = useState<Entry[]>([]);
  const [detail, setDetail] = useState<Experiment | null>(null);
  const [form, setForm] = useState({ scale: 0.02, seed: 1, jobs: 1 });
  const [server, setServer] = useState(true);
  const name = chosen.value;
  const refresh = () => {
    ask<{ experiments: Entry[] }>({ do: "experiments" }).then((answer) => setList(answer.experiments), (error: Error) => (notice.value = error.message));
    if (name) ask<Experiment>({ do: "experiment", name }).then(setDetail, (error: Error) => (notice.value = error.message));
  };
  useEffect(() => {
    void backend.then((engine) => setServer(engine.server));
    shownRun.value = null;
    setDetail(null);
    refresh();
  }, [name]);
  const busy = detail?.running?.state === "running";
  useEffect(() => {
    if (!busy) return;
    const timer = setInterval(refresh, 1000);
    return () => clearInterval(timer);
  }, [busy, name]);
  const start = () => {
    ask({ do: "start", name, ...form }).then(() => setTimeout(refresh, 200), (error: Error) => (notice.value = error.message));
  };
  return (
    <div class="page list">
      <aside class="panel">
        <h2>{t("Experiments")}</h2>
        <ul class="entries" data-testid="experiments">
          {list.map((entry) => (
            <li><button type="button" aria-pressed={entry.name === name} data-experiment={entry.name} onClick={() => (chosen.value = entry.name)}>
              <b>{entry.name}</b> {entry.running && <span class={`state ${entry.running.state}`}>{t(entry.running.state)}</span>}<small>{entry.paper || entry.kinds[0]}</small><span>{entry.title}</span>
            </button></li>
          ))}
        </ul>
      </aside>
      <section class="content">
        {!detail && <p class="hints">{t("Experiments")}: {list.length}</p>}
        {detail && (
          <>
            <h1>{detail.title}</h1>
            <p class="kicker">{detail.paper}</p>
            <p class="question">{detail.question}</p>
            {detail.note?.length > 0 && <ul class="hints">{detail.note.map((note) => <li>{note}</li>)}</ul>}
            {server && (
              <div class="card starter">
                <label>{t("scale")} <input type="number" step="0.01" min="0.001" max="10" value={form.scale} data-testid="scale" onInput={(e) => setForm({ ...form, scale: Number(e.currentTarget.value) })} /></label>
                <label>{t("seed")} <input type="number" min="0" value={form.seed} onInput={(e) => setForm({ ...form, seed: Number(e.currentTarget.value) })} /></label>
                <label>{t("jobs")} <input type="number" min="1" max="64" value={form.jobs} onInput={(e) => setForm({ ...form, jobs: Number(e.currentTarget.value) })} /></label>
                {busy ? <button type="button" class="stop" data-testid="pause" onClick={() => void ask({ do: "pause", name }).then(refresh)}>{t("Pause")}</button>
                  : <button type="button" class="primary" disabled={!!detail.missing} data-testid="start" onClick={start}>{t(detail.running?.state === "paused" ? "Resume" : "Start")}</button>}
                {detail.running && <span class={`state ${detail.running.state}`} data-testid="state">{t(detail.running.state)}</span>}
                {detail.running && <progress max={Math.max(detail.running.all, 1)} value={detail.running.done} />}
                {detail.running && <span>{detail.running.done}/{detail.running.all}</span>}
                <p class="command"><code>yomi experiment run {detail.name} --scale {form.scale} --seed {form.seed} --jobs {form.jobs}</code> <button type="button" class="quiet" onClick={() => copy(`yomi experiment run ${detail.name} --scale ${form.scale} --seed ${form.seed} --jobs ${form.jobs}`)}>{t("Copy")}</button></p>
                {detail.missing && <p class="error">{detail.missing}</p>}
                {detail.running?.error && <p class="error">{detail.running.error}</p>}
              </div>
            )}
            <p class="hints">{detail.parts.map((part) => `${part.title} (${part.kind}, ${part.jobs})`).join(" · ")}</p>
            {detail.runs.length > 0 && <p class="bar">{t("Runs")}: {detail.runs.map((run) => <button type="button" aria-pressed={shownRun.value?.name === run.name} data-run={run.name} onClick={() => ask<Run>({ do: "run", name: run.name }).then((r) => (shownRun.value = r), (error: Error) => (notice.value = error.message))}>{run.name}</button>)}</p>}
            {shownRun.value ? <RunView run={shownRun.value} /> : detail.report && <RunView run={detail.report} />}
          </>
        )}
        <p class="notice">{notice.value}</p>
      </section>
    </div>
  );
}

export function LearnPage() {
  const [names, setNames] = useState<string[] | null>(null);
  const [picked, setPicked] = useState<string[]>([]);
  const [data, setData] = useState<Record<string, { fields: Record<string, (number | null)[]>; order: string[]; lines: number }>>({});
  const [fields, setFields] = useState<string[]>([]);
  const [axis, setAxis] = useState("");
  useEffect(() => {
    const load = () => ask<{ learners: string[] }>({ do: "learners" }).then((answer) => {
      setNames(answer.learners);
      setPicked((now) => (now.length || !answer.learners.length ? now : [answer.learners[0]]));
    }, (error: Error) => (notice.value = error.message));
    void load();
  }, []);
  useEffect(() => {
    const load = () => picked.forEach((name) => ask<{ fields: Record<string, (number | null)[]>; order: string[]; lines: number }>({ do: "curves", name }).then((answer) => setData((now) => ({ ...now, [name]: answer }))));
    load();
    // A learner that runs writes on.
    const timer = setInterval(load, 5000);
    return () => clearInterval(timer);
  }, [picked.join()]);
  const known = [...new Set(picked.flatMap((name) => Object.keys(data[name]?.fields ?? {})))];
  const order = data[picked[0]]?.order.filter((field) => known.includes(field)) ?? known;
  const x = axis || ["games", "updates", "positions", "step", "batch", "generation"].find((field) => known.includes(field)) || order[0] || "";
  const shown = fields.filter((field) => known.includes(field));
  const ys = shown.length ? shown : order.filter((field) => /loss|error|elo|rmse|score/i.test(field)).slice(0, 2).concat(order.filter((field) => field !== x)).slice(0, 1);
  return (
    <div class="page list">
      <aside class="panel">
        <h2>{t("Learners")}</h2>
        {names?.length === 0 && <p class="hints">{t("No runs were found.")}</p>}
        <ul class="entries">
          {names?.map((name) => <li><label class="check"><input type="checkbox" checked={picked.includes(name)} onChange={() => setPicked(picked.includes(name) ? picked.filter((other) => other !== name) : [...picked, name])} /> {name}</label></li>)}
        </ul>
      </aside>
      <section class="content">
        <h1>{t("Learn")}</h1>
        <div class="bar"><label>{t("Horizontal axis")} <select value={x} onChange={(e) => setAxis(e.currentTarget.value)}>{order.map((field) => <option value={field}>{field}</option>)}</select></label></div>
        <div class="bar">{order.filter((field) => field !== x).map((field) => <button type="button" aria-pressed={ys.includes(field)} onClick={() => setFields(ys.includes(field) ? ys.filter((other) => other !== field) : [...ys, field])}>{field}</button>)}</div>
        {ys.map((field) => {
          // Curves of several learners share one axis: their points are merged.
          const points = picked.flatMap((name) => (data[name]?.fields[x] ?? []).map((value) => value ?? 0));
          const xs = [...new Set(points)].sort((a, b) => a - b);
          const index = new Map(xs.map((value, i) => [value, i]));
          const series = picked.map((name) => {
            const values: (number | null)[] = new Array(xs.length).fill(null);
            data[name]?.fields[x]?.forEach((value, i) => (values[index.get(value ?? 0)!] = data[name].fields[field]?.[i] ?? null));
            return { name, values };
          });
          return xs.length > 0 && (
            <section class="card" key={field}><h3>{field}</h3><Curves x={xs} series={series} xLabel={x} />
              <button type="button" class="quiet" onClick={() => download(`${field}.csv`, csv([x, ...picked], xs.map((value, i) => [String(value), ...series.map((s) => String(s.values[i] ?? ""))])), "text/csv")}>CSV ↓</button></section>
          );
        })}
      </section>
    </div>
  );
}

interface LeaguePlayer { name: string; elo: number; interval: [number, number]; pool: number; wins: number; draws: number; losses: number; score: number }
interface LeagueCell { players: [string, string]; counts: [number, number, number]; run: string; part: number; row: number }
interface LeagueGame { game: string; pools: number; players: LeaguePlayer[]; cells: LeagueCell[] }

export function LeaguePage() {
  const [league, setLeague] = useState<LeagueGame[] | null>(null);
  const [wanted, setWanted] = useState("");
  const [filter, setFilter] = useState("");
  const [who, setWho] = useState<string | null>(null);
  const [games, setGames] = useState<LeagueCell | null>(null);
  const [unreadable, setUnreadable] = useState<string[]>([]);
  useEffect(() => {
    ask<{ games: LeagueGame[]; unreadable: string[] }>({ do: "league" }).then((answer) => {
      setLeague(answer.games);
      setUnreadable(answer.unreadable);
      setWanted(answer.games.slice().sort((a, b) => b.players.length - a.players.length)[0]?.game ?? "");
    }, (error: Error) => (notice.value = error.message));
  }, []);
  const found = league?.find((entry) => entry.game === wanted);
  const fits = (name: string) => filter.toLowerCase().split(/\s+/).every((word) => name.toLowerCase().includes(word));
  const players = (found?.players ?? []).filter((player) => fits(player.name)).sort((a, b) => a.pool - b.pool || b.elo - a.elo);
  const cells = (found?.cells ?? []).filter((cell) => (who ? cell.players.includes(who) : cell.players.some(fits)));
  const chart = players.filter((player) => player.pool === players[0]?.pool);
  const svg = chart.length > 1 ? ratingsSvg(chart.map((p) => ({ name: p.name, elo: p.elo, low: p.interval[0], high: p.interval[1] }))) : "";
  const method = (name: string) => name.split(/[(\s]/)[0];
  return (
    <div class="page one">
      <section class="content" data-testid="league">
        <h1>{t("League")}</h1>
        {league === null && <p class="hints">…</p>}
        {league?.length === 0 && <p class="hints">{t("No runs were found.")}</p>}
        <div class="bar">{league?.map((entry) => <button type="button" aria-pressed={entry.game === wanted} onClick={() => { setWanted(entry.game); setWho(null); setGames(null); }}>{gameName(entry.game)} <small>{entry.cells.reduce((s, c) => s + c.counts.reduce((a, b) => a + b, 0), 0)}</small></button>)}</div>
        <div class="bar"><label>{t("filter")} <input type="text" value={filter} spellcheck={false} placeholder="mcss sims=1000" onInput={(e) => setFilter(e.currentTarget.value)} /></label>
          {[...new Set(found?.players.map((p) => method(p.name)) ?? [])].slice(0, 14).map((name) => <button type="button" class="quiet" aria-pressed={filter === name} onClick={() => setFilter(filter === name ? "" : name)}>{name}</button>)}
          <button type="button" class="quiet" onClick={() => download("league.csv", csv(["player", "elo", "low", "high", "wins", "draws", "losses", "pool"], players.map((p) => [p.name, p.elo, p.interval[0], p.interval[1], p.wins, p.draws, p.losses, p.pool].map(String))), "text/csv")}>CSV ↓</button>
          {svg && <button type="button" class="quiet" onClick={() => download("league.svg", svg, "image/svg+xml")}>SVG ↓</button>}</div>
        <div class="split">
          <div class="scroll"><table class="report" data-testid="ratings">
            <thead><tr><th></th><th>{t("player")}</th><th>Elo</th><th>95 %</th><th>{t("games")}</th><th>{t("score")}</th></tr></thead>
            <tbody>{players.map((p, i) => <><tr class={`link ${who === p.name ? "current" : ""} ${i > 0 && players[i - 1].pool !== p.pool ? "new-pool" : ""}`} onClick={() => { setWho(who === p.name ? null : p.name); setGames(null); }}><td class="num">{i + 1}</td><td class="player-cell" title={p.name}>{p.name}</td><td class="num"><b>{p.elo.toFixed(0)}</b></td><td class="num">{p.interval[0].toFixed(0)} … {p.interval[1].toFixed(0)}</td><td class="num">{p.wins + p.draws + p.losses}</td><td class="num">{(100 * p.score).toFixed(0)} %</td></tr></>)}</tbody>
          </table></div>
          {svg && <div class="ratings-chart" dangerouslySetInnerHTML={{ __html: svg }} />}
        </div>
        <h2>{t("Results")}</h2>
        <div class="scroll tall"><table class="report">
          <tbody>{cells.slice(0, 300).map((cell) => <tr class="link" onClick={() => setGames(cell)}><td class="player-cell" title={cell.players[0]}>{cell.players[0]}</td><td><Wdl w={cell.counts[0]} d={cell.counts[1]} l={cell.counts[2]} /></td><td class="player-cell" title={cell.players[1]}>{cell.players[1]}</td><td><small>{cell.run}</small></td></tr>)}</tbody>
        </table></div>
        {games && <Games run={games.run} part={games.part} row={games.row} onClose={() => setGames(null)} />}
        {unreadable.length > 0 && <details><summary>{unreadable.length} ×</summary><ul class="hints">{unreadable.map((text) => <li>{text}</li>)}</ul></details>}
      </section>
    </div>
  );
}
