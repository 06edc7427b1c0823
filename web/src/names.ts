// Moves and captions in the words of the game and the language of the page.

import { signal } from "@preact/signals";
import { ask } from "./backend";
import { lang } from "./i18n";
import type { Place } from "./types";

/** `同飛 (Rx8f, 8b8f)`: the form for the language of the page. Tiles go by their piece and first square. */
export function inWords(spoken: string | undefined, move: string): string {
  const forms = spoken?.match(/^(\S+) \((\S+), (.+)\)$/);
  if (!forms) return short(move);
  const piece = /^piece (.+)$/.exec(forms[3]);
  if (piece) return `${piece[1]} ${short(move)}`;
  return lang.value === "ja" ? forms[1] : forms[2];
}

/** Placements of tiles are long: their first and last cell stand for them. */
export function short(move: string): string {
  const cells = move.split(",");
  return cells.length > 2 ? `${cells[0]}…${cells[cells.length - 1]}` : move;
}

/** Lines of moves from a position, spoken. */
export async function speak(place: Place, lines: string[]): Promise<string[][]> {
  return (await ask<{ lines: string[][] }>({ do: "speak", ...place, lines })).lines;
}

/** What was said of moves before, by position and line up to the move: reports come ten times a second, and their lines change at the end. */
const known = new Map<string, string>();
const wanted = new Map<string, { place: Place; lines: Set<string> }>();
const heard = signal(0);
let waiting = false;

/** The moves of a line in words, as far as they are known; the rest follows a moment later. */
export function spokenLine(place: Place, line: string): string[] {
  void heard.value;
  const moves = line.split(" ").filter(Boolean);
  const at = `${place.game}\n${place.position}\n${place.moves}\n`;
  const words: string[] = [];
  let path = at;
  for (const move of moves) {
    path += ` ${move}`;
    const found = known.get(path);
    if (found === undefined) break;
    words.push(inWords(found, move));
  }
  if (words.length < moves.length) {
    const entry = wanted.get(at) ?? { place, lines: new Set<string>() };
    entry.lines.add(moves.join(" "));
    wanted.set(at, entry);
    if (!waiting) {
      waiting = true;
      setTimeout(() => void fetchLines(), words.length ? 250 : 30);
    }
  }
  return words;
}

async function fetchLines() {
  const now = [...wanted.entries()];
  wanted.clear();
  for (const [at, { place, lines }] of now) {
    const list = [...lines].slice(-40);
    const spoken = await speak(place, list).catch(() => null);
    if (known.size > 20_000) known.clear();
    list.forEach((line, i) => {
      let path = at;
      // A line that cannot be spoken stands as it is.
      line.split(" ").forEach((move, ply) => known.set((path += ` ${move}`), spoken?.[i]?.[ply] ?? ""));
    });
  }
  waiting = false;
  heard.value++;
}

/** The caption of a board, which the program writes in English. */
export function caption(text: string): string {
  if (lang.value !== "ja") return text;
  return text
    .replace(/^Move (\d+): /, "$1手目 ")
    .replace(/Black to move/, "先手番").replace(/White to move/, "後手番")
    .replace(/Black has won/, "先手の勝ち").replace(/White has won/, "後手の勝ち").replace(/drawn/, "引き分け")
    .replace(/ after a pass/, "(パスの後)").replace(/, komi ([\d.]+)/, "、コミ $1").replace(/, prisoners (\d+) and (\d+)/, "、アゲハマ 黒 $1・白 $2")
    .replace(/, in check| \(check\)/, "、王手").replace(/, (\d+) to (\d+)$/, "、$1 対 $2");
}
