// Boards: squares, points and hollows, drawn from the program's board report. One component for every game.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "./i18n";
import type { At, BoardReport, Item, Look, Route, Side } from "./types";
import outlines from "../../crates/games/src/draw/glyphs/kanji.txt?raw";

const GLYPHS = new Map(
  outlines.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
);

/** A move under consideration, as it is drawn on the board. */
export interface Candidate {
  move: string;
  /** 0 to 1: width and strength. */
  weight: number;
  label: string;
  best: boolean;
}

export interface BoardProps {
  board: BoardReport;
  flipped: boolean;
  /** The side a person may move; none if it is nobody's turn. */
  movable: Side | "both" | null;
  turn: Side;
  candidates?: Candidate[];
  territory?: boolean;
  onMove(move: string): void;
  onIllegal(text: string): void;
  onWheel?(by: number): void;
}

type Selection = { from: At } | { item: number } | { tile: string; cells: At[] } | null;

const same = (a: At, b: At) => a[0] === b[0] && a[1] === b[1];
const key = (cells: At[]) => cells.map((c) => `${c[0]},${c[1]}`).sort().join(" ");

/** The name of a cell as it stands in moves. */
export function cellName(board: BoardReport, [column, row]: At): string {
  const [c, r] = [board.labels.columns[column]?.[1] ?? "", board.labels.rows[row]?.[1] ?? ""];
  return board.labels.row_first ? r + c : c + r;
}

const turnCells = (cells: At[]): At[] => normal(cells.map(([x, y]) => [-y, x]));
const mirrorCells = (cells: At[]): At[] => normal(cells.map(([x, y]) => [-x, y]));
function normal(cells: At[]): At[] {
  const [x, y] = [Math.min(...cells.map((c) => c[0])), Math.min(...cells.map((c) => c[1]))];
  return cells.map(([a, b]): At => [a - x, b - y]).sort((a, b) => a[1] - b[1] || a[0] - b[0]);
}
/** Every way to lay a tile, each once, in the order in which Space goes through them. */
function orientations(cells: At[]): At[][] {
  const found: At[][] = [];
  let now = normal(cells);
  for (let i = 0; i < 8; i++) {
    if (!found.some((other) => key(other) === key(now))) found.push(now);
    now = i === 3 ? mirrorCells(now) : turnCells(now);
  }
  return found;
}

/** A pentagon with its character, in a box of 100 by 100 around 0. */
export function Tablet({ look, up }: { look: Look; up: boolean }) {
  const size = look.size ?? 1;
  const glyph = look.face ? GLYPHS.get(look.face) : undefined;
  return (
    <g transform={`${up ? "" : "rotate(180) "}scale(${size})`} class="tablet">
      <path d="M0-46 28-33 38 42H-38L-28-33z" class="tablet-body" />
      {glyph ? (
        <path d={glyph} transform="translate(-27 -27)scale(.54)" class={look.promoted ? "tablet-ink promoted" : "tablet-ink"} />
      ) : (
        <text y="14" class="tablet-letter">{look.letter}</text>
      )}
    </g>
  );
}

function Stone({ side, r }: { side: Side; r: number }) {
  return <circle r={r} class={`stone ${side}`} fill={`url(#stone-${side})`} />;
}

/** Light from the upper left, in flat colours that the themes share. */
const SHADES = (
  <defs>
    <radialGradient id="stone-black" cx=".35" cy=".3" r=".75"><stop offset="0" stop-color="#5a5b60" /><stop offset=".55" stop-color="#232326" /><stop offset="1" stop-color="#0c0c0e" /></radialGradient>
    <radialGradient id="stone-white" cx=".35" cy=".3" r=".8"><stop offset="0" stop-color="#ffffff" /><stop offset=".6" stop-color="#efece4" /><stop offset="1" stop-color="#c9c4b7" /></radialGradient>
  </defs>
);

