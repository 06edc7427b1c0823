// Analysing: searches side by side, what they show on the board, records, trees.

import assert from "node:assert/strict";
import { cell, click, close, id, legal, moves, newPage, open, say, until } from "./harness.mjs";

export const analyse = {
  async "a cursor by keys, rings and arrows, variations, a link"() {
    const page = await open("#analyse?game=minishogi");
    await page.keyboard.press("c");
    await page.waitForSelector(".cursor");
    // From the middle to the pawn at the left, two cells down from there; then one up.
    for (const key of ["ArrowLeft", "ArrowLeft", "ArrowDown", "Enter", "ArrowUp", "Enter"]) await page.keyboard.press(key);
    await until("the move by keys", async () => (await moves(page)) === 1);
    await page.keyboard.press("Escape");
    const [a, b] = [await cell(page, [1, 1]).boundingBox(), await cell(page, [2, 3]).boundingBox()];
    await page.mouse.move(a.x + 20, a.y + 20);
    await page.mouse.down({ button: "right" });
    await page.mouse.move(b.x + 20, b.y + 20, { steps: 3 });
    await page.mouse.up({ button: "right" });
    await page.waitForSelector("path.annotation");
    await cell(page, [3, 3]).click({ button: "right" });
    await page.waitForSelector("circle.annotation");
    await cell(page, [2, 2]).click();
    await until("a click to take them away", async () => (await page.$(".annotation")) === null);
    // Another first move is a variation of this one.
    await page.keyboard.press("ArrowLeft");
    await until("the start", async () => (await page.getAttribute("svg.board", "data-turn")) === "black");
    const state = await legal(page);
    await click(page, state.moves.find((m) => m.from && `${m.from}` !== "0,3"), state);
    await page.waitForSelector(id("variations"));
    const link = await page.evaluate(() => new Promise((resolve) => {
      navigator.clipboard.writeText = async (text) => resolve(text);
      document.querySelector('[data-testid="exchange"]').open = true;
      document.querySelector('[data-testid="copy-link"]').click();
    }));
    const other = await newPage();
    await other.goto(link);
    await until("the position of the link", async () => (await moves(other)) === 1);
    await other.context().close();
    await close(page);
  },
  async "a tree is saved, found and walked through"() {
    const page = await open("#analyse?game=minishogi&moves=5d5c");
    await page.fill(id("lane-player"), "mcss(t=80) sims=3000");
    await page.dispatchEvent(id("lane-player"), "change");
    await page.click(id("go"));
    await until("the end of the search", async () => (await page.textContent(id("go"))) === "Start" && (await page.$(id("figures"))));
    await page.click('[data-view="tree"]');
    await page.click(id("save-tree"));
    await page.waitForSelector(id("trees"));
    // Another visit: the tree is still there, and brings its position.
    const later = await open("#analyse?game=go9");
    await later.click(`${id("trees")} summary`);
    await later.click('[data-tree="minishogi-mcss-1"]');
    await later.waitForSelector(`${id("trees")} .tree-node`);
    await until("its position", async () => (await later.getAttribute("svg.board", "data-turn")) === "white");
    await later.locator(`${id("trees")} .tree-node`).nth(1).click();
    await until("the node below", async () => (await later.$$(`${id("tree")} p button`)).length === 2);
    await close(later);
    await close(page);
  },
  async "analysis started, changed, stopped; two side by side"() {
    const page = await open("#analyse?game=minishogi");
    // A search ends when its tree is full, with the usual evaluation after a few seconds; a network fills it too slowly for that.
    await page.fill(id("lane-player"), "mcss(t=80) + net(random=2x32)");
    await page.dispatchEvent(id("lane-player"), "change");
    const began = Date.now();
    await page.click(id("go"));
    await page.waitForSelector(`${id("root")} tbody tr`);
    say(`first table after ${Date.now() - began} ms`);
    await until("five lines", async () => (await page.$$(`${id("root")} tbody tr`)).length === 5);
    await page.fill(id("lines"), "3");
    await until("three lines", async () => (await page.$$(`${id("root")} tbody tr`)).length === 3);
    await page.waitForSelector(".candidate");
    await page.click('[data-show="nothing"]');
    await until("a board without candidates", async () => (await page.$(".candidate")) === null);
    await page.click('[data-show="visits"]');
    await page.selectOption(id("add-lane"), "alpha-beta");
    await page.locator(id("go")).nth(1).click();
    await until("the second table", async () => (await page.$$(id("root"))).length === 2);
    const figure = () => page.locator(id("figures")).first().textContent();
    const before = await figure();
    await until("the first goes on", async () => (await figure()) !== before);
    // The temperature changes the tree: the search begins again, and the bars with it.
    await page.locator('[data-view="depths"]').first().click();
    await page.waitForSelector(id("depths"));
    await page.locator(id("temperature")).first().fill("10");
    await until("the other temperature", async () => (await page.inputValue(id("lane-player"))).includes("t=10"));
    await page.locator('[data-view="tree"]').first().click();
    await page.waitForSelector(`${id("tree")} .tree-node`);
    const stopping = Date.now();
    await page.locator(id("go")).first().click();
    await page.locator(id("go")).nth(1).click();
    await until("both stopped", async () => (await page.$$eval(id("go"), (list) => list.every((b) => b.textContent === "Start"))));
    say(`both stopped after ${Date.now() - stopping} ms`);
    await close(page);
  },
  async "hovering over a line shows it on the board"() {
    const page = await open("#analyse?game=minishogi");
    await page.fill(id("lane-player"), "mcss(t=80) sims=4000");
    await page.dispatchEvent(id("lane-player"), "change");
    await page.click(id("go"));
    await until("the end of the search", async () => (await page.textContent(id("go"))) === "Start" && (await page.$(`${id("root")} td.pv span`)));
    const pieces = () => page.$$eval(".pieces > g", (list) => list.map((g) => g.getAttribute("transform")).sort().join());
    const turn = () => page.getAttribute("svg.board", "data-turn");
    const start = await pieces();
    const row = page.locator(`${id("root")} tbody tr`).first();
    await row.locator("td").first().hover();
    await until("the first move", async () => (await turn()) === "white" && (await pieces()) !== start);
    assert.equal(await page.$(".candidate"), null, "candidates of the position before are not drawn on it");
    await page.mouse.wheel(0, 100);
    await until("the second by the wheel", async () => (await turn()) === "black" && (await page.$$(`${id("root")} .pv .seen`)).length === 1);
    await page.mouse.wheel(0, -100);
    await until("and back", async () => (await turn()) === "white");
    await row.locator("td.pv span").nth(1).hover();
    await until("the third, under the pointer", async () => (await page.$$(`${id("root")} .pv .seen`)).length === 2);
    await page.mouse.move(5, 400);
    await until("the position again", async () => (await pieces()) === start && (await turn()) === "black");
    assert.equal(await moves(page), 0, "nothing was played");
    await row.locator("td").first().click();
    await until("a click plays it", async () => (await moves(page)) === 1);
    await close(page);
  },
  async "heat and candidates, shown and hidden"() {
    for (const game of ["go9", "blokus-duo"]) {
      const page = await open(`#analyse?game=${game}`);
      await page.click(id("go"));
      await page.waitForSelector(game === "go9" ? "circle.heat" : "rect.heat");
      await page.waitForSelector(game === "go9" ? ".candidate.best" : ".heat-best");
      const figures = () => page.textContent(id("figures"));
      await page.click('[data-show="nothing"]');
      await until("an empty board", async () => (await page.$(".candidate, .heat")) === null);
      const before = await figures();
      await until("a search that goes on unseen", async () => (await figures()) !== before);
      assert.equal(await page.$(".candidate, .heat"), null);
      await page.keyboard.press("h");
      await page.waitForSelector(".heat");
      await page.keyboard.press("h");
      await until("hidden by H", async () => (await page.$(".candidate, .heat")) === null);
      for (const show of ["prior", "selection", "value", "visits"]) {
        await page.click(`[data-show="${show}"]`);
        await page.waitForSelector(".candidate");
      }
      await page.click(id("go"));
      await until("the end", async () => (await page.textContent(id("go"))) === "Start");
      await close(page);
    }
  },
  async "positions and records, pasted, dropped and opened"() {
    const kif = "手合割：平手\n先手：甲\n後手：乙\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n";
    const records = [
      ["SFEN", "a.sfen", "4k4/9/9/9/9/9/9/9/4K4 b RB 1", "shogi", 0],
      ["position", "a.txt", "position sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 3e4d 5a5c 4d5c", "minishogi", 3],
      ["KIF", "a.kif", kif, "shogi", 4],
      ["KI2", "a.ki2", "手合割：平手\n\n▲７六歩 △３四歩 ▲２二角成\n", "shogi", 3],
      ["CSA", "a.csa", "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n", "shogi", 3],
      ["SGF", "a.sgf", "(;GM[1]SZ[9]KM[6.5]PB[甲]PW[B];B[ee];W[cc];B[gg];W[])", "go9(komi=6.5)", 4],
      ["blksgf", "a.blksgf", "(;GM[Blokus Duo];B[e10,e9,d9];W[j5,j6])", "blokus-duo", 2],
    ];
    const page = await open("#analyse?game=go9");
    const game = () => page.evaluate(() => JSON.parse(localStorage.getItem("yomi.game")));
    const other = async () => {
      await page.$eval('details:has([data-game="othello"])', (details) => (details.open = true));
      await page.click('[data-game="othello"]');
      await until("another game before", async () => (await game()).game === "othello" && (await moves(page)) === 0);
    };
    const ways = {
      async drop(name, text) {
        const data = await page.evaluateHandle(([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name)); return data; }, [name, text]);
        await page.dispatchEvent(".page.analyse", "drop", { dataTransfer: data });
      },
      async paste(_, text) {
        await page.evaluate((text) => { const data = new DataTransfer(); data.setData("text", text); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true })); }, text);
      },
      async box(_, text) {
        await page.$eval(id("paste"), (details) => (details.open = true));
        await page.fill(`${id("paste")} textarea`, text);
        await page.click(`${id("paste")} button.primary`);
      },
      file: (name, text) => page.setInputFiles(id("file"), { name, mimeType: "text/plain", buffer: Buffer.from(text) }),
    };
    for (const [what, name, text, rules, plies] of records)
      for (const [way, bring] of Object.entries(ways)) {
        if (way === "box" && what !== "SFEN" || way === "file" && what !== "KIF") continue;
        await other();
        await bring(name, text);
        await until(`${what} by ${way}`, async () => (await game()).game === rules && (await moves(page)) === plies);
      }
    // Names of the players stand at the board; old files are in Shift_JIS.
    const old = Buffer.from([0x8e, 0xe8, 0x8d, 0x87, 0x8a, 0x84, 0x81, 0x46, 0x95, 0xbd, 0x8e, 0xe8, 0x0a, 0x90, 0xe6, 0x8e, 0xe8, 0x81, 0x46, 0x8d, 0x62, 0x0a, 0x20, 0x31, 0x20, 0x82, 0x56, 0x98, 0x5a, 0x95, 0xe0, 0x28, 0x37, 0x37, 0x29, 0x0a]);
    await other();
    await page.setInputFiles(id("file"), { name: "old.kif", mimeType: "text/plain", buffer: old });
    await until("a record in Shift_JIS", async () => (await moves(page)) === 1 && (await page.textContent('[data-seat="black"]')).includes("甲"));
    // Nonsense is refused, and the board stays as it was.
    await ways.paste("", "this is no game");
    await until("what is wrong", async () => ((await page.textContent(id("notice"))) ?? "").length > 5);
    assert.equal(await moves(page), 1);
    // What is copied is what is read.
    await page.$eval(id("exchange"), (details) => (details.open = true));
    await page.waitForSelector(`${id("exchange")} .pair`);
    const formats = await page.$$eval(`${id("exchange")} .pair button:first-child`, (list) => list.map((b) => b.textContent).join());
    assert.match(formats, /KIF.*CSA/);
    await close(page);
  },
  async "the temperature changes the tree, and lines change, while it runs"() {
    const page = await open("#analyse?game=minishogi");
    await page.fill(id("lane-player"), "mcss(t=200)");
    await page.dispatchEvent(id("lane-player"), "change");
    await page.click(id("go"));
    await page.waitForSelector(id("figures"));
    await page.click('[data-view="depths"]');
    const bars = () => page.$$eval(`${id("depths")} rect`, (list) => list.map((rect) => Number(rect.querySelector("title").textContent.split(": ")[1])));
    // As many nodes in both trees, so that only their shape differs: more than a new tree has in its first picture, however quick the machine is.
    const many = 300_000;
    const grown = async (what) => {
      let found = [];
      await until(what, async () => (found = await bars()).reduce((a, b) => a + b, 0) > many);
      return found;
    };
    const hot = await grown("a tree at T = 200");
    await page.fill(id("temperature"), "5");
    // It has fewer nodes than the other one had; soon it has more.
    const nodes = hot.reduce((a, b) => a + b, 0);
    await until("a tree begun again", async () => (await bars()).reduce((a, b) => a + b, 0) < nodes);
    const cold = await grown("a tree at T = 5");
    say(`deepest level ${hot.length - 1} at T = 200, ${cold.length - 1} at T = 5`);
    assert.ok(cold.length > hot.length, "a cold tree is narrow and deep");
    assert.match(await page.inputValue(id("lane-player")), /t=5\)/);
    // The number of lines, of a method that has all of them and of one that must be asked for them.
    await page.click('[data-view="moves"]');
    const rows = () => page.$$eval(`${id("root")} tbody tr`, (list) => list.length);
    // With a network, which does not fill the tree meanwhile.
    for (const player of ["mcss(t=5) + net(random=2x32)", "alpha-beta"]) {
      await page.fill(id("lane-player"), player);
      await page.dispatchEvent(id("lane-player"), "change");
      for (const lines of [2, 7]) {
        await page.fill(id("lines"), String(lines));
        await until(`${lines} lines of ${player}`, async () => (await rows()) === lines);
        assert.equal(await page.textContent(id("go")), "Stop", "it runs on");
      }
    }
    await page.click(id("go"));
    await until("the end", async () => (await page.textContent(id("go"))) === "Start");
    await close(page);
  },
  async "a pasted game, its graph and its mistakes"() {
    const page = await open("#analyse?game=minishogi");
    await page.click(`${id("paste")} summary`);
    await page.fill(`${id("paste")} textarea`, "rbsgk/4p/5/P4/KGSBR b - 1 moves 3e4d 5a5c 4d5c 4a3b");
    await page.click(`${id("paste")} button`);
    await until("the moves", async () => (await moves(page)) === 4);
    await page.click(id("review"));
    await until("the whole game", async () => ((await page.getAttribute(".graph-line", "d")) ?? "").split("L").length >= 5);
    await page.waitForSelector(".graph-mark");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await until("one current move", async () => (await page.$$(".moves .current")).length === 1);
    await close(page);
  },
  async "a search ends with its page"() {
    const page = await open("#analyse?game=minishogi");
    await page.click(id("go"));
    await page.waitForSelector(id("figures"));
    const other = await open("#analyse?game=minishogi");
    const running = () => other.evaluate(() => new Promise((resolve) => {
      const socket = new WebSocket(location.href.replace("http", "ws").replace(/#.*/, "") + "ws");
      socket.onopen = () => socket.send('{"id":1,"do":"catalog"}');
      socket.onmessage = (event) => { socket.close(); resolve(JSON.parse(event.data).studio.running); };
    }));
    // Those of the pages before have left, and this one goes on.
    await until("one search", async () => (await running()) === 1);
    await page.context().close();
    await until("the end of the search", async () => (await running()) === 0);
    await close(other);
  },
};
