// The moves of the game: the line through the position shown, and its variations below it.

import { useEffect, useRef } from "preact/hooks";
import { t } from "./i18n";
import { inWords } from "./names";
import { game, goTo, mainLine, promote, removeMove, tab } from "./state";

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
function mark(lost: number | null): "" | "?!" | "?" | "??" {
  if (lost === null || lost < THRESHOLDS.doubtful) return "";
  return lost < THRESHOLDS.mistake ? "?!" : lost < THRESHOLDS.blunder ? "?" : "??";
}
/** The mark of a move. A search that would have played the same cannot call it a mistake, whatever it sees a move later. */
export function markOf(at: number): "" | "?!" | "?" | "??" {
  const { nodes } = game.value;
  return at <= 0 || nodes[nodes[at].parent]?.best === nodes[at].move ? "" : mark(loss(at));
}
/** The move of a node as people write it. */
export function moveName(at: number): string {
  const node = game.value.nodes[at];
  return inWords(node.spoken, node.move);
}

function Mark({ at }: { at: number }) {
  const sign = markOf(at);
  return sign ? <em class={`mark m${sign.length}${sign.includes("!") ? "d" : ""}`}>{sign}</em> : null;
}

export function MoveList() {
  const list = useRef<HTMLOListElement>(null);
  const { nodes, at } = game.value;
  const line = mainLine.value;
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>(".current");
    if (current && list.current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [at, nodes.length]);
  const branches = line.flatMap((node) => nodes[node].children.filter((child) => !line.includes(child)));
  return (
    <>
      <ol class="moves" ref={list} data-testid="moves">
        {line.slice(1).map((node, i) => (
          <li key={node}>
            <button type="button" class={node === at ? "current" : ""} onClick={() => goTo(node)}><i>{i + 1}</i> {moveName(node)} <Mark at={node} /></button>
          </li>
        ))}
        {line.length === 1 && <li class="empty">{t("No moves yet.")}</li>}
      </ol>
      {branches.length > 0 && <div class="variations" data-testid="variations">{branches.map((node) => <Variation key={node} node={node} depth={0} />)}</div>}
      {tab.value === "analyse" && at > 0 && nodes[nodes[at].parent].children.length > 1 && (
        <div class="bar small">
          <button type="button" class="quiet" onClick={() => promote(at)}>{t("Make it the main line")}</button>
          <button type="button" class="quiet" onClick={() => removeMove(at)}>{t("Remove this line")}</button>
        </div>
      )}
    </>
  );
}

/** A variation to its end; what branches off it follows, a step further in. */
function Variation({ node, depth }: { node: number; depth: number }) {
  const { nodes, at } = game.value;
  const line = [node];
  while (nodes[line[line.length - 1]].children.length > 0) line.push(nodes[line[line.length - 1]].children[0]);
  const first = depthOf(node);
  return (
    <>
      <p style={{ marginLeft: `${depth}em` }}>
        {line.map((n, i) => <button type="button" class={n === at ? "current" : ""} onClick={() => goTo(n)}>{i === 0 && <i>{first}</i>} {moveName(n)} <Mark at={n} /></button>)}
      </p>
      {depth < 4 && line.flatMap((n) => nodes[n].children.slice(1)).map((child) => <Variation key={child} node={child} depth={depth + 1} />)}
    </>
  );
}
