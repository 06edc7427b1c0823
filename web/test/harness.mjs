// A studio of its own, Chromium, and what a person does at a page: for browser.mjs.

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, "../..");
export const program = process.env.YOMI ?? join(root, "target/debug/yomi");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
for (const [what, path] of [["Chromium", browserPath], ["the program", program]]) {
  if (!existsSync(path)) {
    console.log(`skipped: ${what} is not at ${path}`);
    process.exit(0);
  }
}
const { chromium } = await import("playwright-core");

const arguments_ = process.argv.slice(2);
const shotsAt = arguments_.indexOf("--shots");
export const shots = shotsAt >= 0 ? arguments_.splice(shotsAt, 2)[1] : null;
export const only = arguments_;

export const scratch = mkdtempSync(join(tmpdir(), "yomi-studio-"));
// A learner's run, as `yomi learn` leaves one.
mkdirSync(join(scratch, "runs/learner"), { recursive: true });
writeFileSync(join(scratch, "runs/learner/curves.jsonl"), [1, 2, 3].map((step) => JSON.stringify({ step, games: 32 * step, loss: 1 / step }) + "\n").join(""));
writeFileSync(join(scratch, "runs/learner/games.jsonl"), [1, 2, 3].map((step) => JSON.stringify({ step, number: 32 * (step - 1), game: "minishogi", result: "1-0", moves: "3e4d 5a5c 4d5c 4a3b".split(" ").slice(0, step + 1).join(" ") }) + "\n").join(""));
const folders = ["--runs", join(scratch, "runs"), "--runs", join(root, "results"), "--trees", join(scratch, "trees"), "--weights", join(root, "weights")];
export const server = spawn(program, ["studio", "--port", "0", "--no-open", ...folders], { stdio: ["ignore", "pipe", "inherit"] });
export const base = await new Promise((ready, failed) => {
  let text = "";
  server.stdout.on("data", (data) => {
    text += data;
    const url = /http:\/\/\S+\//.exec(text)?.[0];
    if (url) ready(url);
  });
  server.on("exit", () => failed(new Error("the studio ended")));
});
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// A page that comes from elsewhere is a stranger to loopback.
if (process.env.DIST) flags.push("--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,LocalNetworkAccessChecksWebRTC");
/** How long is waited for anything, in milliseconds: time decides nothing but that a page that hangs fails, on however busy a machine. */
const PATIENCE = 600_000;
export const browser = await chromium.launch({ executablePath: browserPath, args: flags, timeout: PATIENCE });
/** What the test that runs has opened and has to say. */
export const running = new AsyncLocalStorage();
export const say = (text) => running.getStore().notes.push(text);
export async function newContext(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en", ...options });
  context.setDefaultTimeout(PATIENCE);
  running.getStore().contexts.push(context);
  return context;
}
export async function newPage(options = {}) {
  const context = await newContext(options);
  const page = await context.newPage();
  if (process.env.DIST) {
    await context.route(`${base}**`, (route) => {
      const file = resolve(process.env.DIST, new URL(route.request().url()).pathname.slice(1) || "index.html");
      return existsSync(file) ? route.fulfill({ path: file }) : route.continue();
    });
  }
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  return page;
}

