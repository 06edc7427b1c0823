// A run directory: its report with tables and charts, and its games.

import { useEffect, useState } from "preact/hooks";
import { ask } from "./backend";
import { gameName, t } from "./i18n";
import { copy, download, game, match, newGame, notice, tab } from "./state";

export interface RunState { state: string; done: number; all: number; error: string | null; run: string; scale: number; seed: number }
interface Block { text?: string; notes?: string[]; head?: string[]; rows?: string[][]; words?: number; figure?: string; svg?: string; conditions?: [string, string][] }
interface Section { title: string; blocks: Block[]; summary: { rows?: Row[]; kind?: string; wins?: number; draws?: number; losses?: number; elo?: Estimate | null; sprt?: { llr: number; decision: string } | null }; games: number; game: string | null }
interface Row { label: string; players?: string[]; wins?: number; draws?: number; losses?: number; printed?: number | null; measured?: { value: number; low: number; high: number; shown: string } | null; judgement?: { verdict: string } | null }
interface Estimate { value: number; interval: [number, number] }
export interface Run { name: string; experiment: string | null; summary: Record<string, unknown>; sections: Section[] }
export interface Played { number: number; row: number; black: string; white: string; result: string; detail: string; position: string | null; moves: string[] }

/** Shows a game of a run on the board of the analysis page. */
export function openGame(name: string, played: Played) {
  match.value = null;
  game.value = { ...newGame(name, played.position, played.moves), at: 0, names: [played.black, played.white] };
  tab.value = "analyse";
  scrollTo(0, 0);
}

export function Svg({ text, alt }: { text: string; alt: string }) {
  return <img class="figure" alt={alt} src={`data:image/svg+xml;utf8,${encodeURIComponent(text)}`} />;
}

export function csv(head: string[], rows: string[][]): string {
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

export function Games({ run, part, row, onClose }: { run: string; part: number; row: number | null; onClose(): void }) {
  const [found, setFound] = useState<{ game: string; games: Played[]; all: number } | null>(null);
  useEffect(() => {
    ask<{ game: string; games: Played[]; all: number }>({ do: "games", name: run, part, ...(row === null ? {} : { row }) }).then(setFound, (error: Error) => (notice.value = error.message));
  }, [run, part, row]);
  const shown = found?.games.slice(0, 300) ?? [];
  return (
    <section class="card games-list" data-testid="games">
      <h3>{t("Games")} {found ? <small>{found.all > shown.length ? `${shown.length}/` : ""}{found.all}</small> : <span class="spinner" />} <button type="button" class="quiet" onClick={onClose}>×</button></h3>
      <div class="scroll tall">
        <table class="report"><thead><tr><th></th><th>{t("result")}</th><th>{t("Black")}</th><th>{t("White")}</th><th>{t("end")}</th><th>{t("Moves")}</th></tr></thead><tbody>
          {shown.map((g) => <tr class="link" onClick={() => openGame(found!.game, g)}><td class="num">{g.number + 1}</td><td><b>{g.result}</b></td><td class="player-cell">{g.black}</td><td class="player-cell">{g.white}</td><td>{g.detail}</td><td class="num">{g.moves.length}</td></tr>)}
        </tbody></table>
      </div>
    </section>
  );
}

export function RunView({ run }: { run: Run }) {
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
