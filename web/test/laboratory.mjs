// Experiments, learners, the league.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bare, close, id, moves, say, scratch, until } from "./harness.mjs";

export const laboratory = {
  async "an experiment from start to report"() {
    const page = await bare("#experiment");
    await page.click('[data-experiment="s0-fig2"]');
    await page.fill(id("scale"), "0.001");
    await page.waitForSelector(`${id("start")}:not([disabled])`);
    await page.click(id("start"));
    await until("the state", async () => (await page.textContent(id("state")).catch(() => "")) !== "");
    await until("the report", async () => /complete|failed/.test((await page.textContent(id("state"))) ?? ""));
    assert.equal(await page.textContent(id("state")), "complete");
    await page.waitForSelector(id("run"));
    await close(page);
  },
  async "an experiment is paused, goes on, and is stopped"() {
    const page = await bare("#experiment");
    await page.click('[data-experiment="x-methods-evaluations"]');
    await page.fill(id("scale"), "0.02");
    await page.waitForSelector(`${id("start")}:not([disabled])`);
    assert.match(await page.textContent(".starter .command"), /yomi experiment run x-methods-evaluations --scale 0.02 --seed 1 --jobs 1/);
    const state = async () => (await page.textContent(id("state")).catch(() => "")) ?? "";
    const done = async () => Number(/^(\d+)\//.exec((await page.textContent(id("progress")).catch(() => "")) ?? "")?.[1] ?? 0);
    await page.click(id("start"));
    await until("a finished game", async () => (await done()) >= 1);
    assert.equal(await state(), "running");
    await page.click(id("pause"));
    await until("the pause", async () => (await state()) === "paused");
    const then = await done();
    // What was played stands there already: wins and losses, Elo, and the games themselves.
    await page.waitForSelector(`${id("run")} .wdl`);
    assert.ok(then >= 1);
    await until("a button to go on", async () => (await page.textContent(id("start"))) === "Resume");
    await page.click(id("start"));
    await until("more games", async () => (await done()) > then);
    const stopping = Date.now();
    await page.click(id("stop"));
    await until("the stop", async () => (await state()) === "stopped");
    say(`stopped after ${Date.now() - stopping} ms, ${await page.textContent(id("progress"))} games`);
    assert.ok((await done()) > then, "nothing that was played is lost");
    await page.waitForSelector(`${id("run")} td.num`);
    // Exports, and a game on the board.
    const saved = async (press) => {
      const [download] = await Promise.all([page.waitForEvent("download"), press()]);
      return readFileSync(await download.path(), "utf8");
    };
    assert.match(await saved(() => page.getByRole("button", { name: "CSV ↓" }).first().click()), /^[^\n]*,[^\n]*\n/);
    assert.match(await saved(() => page.getByRole("button", { name: "SVG ↓" }).first().click()), /^<svg/);
    await page.locator(id("open-games")).first().click();
    await page.locator(`${id("games")} tr.link`).first().click();
    await page.waitForSelector("svg.board[data-ready]");
    await until("its moves", async () => (await moves(page)) > 5);
    await close(page);
  },
  async "a learner at work: its curve grows, its generations are looked at"() {
    const page = await bare("#learn");
    const box = '[data-learner="runs/learner"]';
    await page.waitForSelector(box, { state: "attached" });
    await page.$eval(`details:has(${box})`, (details) => (details.open = true));
    if (!(await page.isChecked(box))) await page.check(box);
    for (const input of await page.$$("[data-learner]:checked")) if ((await input.getAttribute("data-learner")) !== "runs/learner") await input.uncheck();
    await page.waitForSelector('[data-curve="loss"] canvas');
    const points = async () => Number(await page.getAttribute('[data-curve="loss"]', "data-points"));
    const before = await points();
    assert.ok(before >= 3);
    for (const n of [1, 2]) appendFileSync(join(scratch, "runs/learner/curves.jsonl"), JSON.stringify({ step: 100 + n, games: 32 * (100 + n), loss: 0.1 / n }) + "\n");
    await until("the new points", async () => (await points()) === before + 2);
    await page.waitForSelector(id("at-work"));
    // The games of every step.
    await page.waitForSelector(`${id("lessons")}[data-step="3"]`);
    await page.fill(id("step"), "0");
    await page.waitForSelector(`${id("lessons")}[data-step="1"]`);
    await page.click(id("lesson"));
    await page.waitForSelector("svg.board[data-ready]");
    await until("the game of the first step", async () => (await moves(page)) === 2);
    // One that is finished, with the Elo of its generations.
    await page.click('[data-tab="learn"]');
    const loop = '[data-learner="results/train-minishogi"]';
    await page.waitForSelector(loop, { state: "attached" });
    await page.$eval(`details:has(${loop})`, (details) => (details.open = true));
    await page.check(loop);
    await page.waitForSelector(`${id("generations")} circle`);
    await page.waitForSelector('[data-curve="games_per_second"] canvas');
    await close(page);
  },
  async "the league by method, budget and words"() {
    const page = await bare("#league");
    await page.waitForSelector(`${id("ratings")} tbody tr`);
    const names = () => page.$$eval(`${id("ratings")} td.player-cell`, (list) => list.map((td) => td.title));
    await page.selectOption(id("method"), "alpha-beta");
    await until("one method", async () => (await names()).length > 0 && (await names()).every((name) => /^alpha-beta\b/.test(name)));
    await page.selectOption(id("method"), "");
    await page.fill("input.filter", "ments t=40");
    await until("the words", async () => (await names()).length > 0 && (await names()).every((name) => name.includes("ments") && name.includes("t=40")));
    await page.fill("input.filter", "");
    // A cell of the grid: its ratings and its results only.
    await page.click('details:has([data-testid="grid"]) summary');
    const one = page.locator('[data-testid="grid"] button').first();
    const [method, budget] = (await one.getAttribute("data-cell")).split(" ");
    await one.click();
    await until("one cell", async () => (await names()).length > 0 && (await names()).every((name) => name.startsWith(method) && name.includes(budget)));
    const results = await page.$$eval(`${id("results")} tr`, (list) => list.map((tr) => [...tr.querySelectorAll(".player-cell")].map((td) => td.title)));
    assert.ok(results.length > 0 && results.every((pair) => pair.some((name) => name.startsWith(method) && name.includes(budget))));
    // A player: who it met. A result: its games.
    await page.locator(`${id("ratings")} tr.link`).first().click();
    await page.locator(`${id("results")} tr.link`).first().click();
    await page.waitForSelector(`${id("games")} tr.link`);
    // Another game has other players.
    const before = (await names()).join();
    await page.getByRole("button", { name: /^Shogi/ }).click();
    await until("the players of shogi", async () => (await names()).length > 0 && (await names()).join() !== before);
    await close(page);
  },
  async "the league opens its games"() {
    const page = await bare("#league");
    await page.waitForSelector(`${id("ratings")} tbody tr`);
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
};
