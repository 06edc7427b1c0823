// The board of the position shown, wired to the game.

import { Board, type Candidate } from "./board";
import { ask } from "./backend";
import { flipped, notice, place, playMove, preview, shown, step } from "./state";
import type { Side } from "./types";

export function BoardView(props: { movable: Side | "both" | null; candidates?: Candidate[]; territory?: boolean; navigate?: boolean }) {
  const now = shown.value;
  if (!now) return <div class="board-empty" aria-busy="true" />;
  return (
    <>
      <Board
        board={now.board} flipped={flipped.value} turn={now.position.turn} movable={preview.value ? null : props.movable}
        candidates={props.candidates} territory={props.territory}
        onMove={playMove}
        onIllegal={(text) => {
          // Why it is illegal, the rules say.
          ask({ do: "play", ...place.value, move: text }).then(() => {}, (error: Error) => (notice.value = error.message));
        }}
        onWheel={props.navigate ? (by) => step(by) : undefined}
      />
      <p class="notice" role="status" data-testid="notice">{notice.value}</p>
    </>
  );
}
