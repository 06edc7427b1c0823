// The studio in a real browser: games by clicks, analyses, an experiment, strangers, a reload.
//
//   node test/browser.mjs [--shots DIR] [ONLY…]
//
// DIST=../crates/studio/dist takes the page from there in place of the one in the program: no need to build the program again.
// Needs Chromium (CHROMIUM, or /usr/bin/chromium) and the program (YOMI, or ../target/debug/yomi). Without them it says so and succeeds:
// the tests of the library need neither.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { root, program, shots, only, scratch, server, base, browser, newPage, open, close, id, moves, until, newGame, cell, legal, dice, click, game, bare, shot } from "./harness.mjs";

const tests = {
  async "an idle server is small"() {
    if (!existsSync(`/proc/${server.pid}/status`)) return console.log("    skipped: there is no /proc here");
    const size = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024;
    console.log(`    ${size.toFixed(1)} MB`);
    assert.ok(size < 30, "at most 30 MB");
  },
  async "a first visit has an opponent"() {
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
    assert.equal(await page.$(".annotation"), null, "a click takes them away");
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
  async "weights by name"() {
    const page = await open();
    await page.$eval(`details:has(${id("player")})`, (details) => (details.open = true));
    const offered = await page.$$eval(`${id("files")} option`, (list) => list.map((option) => option.value).filter(Boolean));
    console.log(`    ${offered.join("; ")}`);
    const nnue = offered.find((player) => player.includes("nnue"));
    await page.selectOption(id("files"), nnue);
    await page.click('[data-color="white"]');
    await page.click(id("new-game"));
    await until("the move of the network", async () => (await moves(page)) === 1);
    await close(page);
  },
  async "games of a learner on the board"() {
    const page = await bare("#learn");
    await page.waitForSelector('[data-learner="runs/learner"]', { state: "attached" });
    await page.$eval('details:has([data-learner="runs/learner"])', (details) => (details.open = true));
    if (!(await page.isChecked('[data-learner="runs/learner"]'))) await page.check('[data-learner="runs/learner"]');
    await page.waitForSelector(id("lesson"));
    await page.click(id("lesson"));
    await page.waitForSelector("svg.board[data-ready]");
    await until("its moves", async () => (await moves(page)) === 4);
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
    console.log(`    reason: ${await page.textContent(id("notice"))}`);
    await close(page);
  },
  async "analysis started, changed, stopped; two side by side"() {
    const page = await open("#analyse?game=minishogi");
    await page.fill(id("lane-player"), "mcss(t=80)");
    await page.dispatchEvent(id("lane-player"), "change");
    const began = Date.now();
    await page.click(id("go"));
    await page.waitForSelector(`${id("root")} tbody tr`);
    console.log(`    first table after ${Date.now() - began} ms`);
    assert.equal((await page.$$(`${id("root")} tbody tr`)).length, 5);
    await page.fill(id("lines"), "3");
    await until("three lines", async () => (await page.$$(`${id("root")} tbody tr`)).length === 3);
    await page.waitForSelector(".candidate");
    await page.click('[data-show="nothing"]');
    assert.equal(await page.$(".candidate"), null);
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
    console.log(`    both stopped after ${Date.now() - stopping} ms`);
    await close(page);
  },
  async "ten frames a second with two searches"() {
    const page = await open("#analyse?game=minishogi");
    const result = await page.evaluate(async () => {
      const socket = new WebSocket(location.href.replace("http", "ws").replace(/#.*/, "") + "ws");
      await new Promise((ready) => (socket.onopen = ready));
      const counts = {};
      socket.onmessage = (event) => {
        const message = JSON.parse(event.data);
        if (message.type === "analysis") counts[message.id] = (counts[message.id] ?? 0) + 1;
      };
      for (const [n, player] of [[1, "mcss(t=80)"], [2, "alpha-beta"]]) socket.send(JSON.stringify({ id: n, do: "search", live: true, game: "minishogi", player }));
      await new Promise((wait) => setTimeout(wait, 3000));
      socket.close();
      return counts;
    });
    console.log(`    frames in 3 s: ${JSON.stringify(result)}`);
    // On a machine with nothing else to do there are thirty of each; one that is shared has fewer.
    assert.ok(result[1] >= 3 && result[2] >= 3, "both searches report while both run");
    await close(page);
  },
  async "a pasted game, its graph and its mistakes"() {
    const page = await open("#analyse?game=minishogi");
    await page.click(`${id("paste")} summary`);
    await page.fill(`${id("paste")} textarea`, "rbsgk/4p/5/P4/KGSBR b - 1 moves 3e4d 5a5c 4d5c 4a3b");
    await page.click(`${id("paste")} button`);
    await until("the moves", async () => (await moves(page)) === 4);
    await page.click(id("review"));
    await until("the whole game", async () => ((await page.getAttribute(".graph-line", "d")) ?? "").split("L").length >= 5, 90_000);
    assert.ok(await page.$(".graph-mark"), "the blunder is marked");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.equal((await page.$$(".moves .current")).length, 1);
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
    assert.equal(await running(), 1);
    await page.context().close();
    await until("the end of the search", async () => (await running()) === 0, 5000);
    await close(other);
  },
  async "an experiment from start to report"() {
    const page = await bare("#experiment");
    await page.click('[data-experiment="s0-fig2"]');
    await page.fill(id("scale"), "0.001");
    await page.waitForSelector(`${id("start")}:not([disabled])`, { timeout: 20_000 });
    await page.click(id("start"));
    await until("the state", async () => (await page.textContent(id("state")).catch(() => "")) !== "");
    await until("the report", async () => /complete|failed/.test((await page.textContent(id("state"))) ?? ""), 120_000);
    assert.equal(await page.textContent(id("state")), "complete");
    await page.waitForSelector(id("run"));
    await close(page);
  },
  async "the league opens its games"() {
    const page = await bare("#league");
    await page.waitForSelector(`${id("ratings")} tbody tr`, { timeout: 60_000 });
    const rows = () => page.$$eval(`${id("ratings")} tbody tr`, (list) => list.length);
    const before = await rows();
    const budget = await page.$eval(`${id("budget")} option:nth-child(3)`, (option) => option.value);
    await page.selectOption(id("budget"), budget);
    await until("fewer players", async () => (await rows()) < before && (await rows()) > 0);
    await page.locator(`${id("results")} tr.link`).first().click();
    await page.waitForSelector(`${id("games")} tr.link`);
    await page.locator(`${id("games")} tr.link`).first().click();
    await page.waitForSelector("svg.board[data-ready]");
    await until("the moves of the game", async () => (await moves(page)) > 5);
    await close(page);
  },
  async "strangers are refused"() {
    const port = new URL(base).port;
    const status = (headers, path = "/") => new Promise((resolve) => {
      const request = http.get({ host: "127.0.0.1", port, path, headers }, (response) => { response.resume(); resolve(response.statusCode); });
      request.on("error", () => resolve(0));
    });
    assert.equal(await status({}), 200);
    assert.equal(await status({ host: "evil.example" }), 403);
    assert.equal(await status({ host: `evil.example:${port}`, origin: `http://evil.example:${port}` }), 403);
    assert.equal(await status({ origin: "http://evil.example" }), 403);
    assert.equal(await status({}, "/../Cargo.toml"), 404);
    // A foreign page in the same browser.
    const page = await (await browser.newContext()).newPage();
    const stranger = http.createServer((_, response) => response.end("<title>stranger</title>"));
    await new Promise((ready) => stranger.listen(0, "127.0.0.1", ready));
    await page.goto(`http://127.0.0.1:${stranger.address().port}/`);
    const heard = await page.evaluate((url) => new Promise((resolve) => {
      const socket = new WebSocket(url);
      socket.onopen = () => resolve("open");
      socket.onerror = () => resolve("refused");
    }), base.replace("http", "ws") + "ws");
    assert.equal(heard, "refused");
    await page.context().close();
    stranger.close();
  },
  async "an exported site plays by itself"() {
    const wasm = process.env.YOMI_WASM ?? join(root, "target/yomi-page.wasm");
    if (!existsSync(wasm)) return console.log(`    skipped: there is no ${wasm} (scripts/wasm_site builds it)`);
    const site = join(scratch, "site");
    const result = spawnSync(program, ["studio", "--export", site, "--runs", join(root, "results"), "--wasm", wasm], { encoding: "utf8" });
    assert.equal(result.status, 0, result.stderr);
    console.log(`    ${result.stdout.trim().replace(scratch, "…")}`);
    const kinds = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json", wasm: "application/wasm", svg: "image/svg+xml" };
    const files = http.createServer((request, response) => {
      const file = join(site, request.url === "/" ? "index.html" : request.url.split("?")[0]);
      if (!existsSync(file)) return response.writeHead(404).end();
      response.writeHead(200, { "content-type": kinds[file.split(".").pop()] ?? "text/plain" }).end(readFileSync(file));
    });
    await new Promise((ready) => files.listen(0, "127.0.0.1", ready));
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en" })).newPage();
    await page.goto(`http://127.0.0.1:${files.address().port}/`);
    await page.waitForSelector("svg.board[data-ready]", { timeout: 60_000 });
    await newGame(page, "minishogi", "black", "level(2)");
    await cell(page, [0, 3]).click();
    await page.waitForSelector(".dot");
    await cell(page, [0, 2]).click();
    await until("the answer of the worker", async () => (await moves(page)) === 2);
    await page.click('[data-tab="analyse"]');
    await page.fill(id("lane-player"), "mcss(t=80)");
    await page.dispatchEvent(id("lane-player"), "change");
    await page.click(id("go"));
    await page.waitForSelector(`${id("root")} tbody tr`, { timeout: 60_000 });
    const before = await page.textContent(id("figures"));
    await until("live reports", async () => (await page.textContent(id("figures"))) !== before);
    await page.click(id("go"));
    await until("the end", async () => (await page.textContent(id("go"))) === "Start");
    await page.click('[data-tab="league"]');
    await page.waitForSelector(`${id("ratings")} tbody tr`, { timeout: 60_000 });
    await page.context().close();
    files.close();
  },
  async "pictures for the documentation"() {
    if (!shots) return console.log("    skipped: --shots DIR takes them");
    const moves_ = encodeURIComponent("7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h 8e8f 8g8f 8b8f");
    const play = await open();
    await newGame(play, "shogi", "black", "");
    for (const move of ["7g7f", "2g2f"]) {
      const state = await legal(play);
      await click(play, state.moves.find((m) => m.move === move), state);
      await until("the answer", async () => (await moves(play)) % 2 === 0 && (await legal(play)).turn === "black");
    }
    await play.waitForFunction(() => document.querySelector("svg.board").dataset.turn === "black");
    await play.$eval(`details:has(${id("player")})`, (details) => (details.open = false));
    await cell(play, [1, 7]).click();
    await play.waitForSelector(".dot");
    await play.evaluate(() => scrollTo(0, 0));
    await shot(play, "play");
    await close(play);
    const analyse = await open(`#analyse?game=shogi&moves=${moves_}`, { viewport: { width: 1440, height: 900 } });
    await analyse.fill(id("lane-player"), "mcss(t=80)");
    await analyse.dispatchEvent(id("lane-player"), "change");
    await analyse.selectOption(id("add-lane"), "alpha-beta");
    for (const lane of [0, 1]) await analyse.locator(id("go")).nth(lane).click();
    await until("two tables", async () => (await analyse.$$(id("root"))).length === 2);
    await new Promise((wait) => setTimeout(wait, 6000));
    await analyse.locator('[data-view="tree"]').first().click();
    await analyse.locator(id("figures")).nth(1).click();
    await shot(analyse, "analyse");
    for (const lane of [0, 1]) await analyse.locator(id("go")).nth(lane).click();
    await close(analyse);
    const learn = await bare("#learn");
    await learn.waitForSelector(".curves canvas");
    await learn.$eval('details:has([data-learner="results/train-minishogi"])', (details) => (details.open = true));
    for (const box of await learn.$$("[data-learner]:checked")) await box.evaluate((input) => input.click());
    await learn.check('[data-learner="results/train-minishogi"]');
    await learn.waitForSelector(id("generations"));
    await shot(learn, "learn");
    await learn.context().close();
    const experiment = await bare("#experiment");
    await experiment.click('[data-experiment="s0-table2"]');
    await experiment.waitForSelector(".figure", { timeout: 60_000 });
    await shot(experiment, "experiment");
    await experiment.context().close();
    const league = await bare("#league");
    await league.waitForSelector(`${id("ratings")} tbody tr`, { timeout: 60_000 });
    await shot(league, "league");
    await league.context().close();
  },
  async "first board, language, theme, phone"() {
    const began = Date.now();
    const page = await open();
    console.log(`    first board after ${Date.now() - began} ms, browser context included`);
    const paint = await page.evaluate(() => performance.getEntriesByName("board")[0]?.startTime ?? performance.now());
    console.log(`    first board ${paint.toFixed(0)} ms after the navigation began`);
    assert.ok(paint < 5000);
    await page.click(id("lang"));
    assert.equal(await page.textContent('[data-tab="play"]'), "対局");
    await page.click(id("theme"));
    await page.setViewportSize({ width: 390, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 391, `the page is ${wide} wide on a phone`);
    await close(page);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (only.length && !only.some((word) => name.includes(word))) continue;
  const began = Date.now();
  try {
    await test();
    console.log(`ok   ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}: ${error.stack ?? error}`);
    if (shots) for (const context of browser.contexts()) for (const page of context.pages()) await page.screenshot({ path: join(shots, "failed.png") }).catch(() => {});
  }
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
server.kill();
rmSync(scratch, { recursive: true, force: true });
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
