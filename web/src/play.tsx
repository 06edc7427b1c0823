// Playing: against a level, against any player that can be typed, against each other, or watching.

import { useState } from "preact/hooks";
import { ask } from "./backend";
import { BoardView } from "./boardview";
import { sideName, t } from "./i18n";
import { askHint, begin, end, hint, movable, pass, record, rematch, setup, spent, thinking, typed, undo } from "./match";
import { MoveList } from "./moves";
import { caption, inWords } from "./names";
import { GamePicker, Opponent } from "./newgame";
import { catalog, copy, download, flipped, game, link, match, place, shown, tab } from "./state";
import type { Side } from "./types";

function time(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** A seat in words: a person, a level with its strength, or the player as it was typed. */
export function seatName(seat: string): string {
  if (seat === "human") return t("You");
  const level = /^level\((\d)\)/.exec(seat);
  if (!level) return seat;
  const elo = catalog.value?.games.find((entry) => entry.name === game.value.game.split("(")[0])?.levels.find((entry) => entry.level === Number(level[1]))?.elo;
  return `Yomi · ${t("Level")} ${level[1]}${elo == null ? "" : ` · ${elo} Elo`}`;
}

export function SeatView({ side }: { side: Side }) {
  const playing = match.value;
  const now = shown.value;
  const turn = now?.position.turn === side && !now.position.outcome && !game.value.ending;
  const seat = playing?.seats[side];
  const clock = playing?.clock;
  const name = seat ? seatName(seat) : game.value.names[side === "black" ? 0 : 1];
  const both = playing?.seats.black === "human" && playing.seats.white === "human";
  return (
    <div class={`seat ${turn ? "turn" : ""}`} data-seat={side}>
      <span class={`chip ${side} ${game.value.game.split("-")[0].replace(/\d.*/, "")}`} />
      <span class="seat-name" title={seat ?? name}>{sideName(side)}{name && name !== "human" && !both ? ` · ${name}` : ""}</span>
      {thinking.value === side && <span class="spinner" aria-label={t("thinking…")} />}
      {clock && <span class={`clock ${turn && clock.left[side] <= 0 ? "low" : ""}`}>{clock.left[side] > 0 ? time(clock.left[side]) : turn ? `${Math.max(0, clock.byoyomi - Math.floor(spent.value))} s` : `${clock.byoyomi} s`}</span>}
    </div>
  );
}

/** How it ended; nothing while it goes on. */
export function outcome(): string {
  const now = shown.value;
  if (!now) return "";
  const { ending } = game.value;
  const loser = now.position.turn;
  const winner = t(loser === "black" ? "white wins" : "black wins");
  if (now.position.outcome) return `${t(now.position.outcome)}${now.position.score ? ` (${now.position.score})` : ""}`;
  if (ending === "resign") return `${sideName(loser)} ${t("resigned")}: ${winner}`;
  return ending === "time" ? `${sideName(loser)} ${t("out of time")}: ${winner}` : "";
}

export function Result() {
  const text = outcome();
  if (!text) return null;
  const playing = match.value;
  const mine = playing && (playing.seats.black === "human") !== (playing.seats.white === "human") ? (playing.seats.black === "human" ? "black" : "white") : null;
  const winner = shown.value?.position.outcome?.split(" ")[0] ?? (game.value.ending ? (shown.value?.position.turn === "black" ? "white" : "black") : "");
  return (
    <div class="result">
      <p>{mine && winner !== "draw" && <b>{t(winner === mine ? "You win!" : "You lose.")} </b>}<span data-testid="result">{text}</span></p>
    </div>
  );
}

export function Caption() {
  const now = shown.value;
  return <p class="caption">{caption(now?.board.caption ?? "")}{now?.last ? ` · ${inWords(now.last, now.moves[now.moves.length - 1] ?? "")}` : ""}</p>;
}

/** The game in the formats that others read. */
export function Exchange() {
  const formats: Record<string, string> = { kif: "KIF", kifu: "KIF", csa: "CSA", sgf: "SGF", blksgf: "BLKSGF", usi: "USI" };
  const [files, setFiles] = useState<{ ending: string; text: string }[]>([]);
  const load = () => void record().then((r) => setFiles(r.files.filter((file) => file.ending !== "position")));
  return (
    <details class="exchange" data-testid="exchange" onToggle={(e) => e.currentTarget.open && load()} key={place.value.moves}>
      <summary>{t("Copy and save")}</summary>
      <div class="bar">
        <button type="button" data-testid="copy-position" onClick={() => copy(shown.value?.position.position ?? "")}>{t("Copy")} {game.value.game.includes("shogi") ? "SFEN" : t("position")}</button>
        <button type="button" data-testid="copy-link" onClick={() => copy(link())}>{t("Copy link")}</button>
        <button type="button" onClick={() => void savePicture()}>{t("Save picture")}</button>
      </div>
      <div class="bar">
        {files.map((file) => (
          <span class="pair" key={file.ending}>
            <button type="button" onClick={() => copy(file.text)}>{t("Copy")} {formats[file.ending] ?? file.ending.toUpperCase()}</button>
            <button type="button" aria-label={`${t("Save")} ${file.ending}`} onClick={() => download(`${game.value.game.split("(")[0]}.${file.ending}`, file.text)}>↓</button>
          </span>
        ))}
      </div>
    </details>
  );
}

export function MoveEntry() {
  const [text, setText] = useState("");
  return (
    <form class="entry" onSubmit={(e) => { e.preventDefault(); void typed(text).then((played) => played && setText("")); }}>
      <input type="text" value={text} spellcheck={false} autocomplete="off" placeholder={t("type a move")} aria-label={t("type a move")} title={shown.value?.examples} data-testid="typed" onInput={(e) => setText(e.currentTarget.value)} />
    </form>
  );
}

export function Play() {
  const [showTerritory, setTerritory] = useState(false);
  const s = setup.value;
  const now = shown.value;
  const over = outcome() !== "";
  const playing = match.value && !match.value.over && !over;
  const hasPass = now?.board.moves.some((m) => m.to.length === 0 && m.from === undefined) ?? false;
  const counted = (now?.board.territory.length ?? 0) > 0;
  const hinted = hint.value && hint.value.at === place.value.moves ? [{ move: hint.value.move, weight: 1, label: "", best: true }] : [];
  const pick = (name: string) => {
    setup.value = { ...s, game: name };
    // Where nothing has been played nothing is lost: the board changes at once.
    if (game.value.nodes.length === 1 || over) begin();
  };
  return (
    <div class="page two">
      <section class="stage">
        <BoardView movable={movable.value} candidates={hinted} territory={showTerritory || (!!now?.position.outcome && counted)} seat={(side) => <SeatView side={side} />} navigate />
        {over ? <Result /> : <Caption />}
        <div class="bar actions">
          {over && match.value && <button type="button" class="primary" data-testid="rematch" onClick={rematch}>{t("Play again")}</button>}
          <button type="button" onClick={undo} disabled={game.value.nodes.length === 1} data-testid="undo">{t("Undo")}</button>
          {hasPass && !over && <button type="button" onClick={pass} disabled={!movable.value} data-testid="pass">{t("Pass")}</button>}
          {!over && <button type="button" onClick={() => void askHint()} disabled={!movable.value} data-testid="hint">{t("Hint")}</button>}
          {!over && <button type="button" onClick={() => end("resign")} disabled={!playing} data-testid="resign">{t("Resign")}</button>}
          <button type="button" data-testid="flip" onClick={() => (flipped.value = !flipped.value)}>{t("Flip board")}</button>
          {counted && <button type="button" aria-pressed={showTerritory} onClick={() => setTerritory(!showTerritory)}>{t("Territory")}</button>}
          <button type="button" onClick={() => (tab.value = "analyse")}>{t("Analyse this game")}</button>
        </div>
      </section>
      <aside class="panel">
        <h2>{t("Moves")}</h2>
        <MoveList />
        {!over && <MoveEntry />}
        <Exchange />
        <h2>{t("New game")}</h2>
        <GamePicker value={s.game} onPick={pick} />
        <Opponent />
        <button type="button" class="primary wide" onClick={begin} data-testid="new-game">{t("New game")}</button>
      </aside>
    </div>
  );
}

export async function savePicture() {
  const night = document.documentElement.dataset.theme === "dark";
  const answer = await ask<{ svg: string }>({ do: "picture", ...place.value, turned: flipped.value, night });
  download(`${game.value.game.split("(")[0]}.svg`, answer.svg, "image/svg+xml");
}
