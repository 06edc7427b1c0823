// The board of the position shown, wired to the game.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Board } from "./board";
import type { Candidate } from "./candidates";
import { ask } from "./backend";
import { reason } from "./reasons";
import { flipped, notice, place, playMove, preview, shown, step } from "./state";
import type { Side } from "./types";

interface Props {
  movable: Side | "both" | null;
  candidates?: Candidate[];
  territory?: boolean;
  navigate?: boolean;
  seat?(side: Side): ComponentChildren;
  bar?: ComponentChildren;
}

export function BoardView(props: Props) {
  const now = shown.value;
  const there = now !== null;
  useEffect(() => {
    // When the first board stood there, for those who measure.
    if (there && performance.getEntriesByName("board").length === 0) requestAnimationFrame(() => performance.mark("board"));
  }, [there]);
  if (!now) return <div class="board-empty" aria-busy="true" />;
  return (
    <div class="board-place">
      <Board
        board={now.board} flipped={flipped.value} turn={now.position.turn} position={now.position.position} movable={preview.value ? null : props.movable}
        candidates={props.candidates} territory={props.territory} seat={props.seat} bar={props.bar}
        onMove={playMove}
        onIllegal={explain}
        onWheel={props.navigate ? (by) => step(by) : undefined}
      />
      <Notice />
    </div>
  );
}

/** Why a move is illegal, the rules say. */
function explain(text: string) {
  ask({ do: "play", ...place.value, move: text }).then(() => {}, (error: Error) => (notice.value = reason(error.message)));
}

/** A line for the person; it goes by itself after a while. */
export function Notice() {
  const text = notice.value;
  useEffect(() => {
    if (!text) return;
    const timer = setTimeout(() => (notice.value = ""), 7000);
    return () => clearTimeout(timer);
  }, [text]);
  return <p class={text ? "notice shown" : "notice"} role="status" data-testid="notice" onClick={() => (notice.value = "")}>{text}</p>;
}
