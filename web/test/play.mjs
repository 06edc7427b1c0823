// Playing: whole games by clicks, tiles, fingers, clocks, keys, reasons.

import assert from "node:assert/strict";
import { base, cell, click, close, dice, game, id, legal, moves, newGame, newPage, normal, open, say, settled, until } from "./harness.mjs";

/** A tile of this size that can be laid in this number of ways: the cross in one, an F in eight. */
function tileOf(items, size, ways) {
  const turn = (cells) => cells.map(([x, y]) => [-y, x]);
  const mirror = (cells) => cells.map(([x, y]) => [-x, y]);
  const all = (cells) => new Set([0, 1, 2, 3].flatMap((n) => [cells, mirror(cells)].map((now) => { for (let i = 0; i < n; i++) now = turn(now); return normal(now); })));
  return items.find((item) => item.cells.length === size && all(item.cells).size === ways);
}

export const play = {
  async "somebody who comes for the first time has an opponent"() {
    const page = await open();
    const state = await legal(page);
    await click(page, state.moves.find((m) => m.from), state);
    await until("the answer", async () => (await moves(page)) === 2);
    // Moves stand there as people write them, in the language of the page.
    await until("names", async () => /^\s*1\s*[PLNSGBRK][x-]/.test(await page.textContent(`${id("moves")} li`)));
    await page.click(id("lang"));
    await until("names in Japanese", async () => /[歩角飛金銀玉王]/.test(await page.textContent(`${id("moves")} li`)));
    await page.click(id("lang"));
    await page.click(id("hint"));
    await page.waitForSelector(".candidate");
    await page.fill(id("typed"), "nonsense");
    await page.keyboard.press("Enter");
    await until("why it cannot be played", async () => ((await page.textContent(id("notice"))) ?? "").length > 5);
    await page.fill(id("typed"), (await legal(page)).moves[0].move);
    await page.keyboard.press("Enter");
    await until("the typed move and its answer", async () => (await moves(page)) === 4);
    await page.click(id("resign"));
    await page.click(id("rematch"));
    await until("the other colour", async () => (await page.getAttribute("[data-color=white]", "aria-pressed")) === "true");
    await close(page);
  },
  async "weights by name"() {
    const page = await open();
    await page.$eval(`details:has(${id("player")})`, (details) => (details.open = true));
    const offered = await page.$$eval(`${id("files")} option`, (list) => list.map((option) => option.value).filter(Boolean));
    say(`${offered.join("; ")}`);
    const nnue = offered.find((player) => player.includes("nnue"));
    await page.selectOption(id("files"), nnue);
    await page.click('[data-color="white"]');
    await page.click(id("new-game"));
    await until("the move of the network", async () => (await moves(page)) === 1);
    await close(page);
  },
  async "shogi by clicks to a mate"() {
    // A game of alpha-beta against chance: moves, promotions, drops, mate.
    const line = "7i7h 5a4b 2g2f 6c6d 2f2e 8b5b 2e2d 7c7d 2d2c+ 7a6b 2c2b 4a5a 2b1a 1c1d 2h2a+ 4c4d B*2e 5a4a L*4c 4b5a 4c4a+ 5a4a 2e5b+ 6a5b G*3b 4a5a R*4a".split(" ");
    await game("shogi", { choose: ({ moves }, n) => moves.find((m) => m.move === line[n]) });
  },
  async "minishogi against a level"() {
    const random = dice(3);
    await game("minishogi", { color: "black", choose: ({ moves }) => moves[random(moves.length)] });
  },
  async "Go to two passes, with territory"() {
    const random = dice(5);
    await game("go9", { choose: ({ moves }, n) => (n < 16 ? moves.filter((m) => m.to.length)[random(40)] : moves.find((m) => m.to.length === 0)) });
  },
  async "Blokus Duo by tiles to the end"() {
    const random = dice(11);
    await game("blokus-duo", { choose: ({ moves }) => { const large = moves.slice().sort((a, b) => b.to.length - a.to.length); return large[random(Math.min(large.length, 40))]; } });
  },
  async "Othello by clicks to the end"() {
    const random = dice(13);
    await game("othello", { choose: ({ moves }) => moves[random(moves.length)] });
  },
  async "drag, promotion, drops and reasons"() {
    const page = await open(`#analyse?game=shogi&moves=${encodeURIComponent("7g7f 3c3d")}`);
    // Bishop takes bishop by drag; the choice stands at the square.
    const from = await cell(page, [1, 7]).boundingBox();
    const to = await cell(page, [7, 1]).boundingBox();
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2 + 9, to.y + to.height / 2 - 9, { steps: 4 });
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 2 });
    await page.mouse.up();
    await page.waitForSelector('[data-promote="yes"]');
    await page.click('[data-promote="yes"]');
    await until("the capture", async () => (await moves(page)) === 3);
    await until("White's turn", async () => (await page.getAttribute("svg.board", "data-turn")) === "white");
    await cell(page, [6, 0]).click();
    await cell(page, [7, 1]).click();
    await until("the recapture", async () => (await moves(page)) === 4);
    await until("the bishop in hand", async () => (await page.getAttribute("svg.board", "data-turn")) === "black");
    await page.locator('[data-tray="black"] [data-item="B"]').click();
    await page.waitForSelector(".dot");
    await cell(page, [4, 4]).click();
    await until("the drop", async () => (await moves(page)) === 5);
    await until("White's turn", async () => (await page.getAttribute("svg.board", "data-turn")) === "white");
    // A pawn cannot go there: the reason is one line.
    await cell(page, [0, 2]).click();
    await cell(page, [3, 5]).click();
    await until("the reason", async () => ((await page.textContent(id("notice"))) ?? "").length > 5);
    say(`reason: ${await page.textContent(id("notice"))}`);
    await close(page);
  },
  async "a tile by wheel, R, Space, F, Enter, and its ghost"() {
    const page = await open("#play?game=blokus-duo");
    const tile = tileOf((await legal(page)).tray[0].items, 5, 8);
    await page.locator(`[data-tray="black"] [data-item="${tile.tile}"]`).click();
    await cell(page, [9, 9]).hover();
    // In cells, not in the units of the picture.
    const unit = await cell(page, [1, 0]).evaluate((rect) => Number(rect.getAttribute("width")));
    const shape = async () => normal(await page.$$eval(".ghost rect", (list, unit) => list.map((rect) => ["x", "y"].map((side) => Math.round(Number(rect.getAttribute(side)) / unit))), unit));
    const cells = (text) => text.split(" ").map((at) => at.split(",").map(Number));
    const turned = (text) => normal(cells(text).map(([x, y]) => [-y, x]));
    const mirrored = (text) => normal(cells(text).map(([x, y]) => [-x, y]));
    const becomes = (what, wanted) => until(what, async () => (await shape()) === wanted);
    const start = normal(tile.cells);
    await becomes("the tile as it lies in the tray", start);
    assert.equal(await page.getAttribute(".ghost", "data-ghost"), "bad", "it does not cover e10");
    await page.keyboard.press("r");
    await becomes("R turns it", turned(start));
    await page.mouse.wheel(0, 100);
    await becomes("the wheel turns it on", turned(turned(start)));
    await page.mouse.wheel(0, -100);
    await page.mouse.wheel(0, -100);
    await becomes("and back", start);
    await page.keyboard.press("f");
    await becomes("F mirrors it", mirrored(start));
    await cell(page, [9, 9]).click({ button: "right" });
    await becomes("the right button mirrors it back", start);
    const seen = new Set();
    for (let i = 0; i < 8; i++) {
      seen.add(await shape());
      const before = await shape();
      await page.keyboard.press(" ");
      await until("Space gives another way to lay it", async () => (await shape()) !== before);
    }
    assert.equal(seen.size, 8, "Space goes through all eight ways to lay it");
    await becomes("and comes round", start);
    assert.equal(await moves(page), 0, "nothing was placed by all that");
    // Enter where it may not lie says why; where it may, it places it.
    await page.keyboard.press("Enter");
    await until("the reason", async () => /covers e10/.test((await page.textContent(id("notice"))) ?? ""));
    await cell(page, [4, 4]).hover();
    await page.waitForSelector('.ghost[data-ghost="good"]');
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    await page.waitForSelector('.ghost[data-ghost="bad"]');
    for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
    await page.waitForSelector('.ghost[data-ghost="good"]');
    await page.keyboard.press("Enter");
    await until("the tile on the board", async () => (await moves(page)) === 1);
    await until("its five squares", async () => (await page.$$(".pieces .tile.black")).length === 5);
    // The next by its letter.
    await until("White's turn", async () => (await page.getAttribute("svg.board", "data-turn")) === "white");
    const cross = tileOf((await legal(page)).tray[1].items, 5, 1).tile;
    await page.keyboard.press(`Shift+${cross.toUpperCase()}`);
    await page.waitForSelector(`[data-tray="white"] [data-item="${cross}"].selected`);
    await cell(page, [9, 9]).click();
    await until("placed by a click", async () => (await moves(page)) === 2);
    await close(page);
  },
  async "fingers on a phone"() {
    const phone = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };
    const page = await open("#play?game=blokus-duo", phone);
    const { tray } = await legal(page);
    await page.locator(`[data-tray="black"] [data-item="${tileOf(tray[0].items, 5, 1).tile}"]`).tap();
    await cell(page, [7, 7]).tap();
    await page.waitForSelector('.ghost[data-ghost="bad"]');
    await cell(page, [4, 4]).tap();
    await page.waitForSelector('.ghost[data-ghost="good"]');
    assert.equal(await moves(page), 0, "a tap lays the ghost, it does not place");
    await page.locator(id("place")).tap();
    await until("the tile by the button", async () => (await moves(page)) === 1);
    await until("White's turn", async () => (await page.getAttribute("svg.board", "data-turn")) === "white");
    await page.locator(`[data-tray="white"] [data-item="${tileOf(tray[1].items, 5, 8).tile}"]`).tap();
    await cell(page, [9, 9]).tap();
    await page.waitForSelector(".ghost");
    const before = await page.$$eval(".ghost rect", (list) => list.map((rect) => rect.getAttribute("x") + rect.getAttribute("y")).join());
    await page.getByRole("button", { name: /Rotate/ }).tap();
    await until("turned by the button", async () => (await page.$$eval(".ghost rect", (list) => list.map((rect) => rect.getAttribute("x") + rect.getAttribute("y")).join())) !== before);
    await cell(page, [9, 9]).tap();
    await until("a second tap on the ghost places it", async () => (await moves(page)) === 2);
    await close(page);
    const shogi = await open("#play?game=shogi", phone);
    await cell(shogi, [2, 6]).tap();
    await shogi.waitForSelector(".dot");
    await cell(shogi, [2, 5]).tap();
    await until("a move by two taps", async () => (await moves(shogi)) === 1);
    await close(shogi);
  },
  async "undo, resign, flip, colours, watching"() {
    const page = await open();
    await newGame(page, "minishogi", "white", "level(1)");
    await until("the first move of Black", async () => (await moves(page)) === 1);
    const low = async () => (await cell(page, [0, 4]).boundingBox()).y > (await cell(page, [0, 0]).boundingBox()).y;
    await until("White below", async () => !(await low()));
    const state = await legal(page);
    await click(page, state.moves.find((m) => m.from && !m.promotes), state);
    await until("the answer", async () => (await moves(page)) === 3);
    await page.click(id("undo"));
    await until("back to my own turn", async () => (await moves(page)) === 1 && (await legal(page)).turn === "white");
    await page.click(id("flip"));
    await until("the board turned", low);
    await page.keyboard.press("f");
    await until("and turned back by F", async () => !(await low()));
    await page.click(id("resign"));
    await until("the result", async () => /White resigned: black wins/.test(await page.textContent(id("result"))));
    await page.click('[data-color="random"]');
    await page.click(id("new-game"));
    await until("a game", async () => (await page.$$eval("[data-seat]", (list) => list.map((seat) => seat.textContent).join())).includes("You"));
    await page.click('[data-color="watch"]');
    await page.click(id("new-game"));
    await until("two engines at play", async () => (await moves(page)) >= 4);
    await close(page);
  },
  async "clocks"() {
    const page = await newPage();
    await page.clock.install();
    await page.goto(base);
    await page.waitForSelector("svg.board[data-ready]");
    await page.click('[data-color="both"]');
    await page.$eval(`details:has(${id("player")})`, (details) => (details.open = true));
    await page.check(id("clock"));
    // From here on time passes only when the test says so. It stops a minute ahead: on a busy machine the order to stop may be late.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await page.click(id("new-game"));
    const clock = (side) => page.textContent(`[data-seat="${side}"] .clock`);
    await until("full clocks", async () => (await clock("black")) === "5:00" && (await clock("white")) === "5:00");
    await page.clock.runFor(10_000);
    await until("ten seconds gone", async () => (await clock("black")) === "4:50");
    assert.equal(await clock("white"), "5:00", "only the side to move loses time");
    const state = await legal(page);
    await click(page, state.moves.find((m) => m.from), state);
    await until("White's turn", async () => (await page.getAttribute("svg.board", "data-turn")) === "white");
    await page.clock.runFor(7_000);
    await until("seven seconds gone", async () => (await clock("white")) === "4:53");
    await page.clock.runFor(4 * 60_000 + 53_000);
    await until("byoyomi", async () => /^\d+ s$/.test(await clock("white")));
    assert.equal(await page.$(id("result")), null);
    await page.clock.runFor(11_000);
    await until("the end", async () => /White out of time: black wins/.test(await page.textContent(id("result"))));
    await page.context().close();
  },
  async "keys and their overlay"() {
    const page = await open(`#analyse?game=minishogi&moves=${encodeURIComponent("5d5c 1b1c 4e4d")}`);
    await page.keyboard.press("?");
    await page.waitForSelector(".overlay");
    await until("all keys", async () => (await page.$$(".overlay dt")).length >= 14);
    await page.keyboard.press("Escape");
    await until("the overlay closed", async () => (await page.$(".overlay")) === null);
    await page.click(id("keys"));
    await page.click(".overlay");
    await until("closed by a click", async () => (await page.$(".overlay")) === null);
    const current = () => page.$$eval(`${id("moves")} button`, (list) => list.findIndex((b) => b.classList.contains("current")) + 1);
    const at = (n) => until(`move ${n}`, async () => (await current()) === n);
    await at(3);
    for (const [key, n] of [["ArrowLeft", 2], ["Home", 0], ["ArrowRight", 1], ["End", 3]]) {
      await page.keyboard.press(key);
      await at(n);
    }
    await cell(page, [2, 2]).hover();
    await page.mouse.wheel(0, -100);
    await at(2);
    for (const [key, name] of [["3", "experiment"], ["4", "learn"], ["5", "league"], ["1", "play"], ["2", "analyse"]]) {
      await page.keyboard.press(key);
      await page.waitForSelector(`[data-tab="${name}"][aria-current="page"]`);
    }
    // No letter means anything in a field.
    await page.click(`${id("paste")} summary`);
    await page.fill(`${id("paste")} textarea`, "");
    await page.type(`${id("paste")} textarea`, "1f?");
    assert.equal(await page.$(".overlay"), null);
    assert.equal(await page.inputValue(`${id("paste")} textarea`), "1f?");
    await close(page);
  },
  async "why a move is illegal, in one line"() {
    const cases = [
      ["shogi", "4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "", ["P", [4, 4]], /nifu/, "二歩です"],
      ["shogi", "7nk/9/8G/9/9/9/9/9/4K4 b P 1", "", ["P", [8, 1]], /uchifuzume/, "打ち歩詰め"],
      ["shogi", "4k4/4r4/9/9/9/9/9/4G4/4K4 b - 1", "", [[4, 7], [3, 7]], /stand in check/, "王手を放置"],
      ["go5", ".w.../w..../...../...../..... b", "", [[0, 0]], /suicide/, "着手禁止点です"],
      ["go5", "", "C3", [[2, 2]], /stone already/, "すでに石があります"],
      ["go5", ".bw../bw.w./.bw../...../..... b C4 0 0:1", "", [[2, 1]], /ko/, "コウ"],
      ["othello", "", "", [[0, 0]], /flips nothing/, "石を返せません"],
    ];
    const page = await open();
    for (const [game, position, line, [first, second], english, japanese] of cases) {
      await page.goto(`${base}#play?${new URLSearchParams({ game, ...(position ? { position } : {}), ...(line ? { moves: line } : {}) })}`);
      await until(`${game} on the board`, async () => (await page.evaluate(() => JSON.parse(localStorage.getItem("yomi.game")).game)) === game && (await page.$eval("svg.board", (svg) => svg.getAttribute("aria-label"))) !== null);
      await settled(page);
      for (const words of [english, ...(japanese ? [new RegExp(japanese)] : [])]) {
        if (typeof first === "string") await page.locator(`[data-tray="black"] [data-item="${first}"]`).click();
        else await cell(page, first).click();
        if (second) await cell(page, second).click();
        await until(`${words} in ${game}`, async () => words.test((await page.textContent(id("notice"))) ?? ""));
        assert.ok(!(await page.textContent(id("notice"))).includes("\n"));
        const box = await page.locator(id("notice")).boundingBox();
        assert.ok(box.height < 46, `one line, not ${box.height} high`);
        await page.click(id("notice"));
        if (japanese) await page.click(id("lang"));
      }
      assert.equal(await moves(page), line ? 1 : 0, "nothing was played");
    }
    await close(page);
  },
  async "promotion refused, forced, and a drop by drag"() {
    const page = await open(`#play?${new URLSearchParams({ game: "shogi", position: "4k4/8P/9/9/9/9/9/1B7/4K4 b P 1" })}`);
    await cell(page, [8, 1]).click();
    await cell(page, [8, 0]).click();
    // A pawn on the last rank could never move again: nothing is asked.
    await until("the forced promotion", async () => (await moves(page)) === 1);
    await until("the sign of promotion", async () => /\+/.test(await page.textContent(`${id("moves")} li`)));
    await page.click(id("undo"));
    await until("taken back", async () => (await moves(page)) === 0);
    await settled(page);
    await cell(page, [1, 7]).click();
    await cell(page, [7, 1]).click();
    await page.click('[data-promote="no"]');
    await until("the bishop as it is", async () => (await moves(page)) === 1);
    await until("its name", async () => /=/.test(await page.textContent(`${id("moves")} li`)));
    await page.click(id("undo"));
    await until("taken back", async () => (await moves(page)) === 0);
    await settled(page);
    const from = await page.locator('[data-tray="black"] [data-item="P"]').boundingBox();
    const to = await cell(page, [4, 4]).boundingBox();
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2 + 8, to.y + to.height / 2 + 8, { steps: 5 });
    await page.waitForSelector(".dragged");
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2);
    await page.mouse.up();
    await until("the drop by drag", async () => (await moves(page)) === 1);
    await close(page);
  },
  async "Go: pass by the button, territory on the board"() {
    const page = await open("#play?game=go5&moves=C3 C2 B3 D2 D3 B2 E3 E2 A3 A2".replaceAll(" ", "%20"));
    assert.equal((await page.$$(".territory")).length, 0);
    for (const n of [11, 12]) {
      await page.click(id("pass"));
      await until(`pass ${n}`, async () => (await moves(page)) === n);
    }
    await page.waitForSelector(id("result"));
    await until("territory", async () => (await page.$$(".territory.black")).length === 10 && (await page.$$(".territory.white")).length === 5);
    await close(page);
  },
  async "a reload in the middle loses nothing"() {
    const page = await open();
    await newGame(page, "minishogi", "black", "mcss(t=80) sims=300");
    const state = await legal(page);
    await click(page, state.moves.find((m) => m.from), state);
    await page.reload();
    await page.waitForSelector("svg.board[data-ready]");
    await until("the answer after the reload", async () => (await moves(page)) === 2);
    await page.click(id("undo"));
    await until("the move taken back", async () => (await moves(page)) === 0);
    await page.click(id("resign"));
    await page.waitForSelector(id("result"));
    await page.reload();
    await page.waitForSelector(id("result"));
    await close(page);
  },
};
