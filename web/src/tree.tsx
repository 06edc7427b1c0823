// The search tree as an icicle: width is visits, colour is value. A click goes deeper.

import { hierarchy, partition, type HierarchyRectangularNode } from "d3-hierarchy";
import { useState } from "preact/hooks";
import { compact } from "./format";
import { t } from "./i18n";
import { spokenLine } from "./names";
import type { Place, TreeReport, TreeRow } from "./types";

interface Datum {
  move: string;
  visits: number;
  value: number | null;
  proof: string | null;
  children: number;
  below: Datum[];
}

export function TreeView({ tree, at, onExplore, onShow }: { tree: TreeReport; at: Place; onExplore(path: string): void; onShow(line: string[] | null): void }) {
  const [about, setAbout] = useState<Datum | null>(null);
  const root: Datum = { move: tree.moves || "●", visits: tree.visits, value: null, proof: null, children: tree.children, below: tree.below as TreeRow[] };
  const [width, row] = [400, 30];
  const nodes = hierarchy<Datum>(root, (d) => d.below).sum(own);
  const laid = partition<Datum>().size([width, row * (nodes.height + 1)]).padding(1)(nodes);
  const all = laid.descendants().filter((node) => node.x1 - node.x0 > 2);
  const rows = Math.max(...all.map((node) => node.depth)) + 1;
  const most = Math.max(0.05, ...all.map((node) => Math.abs(node.data.value ?? 0)));
  const line = (node: HierarchyRectangularNode<Datum>) => node.ancestors().reverse().slice(1).map((n) => n.data.move);
  const above = tree.moves.split(" ").filter(Boolean);
  /** A node by its move, as people write it. */
  const name = (moves: string[]) => spokenLine(at, [...above, ...moves].join(" "))[above.length + moves.length - 1] ?? "";
  const color = (d: Datum) => {
    if (d.proof) return d.proof.startsWith("won") ? "var(--good)" : d.proof.startsWith("lost") ? "var(--bad)" : "var(--line)";
    if (d.value === null) return "var(--panel-2)";
    const v = d.value / most;
    return `color-mix(in srgb, ${v > 0 ? "var(--good)" : "var(--bad)"} ${Math.round(15 + 60 * Math.abs(v))}%, var(--panel-2))`;
  };
  return (
    <div class="tree" data-testid="tree">
      <p class="hints">
        <button type="button" disabled={!tree.moves} onClick={() => onExplore("")}>⌂</button>
        {spokenLine(at, tree.moves).map((word, i) => <button type="button" onClick={() => onExplore(above.slice(0, i + 1).join(" "))}>{word}</button>)}
        <span> {compact(tree.nodes)} {t("nodes")}{about ? ` · ${about.move}: ${compact(about.visits)} ${t("visits")}, ${about.proof ?? about.value?.toFixed(3) ?? "–"}, ${about.children} ${t("moves below")}` : ""}</span>
      </p>
      <svg viewBox={`0 0 ${width} ${row * rows}`} onMouseLeave={() => { setAbout(null); onShow(null); }}>
        {all.map((node) => {
          const w = node.x1 - node.x0;
          const text = node.depth ? name(line(node)) : above.length ? (spokenLine(at, tree.moves)[above.length - 1] ?? "") : t("position");
          return (
            <g class="tree-node" onClick={() => node.depth > 0 && onExplore([tree.moves, ...line(node)].filter(Boolean).join(" "))}
              onMouseEnter={() => { setAbout(node.data); onShow(node.depth ? [...above, ...line(node)] : null); }}>
              <rect x={node.x0} y={node.y0} width={w} height={node.y1 - node.y0} style={{ fill: color(node.data) }} />
              {w > wide(text) + 4 && <text x={node.x0 + w / 2} y={(node.y0 + node.y1) / 2 + 4}>{text}</text>}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** The part of a node that belongs to none of the moves shown: moves left out would make it all, so it is at most a fifth of them. */
function own(d: Datum): number {
  const below = d.below.reduce((sum, child) => sum + child.visits, 0);
  return below === 0 ? d.visits : Math.max(0, Math.min(d.visits - below, 0.2 * below));
}

/** Kanji are twice as wide as letters. */
const wide = (text: string) => [...text].reduce((sum, c) => sum + (c > "\u2fff" ? 10.5 : 6.2), 0);
