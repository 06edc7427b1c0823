// The moves of the game: the line through the position shown, with its variations.

import { useEffect, useRef } from "preact/hooks";
import { game, goTo, mainLine } from "./state";

/** By how much a move worsened the mover's chance; the marks of a mistake follow from it. */
export function loss(at: number): number | null {
  const { nodes } = game.value;
  const [node, before] = [nodes[at], nodes[nodes[at]?.parent]];
  if (node?.chance === undefined || before?.chance === undefined) return null;
  const black = blackMoved(at);
  return black ? before.chance - node.chance : node.chance - before.chance;
}
export function depthOf(at: number): number {
  let n = 0;
  for (let node = at; node > 0; node = game.value.nodes[node].parent) n++;
  return n;
}
/** Black moves first in every game of ours, unless the start position says otherwise. */
export function blackMoved(at: number): boolean {
  const words = game.value.position?.split(" ") ?? [];
  const whiteFirst = words.includes("w");
  return (depthOf(at) % 2 === 1) !== whiteFirst;
}
export const THRESHOLDS = { doubtful: 0.08, mistake: 0.15, blunder: 0.3 };
export function mark(lost: number | null): "" | "?!" | "?" | "??" {
  if (lost === null || lost < THRESHOLDS.doubtful) return "";
  return lost < THRESHOLDS.mistake ? "?!" : lost < THRESHOLDS.blunder ? "?" : "??";
}

export function MoveList() {
  const list = useRef<HTMLOListElement>(null);
  const { nodes, at } = game.value;
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>(".current");
    if (current && list.current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [at, nodes.length]);
  return (
    <ol class="moves" ref={list} data-testid="moves">
      {mainLine.value.slice(1).map((node, i) => {
        const others = nodes[nodes[node].parent].children.filter((child) => child !== node);
        const sign = mark(loss(node));
        return (
          <li key={node}>
            <button type="button" class={node === at ? "current" : ""} onClick={() => goTo(node)}>
              <i>{i + 1}</i> {short(nodes[node].move)} {sign && <em class={`mark m${sign.length}${sign.includes("!") ? "d" : ""}`}>{sign}</em>}
            </button>
            {others.map((other) => <button type="button" class="variation" onClick={() => goTo(other)}>{short(nodes[other].move)}</button>)}
          </li>
        );
      })}
      {mainLine.value.length === 1 && <li class="empty">–</li>}
    </ol>
  );
}

/** Placements of tiles are long: their first and last cell stand for them. */
export function short(move: string): string {
  const cells = move.split(",");
  return cells.length > 2 ? `${cells[0]}…${cells[cells.length - 1]}` : move;
}
