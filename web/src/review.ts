// The whole game, position by position; and games that are pasted.

import { signal } from "@preact/signals";
import { ask, backend, type Answer, type Search } from "./backend";
import { settings } from "./lanes";
import { blackMoved } from "./moves";
import { annotate, game, mainLine, match, newGame, notice, path } from "./state";
import type { Analysis } from "./types";

export const review = signal<{ done: number; all: number } | null>(null);
let reviewing: { stop(): void } | null = null;

export async function analyseGame(player: string) {
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
    // Another game on the board ends it: its nodes are not ours.
    if (game.value.game !== name || game.value.position !== position || !mainLine.value.includes(node) || path(game.value, node).length !== i) break;
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

export async function read(text: string) {
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

/** Old shogi records are in Shift_JIS. */
export async function decode(file: File): Promise<string> {
  const bytes = await file.slice(0, 256 << 10).arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
}
