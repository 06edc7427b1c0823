// Boards: squares, points and hollows, drawn from the program's board report. One component for every game.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "./i18n";
import { type Annotation, Annotations, toggled } from "./annotations";
import { type Candidate, Candidates } from "./candidates";
import { cellName, key, mirrorCells, normal, orientations, same, turnCells } from "./cells";
import { GLYPHS, Promotion, promotionLook, SHADES, Stone, Tablet, TrayView } from "./pieces";
import type { At, BoardReport, Item, Look, Route, Side } from "./types";

export interface BoardProps {
  board: BoardReport;
  flipped: boolean;
  /** The side a person may move; none if no person is to move. */
  movable: Side | "both" | null;
  turn: Side;
  /** The position in its own words, for those who look from outside. */
  position: string;
  candidates?: Candidate[];
  territory?: boolean;
  onMove(move: string): void;
  onIllegal(text: string): void;
  onWheel?(by: number): void;
  /** Who sits there: shown beside the hand or above the tiles of a side. */
  seat?(side: Side): ComponentChildren;
  /** Stands at the left of the board, as high as it. */
  bar?: ComponentChildren;
}

type Selection = { from: At } | { item: number } | { tile: string; cells: At[] } | null;

export function Board(props: BoardProps) {
  const { board, flipped, movable, turn, position, candidates = [], territory, onMove, onIllegal, onWheel, seat: seatOf, bar } = props;
  const svg = useRef<SVGSVGElement>(null);
  const [selection, setSelection] = useState<Selection>(null);
  const [promotion, setPromotion] = useState<{ at: At; moves: Route[] } | null>(null);
  const [hover, setHover] = useState<At | null>(null);
  const [drag, setDrag] = useState<{ look: Look; x: number; y: number } | null>(null);
  const [drawn, setDrawn] = useState<Annotation[]>([]);
  const drawing = useRef<At | null>(null);
  /** The cell that keys are at, if they move over the board. */
  const [cursor, setCursor] = useState<At | null>(null);
  /** Where a press began, and whether what it is on had been taken up, or laid down, before it. */
  const press = useRef<{ x: number; y: number; was: boolean; touch: boolean } | null>(null);
  const mayMove = movable === "both" || movable === turn;

  // A new position ends whatever was begun on the old one, before anything can be begun on it.
  const identity = board.title + key(board.pieces.map((piece) => piece.at)) + turn;
  useLayoutEffect(() => {
    setSelection(null);
    setPromotion(null);
    setDrag(null);
    setDrawn([]);
  }, [identity, mayMove]);

  const [w, h] = [board.cell[0], board.cell[1]];
  // Room for names where they stand, and a narrow edge elsewhere; letters grow with the board.
  const inner = board.columns * w;
  const letter = inner * 0.027;
  const squares = board.style === "squares";
  const named = board.labels.columns.length + board.labels.rows.length > 0;
  const [wide, narrow] = [inner * (named ? 0.056 : 0.03), inner * 0.024];
  const [left, right, top_, bottom_] = squares ? [narrow, wide, wide, narrow] : [wide, named ? narrow : wide, wide, named ? narrow : wide];
  const [width, height] = [inner + left + right, board.rows * h + top_ + bottom_];
  const seat = ([c, r]: At): At => (flipped ? [board.columns - 1 - c, board.rows - 1 - r] : [c, r]);
  const centre = (at: At): [number, number] => {
    const [c, r] = seat(at);
    return [left + (c + 0.5) * w, top_ + (r + 0.5) * h];
  };
  const placements = useMemo(() => new Map(board.moves.filter((m) => m.to.length > 0).map((m) => [key(m.to), m.move])), [board]);
  const pieceAt = useMemo(() => new Map(board.pieces.map((piece) => [`${piece.at}`, piece])), [board]);
  const isTiles = board.trays.some((tray) => tray.items.some((item) => item.cells.length > 0));

  const targets: Route[] = !selection
    ? []
    : "from" in selection
      ? board.moves.filter((m) => m.from && same(m.from, selection.from))
      : "item" in selection
        ? board.moves.filter((m) => m.item === selection.item)
        : [];
  // Where discs are put on squares, legal squares are few and not obvious: they have dots without anything taken up.
  const free = squares && mayMove && !selection && board.moves.every((m) => !m.from && m.item === undefined && m.to.length <= 1) ? board.moves.filter((m) => m.to.length === 1) : [];
  // A tile hangs on the cell in its middle.
  const ghost = useMemo((): At[] | null => {
    if (!selection || !("tile" in selection) || !hover) return null;
    const cells = selection.cells;
    const n = cells.length;
    const [mx, my] = [cells.reduce((s, c) => s + c[0], 0) / n, cells.reduce((s, c) => s + c[1], 0) / n];
    const anchor = cells.reduce((best, c) => (Math.hypot(c[0] - mx, c[1] - my) < Math.hypot(best[0] - mx, best[1] - my) ? c : best));
    return cells.map(([x, y]): At => [hover[0] + x - anchor[0], hover[1] + y - anchor[1]]);
  }, [selection, hover]);
  const ghostMove = ghost ? placements.get(key(ghost)) : undefined;

  /** Where a pointer is in the picture, which may be narrower than its element. */
  function pointOf(event: { clientX: number; clientY: number }): DOMPoint {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.current!.getScreenCTM()!.inverse());
  }
  function cellOf(event: { clientX: number; clientY: number }): At | null {
    const point = pointOf(event);
    const [x, y] = [point.x - left, point.y - top_];
    const at: At = [Math.floor(x / w), Math.floor(y / h)];
    if (at[0] < 0 || at[1] < 0 || at[0] >= board.columns || at[1] >= board.rows) return null;
    return seat(at);
  }

  function choose(moves: Route[], at: At) {
    // Where promotion is compulsory there is no question.
    if (moves.length === 1) finish(moves[0].move);
    else setPromotion({ at, moves: moves.slice().sort((a) => (a.promotes ? -1 : 1)) });
  }
  function finish(move: string) {
    setSelection(null);
    setPromotion(null);
    setDrag(null);
    onMove(move);
  }
  function illegal(at: At) {
    if (!selection) return;
    const to = cellName(board, at);
    if ("from" in selection) onIllegal(cellName(board, selection.from) + to);
    else if ("item" in selection) onIllegal(`${board.trays.find((tray) => tray.side === turn)?.items[selection.item].letter}*${to}`);
  }

  /** What a click, a tap or the end of a drag on a cell means. */
  function act(at: At, dragged: boolean) {
    if (!mayMove || promotion) return setPromotion(null);
    if (selection && "tile" in selection) return;
    if (selection) {
      const moves = targets.filter((m) => m.to.some((to) => same(to, at)));
      if (moves.length > 0) return choose(moves, at);
      if ("from" in selection && same(selection.from, at)) {
        if (!dragged && press.current?.was) setSelection(null);
        return;
      }
      const own = pieceAt.get(`${at}`);
      if (own?.side === turn && own.face && !dragged) return setSelection({ from: at });
      illegal(at);
      return setSelection(null);
    }
    const own = pieceAt.get(`${at}`);
    if (own?.side === turn && own.face) return setSelection({ from: at });
    if (isTiles || board.moves.some((m) => m.from || m.item !== undefined)) return;
    const exact = board.moves.filter((m) => m.to.some((to) => same(to, at)));
    const column = board.labels.rows.length === 0 ? board.moves.filter((m) => m.to.length === 1 && m.to[0][0] === at[0]) : [];
    const found = exact.length > 0 ? exact.sort((a, b) => a.to.length - b.to.length)[0] : column[0];
    if (found) finish(found.move);
    else onIllegal(cellName(board, at));
  }

  function down(event: PointerEvent) {
    const at = cellOf(event);
    if (event.button === 2 && !(selection && "tile" in selection)) drawing.current = at;
    if (event.button !== 0) return;
    if (drawn.length > 0) setDrawn([]);
    if (cursor) setCursor(null);
    if (!at) return;
    const laid = selection !== null && "tile" in selection && hover !== null && same(hover, at);
    const was = laid || (selection !== null && "from" in selection && same(selection.from, at));
    press.current = { x: event.clientX, y: event.clientY, was, touch: event.pointerType === "touch" };
    const own = pieceAt.get(`${at}`);
    if (mayMove && own?.side === turn && own.face && !promotion && !targets.some((m) => m.to.some((to) => same(to, at)))) setSelection({ from: at });
    if (selection && "tile" in selection && press.current.touch) setHover(at);
  }
  function move(event: PointerEvent) {
    const at = cellOf(event);
    if (event.pointerType !== "touch" || press.current) setHover(at);
    const began = press.current;
    if (began && selection && !("tile" in selection) && Math.hypot(event.clientX - began.x, event.clientY - began.y) > 6) {
      const look = "from" in selection ? pieceAt.get(`${selection.from}`) : board.trays.find((tray) => tray.side === turn)?.items[selection.item];
      const { x, y } = pointOf(event);
      if (look) setDrag({ look, x, y });
    }
  }
  function up(event: PointerEvent) {
    const at = cellOf(event);
    const from = drawing.current;
    drawing.current = null;
    if (from && at && event.button === 2) return setDrawn((list) => toggled(list, { from, to: at, other: event.shiftKey }));
    const dragged = drag !== null;
    setDrag(null);
    if (at && press.current) {
      if (selection && "tile" in selection) {
        // A finger lays the ghost down; the button or a second tap on it places the tile.
        if (!press.current.touch) place();
        else if (ghostMove && press.current.was && hover && same(hover, at)) place();
      } else act(at, dragged);
    }
    press.current = null;
  }
  function place() {
    if (!ghost) return;
    if (ghostMove) finish(ghostMove);
    else if (mayMove) onIllegal(ghost.map((cell) => cellName(board, cell)).join(","));
  }
  function reshape(change: (cells: At[]) => At[]) {
    setSelection((now) => (now && "tile" in now ? { ...now, cells: change(now.cells) } : now));
  }
  function cycle() {
    reshape((cells) => {
      const item = board.trays.find((tray) => tray.side === turn)!.items.find((item) => item.tile === (selection as { tile: string }).tile)!;
      const all = orientations(item.cells);
      return all[(all.findIndex((other) => key(other) === key(cells)) + 1) % all.length];
    });
  }
  function wheel(event: WheelEvent) {
    if (selection && "tile" in selection) {
      event.preventDefault();
      reshape(event.deltaY > 0 ? turnCells : (cells) => turnCells(turnCells(turnCells(cells))));
    } else if (onWheel) {
      event.preventDefault();
      onWheel(event.deltaY > 0 ? 1 : -1);
    }
  }

  // Before the next event, not after the next frame: keys may come quickly.
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement) return;
      if (event.key === "Escape") {
        setSelection(null);
        setPromotion(null);
        setCursor(null);
      }
      if (!isTiles && event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey) return setCursor(cursor ? null : [board.columns >> 1, board.rows >> 1]);
      if (cursor && !isTiles) {
        const sign = flipped ? -1 : 1;
        const steps: Record<string, At> = { ArrowLeft: [-sign, 0], ArrowRight: [sign, 0], ArrowUp: [0, -sign], ArrowDown: [0, sign] };
        const by = steps[event.key];
        if (by) setCursor([Math.max(0, Math.min(board.columns - 1, cursor[0] + by[0])), Math.max(0, Math.min(board.rows - 1, cursor[1] + by[1]))]);
        else if (promotion && event.key === "Enter") finish(promotion.moves[event.shiftKey ? 1 : 0].move);
        else if (event.key === "Enter" || event.key === " ") act(cursor, false);
        else return;
        event.preventDefault();
        return event.stopImmediatePropagation();
      }
      if (!selection || !("tile" in selection)) {
        const tray = isTiles && mayMove ? board.trays.find((tray) => tray.side === turn) : undefined;
        const item = tray?.items.find((item) => item.count > 0 && item.tile?.toLowerCase() === event.key.toLowerCase());
        if (item && event.shiftKey) setSelection({ tile: item.tile!, cells: normal(item.cells) });
        return;
      }
      const done = () => {
        event.preventDefault();
        event.stopImmediatePropagation();
      };
      const nudge = (x: number, y: number) => {
        setHover((at) => {
          const [c, r] = at ?? [board.columns >> 1, board.rows >> 1];
          const sign = flipped ? -1 : 1;
          return [Math.max(0, Math.min(board.columns - 1, c + sign * x)), Math.max(0, Math.min(board.rows - 1, r + sign * y))];
        });
        done();
      };
      switch (event.key) {
        case "r": case "R": reshape(turnCells); return done();
        case "f": case "F": reshape(mirrorCells); return done();
        case " ": cycle(); return done();
        case "Enter": place(); return done();
        case "ArrowLeft": return nudge(-1, 0);
        case "ArrowRight": return nudge(1, 0);
        case "ArrowUp": return nudge(0, -1);
        case "ArrowDown": return nudge(0, 1);
      }
    };
    window.addEventListener("keydown", hear, true);
    return () => window.removeEventListener("keydown", hear, true);
  });
  useEffect(() => {
    const element = svg.current!;
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  });

  const up_ = (side: Side) => (side === "black") !== flipped;
  const cell = (at: At, extra: string) => {
    const [x, y] = centre(at);
    return <rect x={x - w / 2} y={y - h / 2} width={w} height={h} class={extra} />;
  };
  const lines: string[] = [];
  const [x0, y0, x1, y1] = [left, top_, width - right, height - bottom_];
  if (board.style === "points") {
    for (let c = 0; c < board.columns; c++) lines.push(`M${x0 + (c + 0.5) * w} ${y0 + h / 2}V${y1 - h / 2}`);
    for (let r = 0; r < board.rows; r++) lines.push(`M${x0 + w / 2} ${y0 + (r + 0.5) * h}H${x1 - w / 2}`);
  } else {
    for (let c = 0; c <= board.columns; c++) lines.push(`M${x0 + c * w} ${y0}V${y1}`);
    for (let r = 0; r <= board.rows; r++) lines.push(`M${x0} ${y0 + r * h}H${x1}`);
  }
  const label = (text: string, x: number, y: number) => {
    const glyph = GLYPHS.get(text);
    const size = letter * 1.1;
    return glyph ? <path d={glyph} transform={`translate(${x - size / 2} ${y - size / 2})scale(${size / 100})`} /> : <text x={x} y={y + letter * 0.36} style={{ fontSize: `${letter}px` }}>{text}</text>;
  };
  /** Only the sides of cells that have no neighbour behind them. */
  const border = (cells: At[]) =>
    cells.flatMap((at) => {
      const [c, r] = seat(at);
      const has = (x: number, y: number) => cells.some((other) => same(seat(other), [c + x, r + y]));
      const [x, y] = [left + c * w, top_ + r * h];
      return [has(0, -1) ? "" : `M${x} ${y}h${w}`, has(0, 1) ? "" : `M${x} ${y + h}h${w}`, has(-1, 0) ? "" : `M${x} ${y}v${h}`, has(1, 0) ? "" : `M${x + w} ${y}v${h}`];
    }).join("");
  const trayOf = (side: Side) => board.trays.find((tray) => tray.side === side);
  const bottom: Side = flipped ? "white" : "black";
  const top: Side = flipped ? "black" : "white";
  const pick = (item: Item, index: number, side: Side, event?: PointerEvent) => {
    if (!mayMove || side !== turn || item.count === 0) return;
    if (item.cells.length > 0) {
      const now = selection && "tile" in selection && selection.tile === item.tile;
      setSelection(now ? null : { tile: item.tile!, cells: normal(item.cells) });
    } else {
      setSelection(selection && "item" in selection && selection.item === index ? null : { item: index });
      if (event) press.current = { x: event.clientX, y: event.clientY, was: false, touch: event.pointerType === "touch" };
      if (event && event.target instanceof Element && event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
    }
  };
  const trayView = (side: Side) => {
    const tray = trayOf(side);
    if (!tray) return null;
    return (
      <TrayView
        items={tray.items} side={side} up={up_(side)} title={tray.title}
        active={mayMove && side === turn}
        selected={(item, index) => selection !== null && side === turn && (("item" in selection && selection.item === index) || ("tile" in selection && selection.tile === item.tile))}
        onPick={(item, index, event) => pick(item, index, side, event)}
      />
    );
  };
  const side_ = (side: Side) => {
    const [person, tray] = [seatOf?.(side), trayView(side)];
    return person || tray ? <div class="side">{person}{tray}</div> : null;
  };
  return (
    <div class={`board-stack ${isTiles ? "with-tiles" : ""}`} onPointerMove={move} onPointerUp={up}>
      {side_(top)}
      <div class="board-row">
      {bar}
      <svg
        ref={svg} viewBox={`0 0 ${width} ${height}`} class={`board ${board.style}`} role="application" aria-label={board.title}
        data-turn={turn} data-position={position} data-ready="yes"
        onPointerDown={down} onPointerLeave={(event) => event.pointerType !== "touch" && setHover(null)}
        onContextMenu={(event) => {
          event.preventDefault();
          if (selection && "tile" in selection) reshape(mirrorCells);
        }}
        style={{ width: `min(100%, calc(var(--board-height) * ${(width / height).toFixed(4)}))`, aspectRatio: `${width} / ${height}` }}
      >
        {SHADES}
        <rect x="1" y="1" width={width - 2} height={height - 2} rx="6" class="frame" />
        <rect x={x0} y={y0} width={x1 - x0} height={y1 - y0} class="ground" />
        {board.style === "squares" && board.last.map((at, i) => cell(at, i === 0 ? "last" : "last from"))}
        {board.danger.map((at) => cell(at, "danger"))}
        {selection && "from" in selection && cell(selection.from, "held")}
        <path d={lines.join("")} class="lines" />
        {board.stars.map(([c, r]) => {
          if (board.style === "squares") {
            const [a, b] = seat([c, r]);
            return <circle cx={x0 + (a + (flipped ? 0 : 1)) * w} cy={y0 + (b + (flipped ? 0 : 1)) * h} r="2.6" class="star" />;
          }
          const [x, y] = centre([c, r]);
          return <circle cx={x} cy={y} r={board.style === "points" ? w * 0.09 : w * 0.2} class="star" />;
        })}
        <g class="labels">
          {board.labels.columns.map(([native], c) => label(native, centre([c, 0])[0], top_ / 2))}
          {board.labels.rows.map(([native], r) => label(native, squares ? width - right / 2 : left / 2, centre([0, r])[1]))}
        </g>
        {territory && board.territory.map(([at, side]) => {
          const [x, y] = centre(at);
          return <rect x={x - w * 0.14} y={y - w * 0.14} width={w * 0.28} height={w * 0.28} class={`territory ${side}`} />;
        })}
        <g class="pieces">
          {board.pieces.map((piece) => {
            const [x, y] = centre(piece.at);
            if (piece.tile) return <rect x={x - w / 2 + 0.5} y={y - h / 2 + 0.5} width={w - 1} height={h - 1} rx="2.5" class={`tile ${piece.side}`} />;
            const lifted = drag && selection && "from" in selection && same(selection.from, piece.at);
            return (
              <g key={`${piece.at}`} transform={`translate(${x} ${y})`} class={lifted ? "lifted" : ""}>
                {piece.face ? <g transform={`scale(${Math.min(w, h) / 100})`}><Tablet look={piece} up={up_(piece.side)} /></g> : <Stone side={piece.side} r={w * 0.47} />}
              </g>
            );
          })}
        </g>
        {board.style === "points" && board.last.map((at) => {
          const [x, y] = centre(at);
          return <circle cx={x} cy={y} r={w * 0.22} class={`last-ring ${pieceAt.get(`${at}`)?.side ?? ""}`} />;
        })}
        {board.style === "hollows" && board.last.length > 0 && <path d={border(board.last)} class="last-tile" />}
        {board.ko.map((at) => {
          const [x, y] = centre(at);
          return <rect x={x - w * 0.2} y={y - w * 0.2} width={w * 0.4} height={w * 0.4} class="ko" />;
        })}
        {isTiles && mayMove && board.anchors.map((at) => {
          const [x, y] = centre(at);
          return <circle cx={x} cy={y} r={w * 0.13} class={`anchor ${turn}`} />;
        })}
        <Candidates board={board} turn={turn} candidates={candidates} geometry={{ w, h, centre, border, up: up_ }} />
        <Annotations list={drawn} centre={centre} w={w} />
        <g class="dots">
          {free.map((m) => <circle cx={centre(m.to[0])[0]} cy={centre(m.to[0])[1]} r={w * 0.1} class="dot" data-dot={`${m.to[0]}`} />)}
          {targets.filter((m, i) => targets.findIndex((other) => same(other.to[0], m.to[0])) === i).map((m) => {
            const [x, y] = centre(m.to[0]);
            const capture = pieceAt.has(`${m.to[0]}`);
            return <circle cx={x} cy={y} r={capture ? w * 0.42 : w * 0.15} class={capture ? "dot capture" : "dot"} data-dot={`${m.to[0]}`} />;
          })}
        </g>
        {ghost && (
          <g class={ghostMove ? "ghost good" : "ghost bad"} data-ghost={ghostMove ? "good" : "bad"}>
            {ghost.filter(([c, r]) => c >= 0 && r >= 0 && c < board.columns && r < board.rows).map((at) => {
              const [x, y] = centre(at);
              return <rect x={x - w / 2 + 1} y={y - h / 2 + 1} width={w - 2} height={h - 2} rx="2.5" />;
            })}
          </g>
        )}
        {board.style === "points" && mayMove && hover && !isTiles && board.moves.some((m) => m.to.length === 1 && same(m.to[0], hover)) && (
          <g transform={`translate(${centre(hover)[0]} ${centre(hover)[1]})`} class="shadow"><Stone side={turn} r={w * 0.47} /></g>
        )}
        {/* Cells for pointers, tests and screen readers. */}
        <g class="cells">
          {Array.from({ length: board.rows * board.columns }, (_, i): At => [i % board.columns, Math.floor(i / board.columns)]).map((at) => {
            const [x, y] = centre(at);
            return <rect data-cell={`${at[0]},${at[1]}`} x={x - w / 2} y={y - h / 2} width={w} height={h}><title>{cellName(board, at)}</title></rect>;
          })}
        </g>
        {cursor && !isTiles && cell(cursor, "cursor")}
        {drag && <g transform={`translate(${drag.x} ${drag.y})scale(${Math.min(w, h) / 90})`} class="dragged"><Tablet look={drag.look} up={up_(drag.look.side)} /></g>}
        {promotion && <Promotion at={centre(promotion.at)} w={w} h={h} limit={[width, height]} moves={promotion.moves} look={promotionLook(board, promotion.moves[0], turn)} up={up_(turn)} onChoose={finish} />}
      </svg>
      </div>
      {side_(bottom)}
      {isTiles && (
        <div class="tile-tools">
          <button type="button" disabled={!selection} onClick={() => reshape(turnCells)}>{t("Rotate")} <kbd>R</kbd></button>
          <button type="button" disabled={!selection} onClick={() => reshape(mirrorCells)}>{t("Mirror")} <kbd>F</kbd></button>
          <button type="button" class="primary" disabled={!ghostMove} onClick={place} data-testid="place">{t("Place")} <kbd>Enter</kbd></button>
        </div>
      )}
    </div>
  );
}
