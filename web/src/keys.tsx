// Keys, and the overlay that lists them. No single key destroys anything.

import { signal } from "@preact/signals";
import { lang, t } from "./i18n";
import { flipped, preview, step, tab, TABS, variation } from "./state";

export const overlay = signal(false);

const KEYS: [string, string, string][] = [
  ["← →", "one move back, one forward", "一手戻る・進む"],
  ["Home End", "first and last position", "最初・最後の局面"],
  ["↑ ↓", "other variations", "別の変化"],
  ["wheel", "through the moves (on the board)", "盤上でホイール: 指し手を移動"],
  ["F", "flip the board; with a tile in hand: mirror it", "盤面反転・ピースを裏返す"],
  ["R, wheel", "rotate the tile in hand", "ピースを回転"],
  ["Space", "next orientation of the tile", "ピースの次の向き"],
  ["Shift+letter", "take the tile of that letter", "その文字のピースを持つ"],
  ["Enter", "place the tile", "ピースを置く"],
  ["C", "a cursor on the board: arrows move it, Enter takes and puts", "盤上カーソル(矢印で移動、Enterで選択)"],
  ["right-click", "a ring; dragged: an arrow; with Shift in another colour", "右クリックで丸、右ドラッグで矢印(Shiftで別の色)"],
  ["Esc", "let go; end a preview", "選択解除"],
  ["1 … 5", "the pages", "ページ切替"],
  ["A", "start or stop the analysis", "検討の開始・停止"],
  ["H", "candidates on the board, on or off", "候補手の表示切替"],
  ["?", "this list", "この一覧"],
];

/** Keys that a page adds while it is shown. */
export const actions: Record<string, () => void> = {};

window.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, textarea, select")) return;
  const go: Record<string, () => void> = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => variation(-1),
    ArrowDown: () => variation(1),
    Home: () => step(-9999),
    End: () => step(9999),
    f: () => (flipped.value = !flipped.value),
    "?": () => (overlay.value = !overlay.value),
    Escape: () => {
      overlay.value = false;
      preview.value = null;
    },
  };
  const onBoards = tab.value === "play" || tab.value === "analyse";
  const index = Number(event.key) - 1;
  const act = TABS[index] ? () => (tab.value = TABS[index]) : (actions[event.key] ?? (onBoards || event.key === "?" || event.key === "Escape" ? go[event.key] : undefined));
  if (!act) return;
  event.preventDefault();
  act();
});

export function Overlay() {
  if (!overlay.value) return null;
  return (
    <div class="overlay" role="dialog" aria-label={t("Keys")} onClick={() => (overlay.value = false)}>
      <div class="overlay-box">
        <h2>{t("Keys")}</h2>
        <dl>{KEYS.map(([keys, en, ja]) => <><dt>{keys.split(" ").map((k) => <kbd>{k}</kbd>)}</dt><dd>{lang.value === "ja" ? ja : en}</dd></>)}</dl>
      </div>
    </div>
  );
}