export async function open(path = "", options = {}) {
  const page = await newPage(options);
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  await page.goto(base + path);
  await page.waitForSelector("svg.board[data-ready]");
  return page;
}
export const close = async (page) => {
  assert.deepEqual(page.problems, [], "the console of the page is quiet");
  await page.context().close();
};
export const id = (name) => `[data-testid="${name}"]`;
export const moves = (page) => page.$$eval(`${id("moves")} li:not(.empty)`, (list) => list.length);
export async function until(what, check) {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end) {
    if (await check()) return;
    await new Promise((wait) => setTimeout(wait, 40));
  }
  throw new Error(`waited too long for ${what}`);
}
export async function newGame(page, game, color, level) {
  await page.click(`[data-tab="play"]`);
  await page.click(`[data-game="${game}"]`);
  await page.click(`[data-color="${color}"]`);
  await page.$eval(`details:has(${id("player")})`, (details) => (details.open = true));
  await page.fill(id("player"), level);
  await page.dispatchEvent(id("player"), "change");
  await page.click(id("new-game"));
  await until("an empty list of moves", async () => (await moves(page)) === 0 || color === "white");
}
export const cell = (page, [c, r]) => page.locator(`[data-cell="${c},${r}"]`);
export const over = (page) => page.$(id("result"));
/** What the page knows of the legal moves: from its last answer, which the page keeps to itself, so the server is asked beside it. */
export async function legal(page) {
  return page.evaluate(async () => {
    const game = JSON.parse(localStorage.getItem("yomi.game"));
    const line = [];
    for (let at = game.at; at > 0; at = game.nodes[at].parent) line.unshift(game.nodes[at].move);
    return new Promise((resolve) => {
      const socket = new WebSocket(location.href.replace("http", "ws").replace(/#.*/, "") + "ws");
      socket.onopen = () => socket.send(JSON.stringify({ id: 1, do: "show", game: game.game, position: game.position, moves: line.join(" ") }));
      socket.onmessage = (event) => {
        socket.close();
        const answer = JSON.parse(event.data);
        resolve({ position: answer.position.position, moves: answer.board.moves, turn: answer.position.turn, outcome: answer.position.outcome, tray: answer.board.trays, rows: answer.board.rows, columns: answer.board.columns });
      };
    });
  });
}
/** Waits until the board shows the position that the page keeps. */
export async function settled(page) {
  const { position } = await legal(page);
  await until("the position on the board", async () => (await page.getAttribute("svg.board", "data-position")) === position);
}
/** A generator of numbers that is the same in every run. */
export function dice(seed) {
  return (n) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return (seed >> 8) % n;
  };
}
/** Plays one move by clicks. */
export async function click(page, route, state) {
  if (route.to.length === 0) return page.click(id("pass"));
  if (route.from) await cell(page, route.from).click();
  if (route.item !== undefined) await page.locator(`[data-tray="${state.turn}"] .item`).nth(route.item).click();
  if (route.from || route.item !== undefined) await page.waitForSelector(".dot");
  await cell(page, route.to[0]).click();
  const choice = page.locator(`[data-promote="${route.promotes ? "yes" : "no"}"]`);
  if (route.from && state.moves.filter((m) => m.from && `${m.from}` === `${route.from}` && `${m.to[0]}` === `${route.to[0]}`).length > 1) await choice.click();
}
/** Cells moved into the corner, as text. */
export const normal = (cells) => {
  const [x, y] = [Math.min(...cells.map((c) => c[0])), Math.min(...cells.map((c) => c[1]))];
  return cells.map(([a, b]) => `${a - x},${b - y}`).sort().join(" ");
};
/** Takes the tile, turns and mirrors it until it lies as wanted, and puts it there. */
export async function clickTile(page, route, state) {
  const size = route.to.length;
  const wanted = normal(route.to);
  const shapes = (cells) => {
    const found = [];
    let now = cells;
    for (let i = 0; i < 8; i++) {
      found.push(normal(now));
      now = i === 3 ? now.map(([x, y]) => [-x, y]) : now.map(([x, y]) => [-y, x]);
    }
    return found;
  };
  const tray = state.tray.find((tray) => tray.side === state.turn);
  const item = tray.items.find((item) => item.count > 0 && item.cells.length === size && shapes(item.cells).includes(wanted));
  await page.locator(`[data-tray="${state.turn}"] [data-item="${item.tile}"]`).click();
  const n = route.to.length;
  const [mx, my] = [route.to.reduce((s, c) => s + c[0], 0) / n, route.to.reduce((s, c) => s + c[1], 0) / n];
  const ordered = route.to.slice().sort((a, b) => Math.hypot(a[0] - mx, a[1] - my) - Math.hypot(b[0] - mx, b[1] - my));
  for (const anchor of ordered.slice(0, 3)) {
    await cell(page, anchor).hover();
    for (let i = 0; i < 9; i++) {
      const ghost = await page.$$eval(".ghost rect", (list) => list.map((rect) => [Number(rect.getAttribute("x")), Number(rect.getAttribute("y"))]));
      const lies = await Promise.all(route.to.map(async (at) => {
        const box = await cell(page, at).evaluate((rect) => [Number(rect.getAttribute("x")), Number(rect.getAttribute("y"))]);
        return ghost.some((g) => Math.abs(g[0] - box[0] - 1) < 0.1 && Math.abs(g[1] - box[1] - 1) < 0.1);
      }));
      if (lies.every(Boolean) && ghost.length === route.to.length) return page.keyboard.press("Enter");
      if (i === 3) await page.keyboard.press("f");
      else if (i % 2) await page.keyboard.press("r");
      else await page.keyboard.press("r");
    }
    await page.keyboard.press("f");
  }
  throw new Error(`the tile ${item.tile} could not be laid on ${JSON.stringify(route.to)}`);
}

/** A person plays both sides, or one against a level, by clicks, to an end by the rules. */
export async function game(name, { color = "both", level = "level(1)", choose, most = 400 }) {
  const page = await open();
  await newGame(page, name, color, level);
  for (let n = 0; n < most; n++) {
    if (await over(page)) break;
    const state = await legal(page);
    if (state.outcome) {
      await page.waitForSelector(id("result"));
      break;
    }
    if (color !== "both" && state.turn !== color) {
      await until("the answer", async () => (await over(page)) || (await legal(page)).turn === color);
      continue;
    }
    const before = await moves(page);
    const route = choose(state, n);
    if (name === "blokus-duo" && route.to.length > 0) await clickTile(page, route, state);
    else await click(page, route, state);
    await until(`move ${before + 1} (${route.move})`, async () => (await moves(page)) > before);
  }
  const result = await page.textContent(id("result"));
  assert.match(result, /wins|draw/);
  say(`${name}: ${await moves(page)} moves, ${result}`);
  await close(page);
}

/** A page without a board. */
export async function bare(path) {
  const page = await newPage();
  await page.goto(base + path);
  return page;
}
export async function shot(page, name) {
  mkdirSync(shots, { recursive: true });
  for (const theme of ["light", "dark"]) {
    if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.click(id("theme"));
    await page.mouse.move(5, 400);
    await new Promise((drawn) => setTimeout(drawn, 300));
    await page.screenshot({ path: join(shots, `studio-${name}-${theme}.png`) });
  }
  await page.click(id("theme"));
}
