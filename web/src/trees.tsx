// Trees that were saved, by `yomi analyze --tree` or from the page: opened by name, walked through like live ones.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "./backend";
import { compact } from "./format";
import { gameName, t } from "./i18n";
import { game, match, newGame, notice, place, preview } from "./state";
import { TreeView } from "./tree";
import type { TreeReport } from "./types";

interface Saved { name: string; game: string; position: string; player: string; nodes: number; bytes: number }
const saved = signal<Saved[]>([]);
const opened = signal<{ of: Saved; tree: TreeReport } | null>(null);

export function refreshTrees() {
  ask<{ trees: Saved[] }>({ do: "trees" }).then((answer) => (saved.value = answer.trees), () => (saved.value = []));
}

function explore(of: Saved, path: string) {
  ask({ do: "tree", name: of.name, path, top: 6, depth: 4 }).then((answer) => (opened.value = { of, tree: answer as unknown as TreeReport }), (error: Error) => (notice.value = error.message));
}

/** Shows its root on the board, and the tree beside it. */
function open(of: Saved) {
  match.value = null;
  game.value = newGame(of.game, of.position);
  explore(of, "");
}

export function SavedTrees() {
  useEffect(refreshTrees, []);
  if (saved.value.length === 0) return null;
  const now = opened.value;
  const here = now && place.value.game === now.of.game && place.value.position === now.of.position;
  return (
    <details data-testid="trees" open={!!now}>
      <summary>{t("Saved trees")} ({saved.value.length})</summary>
      <ul class="entries">
        {saved.value.map((entry) => (
          <li><button type="button" aria-pressed={now?.of.name === entry.name} data-tree={entry.name} onClick={() => open(entry)}>
            <b>{entry.name}</b><small>{compact(entry.nodes)} {t("nodes")}</small><span>{gameName(entry.game)} · {entry.player}</span>
          </button></li>
        ))}
      </ul>
      {now && <TreeView tree={now.tree} at={{ game: now.of.game, position: now.of.position, moves: "" }} onExplore={(path) => explore(now.of, path)} onShow={(line) => here && place.value.moves === "" && (preview.value = line)} />}
    </details>
  );
}
