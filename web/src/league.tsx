// The league: every player of every run, rated within its game, with the results it is rated by.

import { useEffect, useState } from "preact/hooks";
import { ask } from "./backend";
import { Notice } from "./boardview";
import { ratingsSvg } from "./charts";
import { gameName, t } from "./i18n";
import { csv, Games, Wdl } from "./run";
import { download, notice } from "./state";

interface Player { name: string; elo: number; interval: [number, number]; pool: number; wins: number; draws: number; losses: number; score: number }
interface Cell { players: [string, string]; counts: [number, number, number]; run: string; part: number; row: number }
interface League { game: string; pools: number; players: Player[]; cells: Cell[] }

const methodOf = (name: string) => name.split(/[(\s]/)[0];
/** Outside all parentheses: what stands in them are limits of a part of the player. */
const budgetOf = (name: string) => {
  let outside = name;
  while (/\([^()]*\)/.test(outside)) outside = outside.replace(/\([^()]*\)/g, "");
  return /\b(sims|evals|nodes|depth|time)=\S+/.exec(outside)?.[0] ?? "";
};
/** How many rows of a pool stand there before all are asked for. */
const FEW = 15;

export function LeaguePage() {
  const [league, setLeague] = useState<League[] | null>(null);
  const [wanted, setWanted] = useState("");
  const [filter, setFilter] = useState("");
  const [method, setMethod] = useState("");
  const [budget, setBudget] = useState("");
  const [who, setWho] = useState<string | null>(null);
  const [games, setGames] = useState<Cell | null>(null);
  const [unreadable, setUnreadable] = useState<string[]>([]);
  useEffect(() => {
    ask<{ games: League[]; unreadable: string[] }>({ do: "league" }).then((answer) => {
      setLeague(answer.games);
      setUnreadable(answer.unreadable);
      setWanted(answer.games.slice().sort((a, b) => b.players.length - a.players.length)[0]?.game ?? "");
    }, (error: Error) => (notice.value = error.message));
  }, []);
  const found = league?.find((entry) => entry.game === wanted);
  const fits = (name: string) => (!method || methodOf(name) === method) && (!budget || budgetOf(name) === budget) && filter.toLowerCase().split(/\s+/).every((word) => name.toLowerCase().includes(word));
  const players = (found?.players ?? []).filter((player) => fits(player.name)).sort((a, b) => a.pool - b.pool || b.elo - a.elo);
  const pools = [...new Set(players.map((player) => player.pool))].map((pool) => players.filter((player) => player.pool === pool));
  pools.sort((a, b) => b.length - a.length);
  const cells = (found?.cells ?? []).filter((cell) => (who ? cell.players.includes(who) : cell.players.some(fits)));
  const choices = (of: (name: string) => string) => {
    const counts = new Map<string, number>();
    for (const player of found?.players ?? []) counts.set(of(player.name), (counts.get(of(player.name)) ?? 0) + 1);
    return [...counts.entries()].filter(([word]) => word).sort((a, b) => b[1] - a[1]);
  };
  const pick = (name: string) => {
    setWho(who === name ? null : name);
    setGames(null);
  };
  return (
    <div class="page one">
      <section class="content" data-testid="league">
        <h1>{t("League")}</h1>
        {league === null && <p class="hints" aria-busy="true">{t("reading all runs")} <span class="spinner" /></p>}
        {league?.length === 0 && <p class="hints">{t("No runs were found.")}</p>}
        <div class="bar">{league?.map((entry) => <button type="button" aria-pressed={entry.game === wanted} onClick={() => { setWanted(entry.game); setWho(null); setGames(null); setMethod(""); setBudget(""); }}>{gameName(entry.game)} <small>{entry.cells.reduce((s, c) => s + c.counts.reduce((a, b) => a + b, 0), 0)}</small></button>)}</div>
        {found && (
          <div class="bar">
            <label>{t("Method")} <select value={method} data-testid="method" onChange={(e) => setMethod(e.currentTarget.value)}><option value="">{t("all")}</option>{choices(methodOf).map(([word, n]) => <option value={word}>{word} ({n})</option>)}</select></label>
            <label>{t("Budget")} <select value={budget} data-testid="budget" onChange={(e) => setBudget(e.currentTarget.value)}><option value="">{t("all")}</option>{choices(budgetOf).map(([word, n]) => <option value={word}>{word} ({n})</option>)}</select></label>
            <input type="text" class="filter" value={filter} spellcheck={false} placeholder={`${t("filter")}: quiet t=80`} aria-label={t("filter")} onInput={(e) => setFilter(e.currentTarget.value)} />
            <button type="button" class="quiet" onClick={() => download("league.csv", csv(["player", "elo", "low", "high", "wins", "draws", "losses", "pool"], players.map((p) => [p.name, p.elo, p.interval[0], p.interval[1], p.wins, p.draws, p.losses, p.pool].map(String))), "text/csv")}>CSV ↓</button>
            {pools.length > 0 && <button type="button" class="quiet" onClick={() => download("league.svg", ratingsSvg(pools[0].map((p) => ({ name: p.name, elo: p.elo, low: p.interval[0], high: p.interval[1] }))), "image/svg+xml")}>SVG ↓</button>}
          </div>
        )}
        {found && <Grid players={found.players} chosen={[method, budget]} onPick={(m, b) => { const same = m === method && b === budget; setMethod(same ? "" : m); setBudget(same ? "" : b); setWho(null); setGames(null); }} />}
        {(found?.pools ?? 0) > 1 && <p class="hints">{t("Players that never met, not even through others, are in pools of their own: ratings of two pools cannot be compared.")}</p>}
        <div data-testid="ratings">{pools.map((pool, i) => <PoolView key={`${wanted}-${pool[0].pool}`} pool={pool} open={i === 0 || pools.length === 1} who={who} onPick={pick} />)}</div>
        {found && <>
          <h2>{t("Results")} {who && <><code>{who}</code> <button type="button" class="quiet" onClick={() => setWho(null)}>×</button></>} <small>{cells.length}</small></h2>
          {games && <Games run={games.run} part={games.part} row={games.row} onClose={() => setGames(null)} />}
          <div class="scroll tall card flush"><table class="report" data-testid="results">
            <tbody>{cells.slice(0, 300).map((cell) => <tr class={`link ${games === cell ? "current" : ""}`} onClick={() => setGames(cell)}><td class="player-cell" title={cell.players[0]}>{cell.players[0]}</td><td><Wdl w={cell.counts[0]} d={cell.counts[1]} l={cell.counts[2]} /></td><td class="player-cell" title={cell.players[1]}>{cell.players[1]}</td><td><small>{cell.run}</small></td></tr>)}</tbody>
          </table></div>
        </>}
        {unreadable.length > 0 && <details><summary>{unreadable.length} {t("runs cannot be read")}</summary><ul class="hints">{unreadable.map((text) => <li>{text}</li>)}</ul></details>}
        <Notice />
      </section>
    </div>
  );
}

/** Every method at every budget: how many games, and a click that shows its ratings and results. */
function Grid({ players, chosen, onPick }: { players: Player[]; chosen: [string, string]; onPick(method: string, budget: string): void }) {
  const size = (p: Player) => p.wins + p.draws + p.losses;
  const cells = new Map<string, number>();
  for (const p of players) cells.set(`${methodOf(p.name)} ${budgetOf(p.name)}`, (cells.get(`${methodOf(p.name)} ${budgetOf(p.name)}`) ?? 0) + size(p));
  const sums = (of: (name: string) => string) => {
    const found = new Map<string, number>();
    for (const p of players) found.set(of(p.name), (found.get(of(p.name)) ?? 0) + size(p));
    return found;
  };
  const methods = [...sums(methodOf).entries()].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const budgets = [...sums(budgetOf).keys()].sort((a, b) => { const [x, y] = [a, b].map((word) => word.split("=")); return x[0].localeCompare(y[0]) || Number(x[1]) - Number(y[1]); });
  const most = Math.max(...cells.values());
  return (
    <details class="card pool">
      <summary><b class="words">{t("Methods by budget")}</b> <small>{methods.length} × {budgets.length}</small></summary>
      <div class="scroll tall"><table class="report grid" data-testid="grid">
        <thead><tr><th></th>{budgets.map((b) => <th>{b || "–"}</th>)}</tr></thead>
        <tbody>{methods.map((m) => <tr><th>{m}</th>{budgets.map((b) => {
          const games = cells.get(`${m} ${b}`);
          return <td>{games ? <button type="button" aria-pressed={chosen[0] === m && chosen[1] === b} data-cell={`${m} ${b}`} style={{ "--heat": `${Math.round(8 + 32 * Math.sqrt(games / most))}%` }} onClick={() => onPick(m, b)}>{games}</button> : null}</td>;
        })}</tr>)}</tbody>
      </table></div>
    </details>
  );
}

/** Players that can be compared, each with its interval on the scale of the pool. */
function PoolView({ pool, open, who, onPick }: { pool: Player[]; open: boolean; who: string | null; onPick(name: string): void }) {
  const [all, setAll] = useState(false);
  const [low, high] = [Math.min(...pool.map((p) => p.interval[0])), Math.max(...pool.map((p) => p.interval[1]))];
  const x = (elo: number) => (100 * (elo - low)) / Math.max(high - low, 1);
  const shown = all ? pool : pool.slice(0, FEW);
  return (
    <details class="card pool" open={open}>
      <summary><b>{pool[0].name.length > 60 ? `${pool[0].name.slice(0, 58)}…` : pool[0].name}</b>{pool.length > 1 && ` … ${pool.length} ${t("players")}`} <small>{Math.round(pool.reduce((s, p) => s + p.wins + p.draws + p.losses, 0) / 2)} {t("games")}</small></summary>
      <div class="scroll"><table class="report ratings">
        <thead><tr><th></th><th>{t("player")}</th><th class="num">Elo</th><th class="num">95 %</th><th class="span">{low.toFixed(0)} … {high.toFixed(0)}</th><th class="num">{t("games")}</th><th class="num">{t("score")}</th></tr></thead>
        <tbody>{shown.map((p, i) => (
          <tr class={`link ${who === p.name ? "current" : ""}`} onClick={() => onPick(p.name)}>
            <td class="num">{i + 1}</td><td class="player-cell" title={p.name}>{p.name}</td><td class="num"><b>{p.elo.toFixed(0)}</b></td><td class="num">{p.interval[0].toFixed(0)} … {p.interval[1].toFixed(0)}</td>
            <td class="span"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><path d={`M${x(p.interval[0])} 5H${x(p.interval[1])}`} vector-effect="non-scaling-stroke" class="interval" /><path d={`M${x(p.elo)} 1V9`} vector-effect="non-scaling-stroke" class="value" /></svg></td>
            <td class="num">{p.wins + p.draws + p.losses}</td><td class="num">{(100 * p.score).toFixed(0)} %</td>
          </tr>
        ))}</tbody>
      </table></div>
      {pool.length > FEW && <button type="button" class="quiet" onClick={() => setAll(!all)}>{all ? t("fewer") : `${t("all")} ${pool.length}`}</button>}
    </details>
  );
}
