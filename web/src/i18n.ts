// English and Japanese. A word that is missing in Japanese is shown in English.

import { signal } from "@preact/signals";

export type Lang = "en" | "ja";
const stored = localStorage.getItem("yomi.lang") as Lang | null;
export const lang = signal<Lang>(stored ?? (navigator.language.startsWith("ja") ? "ja" : "en"));

export function setLang(value: Lang) {
  lang.value = value;
  localStorage.setItem("yomi.lang", value);
  document.documentElement.lang = value;
}
document.documentElement.lang = lang.value;

const JA: Record<string, string> = {
  Play: "対局",
  Analyse: "検討",
  Experiment: "実験",
  Learn: "学習",
  League: "成績",
  "New game": "新しい対局",
  Opponent: "相手",
  Level: "レベル",
  "Player string": "プレイヤー指定",
  "You play": "あなたの手番",
  Black: "先手",
  White: "後手",
  Random: "ランダム",
  "Both sides": "両方",
  "Nobody (watch)": "観戦",
  Clock: "時計",
  off: "なし",
  minutes: "分",
  "byoyomi (s)": "秒読み",
  Undo: "待った",
  Resign: "投了",
  Pass: "パス",
  "Flip board": "盤面反転",
  Hint: "ヒント",
  "Analyse this game": "この対局を検討",
  "Copy record": "棋譜をコピー",
  "Copy link": "リンクをコピー",
  "Save picture": "図を保存",
  Keys: "キー操作",
  Game: "ゲーム",
  Rules: "ルール",
  Moves: "指し手",
  "thinking…": "思考中…",
  "your move": "あなたの番です",
  "to move": "の番",
  "black wins": "先手の勝ち",
  "white wins": "後手の勝ち",
  draw: "引き分け",
  "resigned": "投了",
  "out of time": "時間切れ",
  "Territory": "地",
  "Promote": "成る",
  "Keep": "不成",
  "Place": "置く",
  "Rotate": "回転",
  "Mirror": "裏返す",
  "Paste a position or a game": "局面・棋譜を貼り付け",
  "Read": "読み込む",
  "or drop a file here": "ファイルをここにドロップしても読めます",
  "Start": "開始",
  "Stop": "停止",
  "Pause": "一時停止",
  "Resume": "再開",
  "Add a method": "手法を追加",
  "Show on board": "盤上に表示",
  "nothing": "なし",
  "visits": "訪問数",
  "value": "評価",
  "prior": "事前確率",
  "selection": "選択確率",
  "Lines": "候補数",
  "Temperature": "温度",
  "Nodes per depth": "深さごとの節点数",
  "Tree": "探索木",
  "Analyse the whole game": "棋譜全体を解析",
  "Budget per move": "一手の予算",
  "move": "手",
  "Q": "評価",
  "depth": "深さ",
  "line": "読み筋",
  "win": "勝率",
  "Evaluation of the game": "形勢グラフ",
  "mistakes": "悪手",
  "worst first": "悪い順",
  "Experiments": "実験一覧",
  "scale": "規模",
  "seed": "シード",
  "jobs": "並列",
  "Games": "対局",
  "Run": "実行結果",
  "Question": "問い",
  "complete": "完了",
  "running": "実行中",
  "paused": "停止中",
  "failed": "失敗",
  "published": "論文",
  "measured": "測定",
  "verdict": "判定",
  "open": "開く",
  "Runs": "実行結果",
  "command": "コマンド",
  "Copy": "コピー",
  "Learners": "学習の記録",
  "Horizontal axis": "横軸",
  "player": "プレイヤー",
  "games": "対局数",
  "score": "得点率",
  "filter": "絞り込み",
  "All games": "すべて",
  "Results": "対戦結果",
  "connection lost, trying again": "接続が切れました。再接続中",
  "this site shows results only": "このサイトは結果の閲覧のみです",
  "No runs were found.": "実行結果がありません。",
  "Load": "読み込み",
  "Settings": "設定",
};

/** The word in the language of the page. */
export function t(word: string): string {
  return lang.value === "ja" ? (JA[word] ?? word) : word;
}

const GAMES: Record<string, [string, string]> = {
  shogi: ["Shogi", "将棋"],
  minishogi: ["Minishogi", "5五将棋"],
  go9: ["Go 9×9", "囲碁 9路"],
  go13: ["Go 13×13", "囲碁 13路"],
  go19: ["Go 19×19", "囲碁 19路"],
  "blokus-duo": ["Blokus Duo", "ブロックスデュオ"],
  othello: ["Othello", "オセロ"],
  "connect-four": ["Connect Four", "四目並べ"],
  "tic-tac-toe": ["Tic-tac-toe", "三目並べ"],
  nim: ["Nim", "ニム"],
};

export function gameName(game: string): string {
  const name = game.split("(")[0];
  const rules = game.slice(name.length);
  const known = GAMES[name]?.[lang.value === "ja" ? 1 : 0] ?? name.replace(/^go(\d+)$/, "Go $1×$1");
  return known + (rules ? ` ${rules}` : "");
}

export function sideName(side: string): string {
  return t(side === "black" ? "Black" : "White");
}
