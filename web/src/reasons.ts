// Why a move cannot be played, which the rules say in English, in the language of the page.

import { lang } from "./i18n";

const SIDE: Record<string, string> = { Black: "先手", White: "後手" };
const JA: [RegExp, string][] = [
  [/^there is no such square or piece$/, "そのようなマスや駒はありません"],
  [/^the game is over(: both sides have passed)?$/, "対局は終わっています"],
  [/^there is no piece on that square$/, "そのマスに駒がありません"],
  [/^that piece belongs to the other side$/, "相手の駒です"],
  [/^there is no such piece in hand$/, "その駒は持ち駒にありません"],
  [/^a piece of the same side stands there$/, "自分の駒があります"],
  [/^pieces are dropped on empty squares only$/, "駒のあるマスには打てません"],
  [/^the piece does not move there$/, "その駒はそこへは動けません"],
  [/^that piece does not promote$/, "その駒は成れません"],
  [/^the move neither begins nor ends in the promotion zone$/, "敵陣に関わらない手では成れません"],
  [/^the piece must promote, for it could never move again$/, "行き所がなくなるため、成らなければなりません"],
  [/^a piece dropped there could never move again$/, "行き所のない駒は打てません"],
  [/^there is another pawn in that file \(nifu\)$/, "二歩です"],
  [/^the king would stand in check$/, "王手を放置することはできません"],
  [/^a dropped pawn may not mate \(uchifuzume\)$/, "打ち歩詰めです"],
  [/^there is a stone already$/, "すでに石があります"],
  [/^the ko may not be taken back at once$/, "コウはすぐに取り返せません"],
  [/^the stone would have no liberty: suicide is forbidden$/, "着手禁止点です"],
  [/^(Black|White) has a move and may not pass$/, "$1は打てる手があるためパスできません"],
  [/^(Black|White) has used the piece (\S+) already$/, "$1はピース $2 を使いました"],
  [/^(\S+) is taken$/, "$1 はふさがっています"],
  [/^(\S+) touches a piece of (Black|White) along an edge$/, "$1 が$2のピースと辺で接しています"],
  [/^the piece touches no piece of (Black|White) by a corner$/, "$1のピースと角で接していません"],
  [/^the first piece of (Black|White) covers (.+)$/, "$1の最初のピースは $2 を含めて置きます"],
  [/^these squares form no piece$/, "このマスの組み合わせのピースはありません"],
  [/^there is a move, so passing is not allowed$/, "打てる手があるためパスできません"],
  [/^no disc flips anything here: pass$/, "返せる石がありません。パスしてください"],
  [/^a disc on (\S+) flips nothing$/, "$1 に打っても石を返せません"],
];

/** The reason in one line; what has no translation stays as it is. */
export function reason(text: string): string {
  const line = text.split("\n")[0];
  if (lang.value !== "ja") return line;
  const [, move, why] = /^(\S+) is illegal: (.+)$/.exec(line) ?? /^([A-T]\d+): (.+)$/.exec(line) ?? ["", "", line];
  const found = JA.find(([pattern]) => pattern.test(why));
  if (!found) return line;
  const words = why.replace(...found).replace(/Black|White/g, (side) => SIDE[side]);
  return move ? `${move}: ${words}` : words;
}