export function Board(props: BoardProps) {
  const { board, flipped, movable, turn, candidates = [], territory, onMove, onIllegal, onWheel } = props;
  const svg = useRef<SVGSVGElement>(null);
  const [selection, setSelection] = useState<Selection>(null);
  const [promotion, setPromotion] = useState<{ at: At; moves: Route[] } | null>(null);
  const [hover, setHover] = useState<At | null>(null);
  const [drag, setDrag] = useState<{ look: Look; x: number; y: number } | null>(null);
  const press = useRef<{ x: number; y: number; was: boolean; touch: boolean } | null>(null);
  const mayMove = movable === "both" || movable === turn;

  // A new position ends whatever was begun on the old one, before anything can be begun on it.
  const identity = board.title + key(board.pieces.map((piece) => piece.at)) + turn;
  useLayoutEffect(() => {
    setSelection(null);
    setPromotion(null);
    setDrag(null);
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
  const routes = useMemo(() => new Map(board.moves.map((route) => [route.move, route])), [board]);
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
    // Whoever must promote is not asked.
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
    if (event.button !== 0) return;
    const at = cellOf(event);
    if (!at) return;
    const was = selection !== null && "from" in selection && same(selection.from, at);
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
    const dragged = drag !== null;
    setDrag(null);
    if (at && press.current) {
      if (selection && "tile" in selection) {
        // A finger lays the ghost down; the button or a second tap on it places the tile.
        if (!press.current.touch) place();
        else if (ghostMove && ghost?.some((cell) => same(cell, at)) && hover && same(hover, at)) place();
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

  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement) return;
      if (event.key === "Escape") {
        setSelection(null);
        setPromotion(null);
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
  const drawn = candidates.map((c) => ({ ...c, route: routes.get(c.move) })).filter((c) => c.route).sort((a, b) => a.weight - b.weight);
  const outline = (cells: At[]) =>
    cells.map((at) => {
      const [x, y] = centre(at);
      return `M${x - w / 2} ${y - h / 2}h${w}v${h}h${-w}z`;
    }).join("");
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
  return (
    <div class={`board-stack ${isTiles ? "with-tiles" : ""}`} onPointerMove={move} onPointerUp={up}>
      {trayView(top)}
      <svg
        ref={svg} viewBox={`0 0 ${width} ${height}`} class={`board ${board.style}`} role="application" aria-label={board.title}
        data-turn={turn} data-ready="yes"
        onPointerDown={down} onPointerLeave={(event) => event.pointerType !== "touch" && setHover(null)}
        onContextMenu={(event) => {
          if (selection && "tile" in selection) {
            event.preventDefault();
            reshape(mirrorCells);
          }
        }}
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
        <g class="candidates">
          {drawn.map(({ route, weight, label, best, move: text }) => {
            const cls = best ? "candidate best" : "candidate";
            if (route!.from || route!.item !== undefined) {
              const to = centre(route!.to[0]);
              const edge: [number, number] = [to[0], up_(turn) ? y1 + 6 : y0 - 6];
              const from = route!.from ? centre(route!.from) : edge;
              return (
                <g class={cls} data-move={text}>
                  <path d={arrow(from, to, w * (0.08 + 0.15 * weight))} style={{ opacity: 0.45 + 0.4 * weight }} />
                  {label && <Plate x={from[0] + (to[0] - from[0]) * 0.6} y={from[1] + (to[1] - from[1]) * 0.6} text={label} />}
                </g>
              );
            }
            if (route!.to.length === 1) {
              const [x, y] = centre(route!.to[0]);
              return (
                <g class={cls} data-move={text}>
                  <circle cx={x} cy={y} r={w * 0.44} style={{ opacity: 0.4 + 0.5 * weight }} />
                  <text x={x} y={y + w * 0.13} style={{ fontSize: `${w * 0.36}px` }} class="on-disc">{label}</text>
                </g>
              );
            }
            if (route!.to.length === 0) return null;
            const n = route!.to.length;
            const [x, y] = route!.to.map(centre).reduce((s, c) => [s[0] + c[0] / n, s[1] + c[1] / n], [0, 0]);
            return (
              <g class={cls} data-move={text}>
                <path d={outline(route!.to)} style={{ opacity: 0.25 + 0.4 * weight }} />
                {label && weight > 0.3 && <Plate x={x} y={y} text={label} />}
              </g>
            );
          })}
        </g>
        <g class="dots">
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
        {drag && <g transform={`translate(${drag.x} ${drag.y})scale(${Math.min(w, h) / 90})`} class="dragged"><Tablet look={drag.look} up={up_(drag.look.side)} /></g>}
        {promotion && <Promotion at={centre(promotion.at)} w={w} h={h} limit={[width, height]} moves={promotion.moves} look={promotionLook(board, promotion.moves[0], turn)} up={up_(turn)} onChoose={finish} />}
      </svg>
      {trayView(bottom)}
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

function promotionLook(board: BoardReport, route: Route, turn: Side): Look {
  const piece = board.pieces.find((piece) => route.from && same(piece.at, route.from));
  return piece ?? { side: turn };
}

const PROMOTED: Record<string, string> = { 飛: "龍", 角: "馬", 銀: "全", 桂: "圭", 香: "杏", 歩: "と" };

/** The choice at the square: promote first. */
function Promotion(props: { at: [number, number]; w: number; h: number; limit: [number, number]; moves: Route[]; look: Look; up: boolean; onChoose(move: string): void }) {
  const { at, w, h, limit, moves, look, up, onChoose } = props;
  const y = Math.min(Math.max(at[1] - h / 2, 2), limit[1] - 2 * h - 2);
  return (
    <g class="promotion">
      <rect x={at[0] - w / 2 - 2} y={y - 2} width={w + 4} height={2 * h + 4} rx="5" class="promotion-box" />
      {moves.slice(0, 2).map((route, i) => {
        const face = route.promotes ? (PROMOTED[look.face ?? ""] ?? look.face) : look.face;
        return (
          <g data-promote={route.promotes ? "yes" : "no"} class="choice" onPointerDown={(e) => e.stopPropagation()} onPointerUp={(e) => { e.stopPropagation(); onChoose(route.move); }}>
            <rect x={at[0] - w / 2} y={y + i * h} width={w} height={h} rx="4" />
            <g transform={`translate(${at[0]} ${y + (i + 0.5) * h})scale(${Math.min(w, h) / 100})`}>
              <Tablet look={{ ...look, face, promoted: route.promotes }} up={up} />
            </g>
          </g>
        );
      })}
    </g>
  );
}

function Plate({ x, y, text }: { x: number; y: number; text: string }) {
  const width = text.length * 7 + 8;
  return (
    <g class="plate">
      <rect x={x - width / 2} y={y - 8.5} width={width} height="17" rx="8.5" />
      <text x={x} y={y + 4.3}>{text}</text>
    </g>
  );
}

function arrow(from: [number, number], to: [number, number], width: number): string {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.max(1, Math.hypot(dx, dy));
  const [ux, uy] = [dx / length, dy / length];
  const point = (along: number, across: number) => `${(from[0] + ux * along - uy * across).toFixed(1)} ${(from[1] + uy * along + ux * across).toFixed(1)}`;
  const half = width / 2;
  const head = Math.min(width * 1.5 + 5, length * 0.6);
  const wing = half + width * 0.6 + 2;
  return `M${point(Math.min(8, length * 0.15), half)}L${point(length - head, half)}L${point(length - head, wing)}L${point(length, 0)}L${point(length - head, -wing)}L${point(length - head, -half)}L${point(Math.min(8, length * 0.15), -half)}Z`;
}

function TrayView(props: { items: Item[]; side: Side; up: boolean; title: string; active: boolean; selected(item: Item, index: number): boolean; onPick(item: Item, index: number, event: PointerEvent): void }) {
  const { items, side, up, title, active, selected, onPick } = props;
  const tiles = items.some((item) => item.cells.length > 0);
  return (
    <div class={`tray ${side} ${tiles ? "tiles" : "hand"} ${active ? "active" : ""}`} data-tray={side} aria-label={title}>
      {items.map((item, index) => (
        <button
          type="button" key={index} class={`item ${selected(item, index) ? "selected" : ""}`} disabled={item.count === 0}
          data-item={tiles ? item.tile : (item.letter ?? String(index))} aria-label={`${item.tile ?? item.letter} × ${item.count}`}
          onPointerDown={(event) => onPick(item, index, event)}
        >
          {tiles ? <TileIcon cells={item.cells} side={side} /> : (
            <svg viewBox="-50 -50 100 100" class="hand-piece"><Tablet look={item} up={up} /></svg>
          )}
          {!tiles && item.count > 1 && <span class="count">{item.count}</span>}
        </button>
      ))}
    </div>
  );
}

function TileIcon({ cells, side }: { cells: At[]; side: Side }) {
  const [columns, rows] = [Math.max(...cells.map((c) => c[0])) + 1, Math.max(...cells.map((c) => c[1])) + 1];
  return (
    <svg viewBox={`0 0 ${columns * 10} ${rows * 10}`} class="tile-icon" style={{ width: `${columns * 9}px`, height: `${rows * 9}px` }}>
      {cells.map(([x, y]) => <rect x={x * 10 + 0.4} y={y * 10 + 0.4} width="9.2" height="9.2" rx="1.5" class={`tile ${side}`} />)}
    </svg>
  );
}
