// The pictures of the documentation: node test/browser.mjs --shots ../docs/img pictures. With the font Inter they are as we show them.

import { bare, cell, click, close, id, legal, moves, newGame, open, shot, until } from "./harness.mjs";

const wide = { viewport: { width: 1440, height: 900 } };
const seconds = (n) => new Promise((over) => setTimeout(over, 1000 * n));

export const pictures = {
  async "pictures of play"() {
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
    const phone = await open("#play?game=go9&moves=E5 C3 G3 C6 G6 D7 F7 D5 E6".replaceAll(" ", "%20"), { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1.5 });
    await shot(phone, "phone");
    await close(phone);
  },
  async "pictures of analyses"() {
    const line = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2h 8e8f 8g8f 8b8f";
    const shogi = await open(`#analyse?game=shogi&moves=${encodeURIComponent(line)}`, wide);
    await shogi.fill(id("budget"), "time=0.5");
    await shogi.dispatchEvent(id("budget"), "change");
    await shogi.click(id("review"));
    await until("the graph", async () => ((await shogi.getAttribute(".graph-line", "d")) ?? "").split("L").length >= 17);
    await until("the end", async () => (await shogi.textContent(id("review"))) === "Analyse the whole game");
    await shogi.fill(id("lane-player"), "mcss(t=80)");
    await shogi.dispatchEvent(id("lane-player"), "change");
    await shogi.selectOption(id("add-lane"), "alpha-beta");
    for (const lane of [0, 1]) await shogi.locator(id("go")).nth(lane).click();
    await until("two tables", async () => (await shogi.$$(id("root"))).length === 2);
    await seconds(6);
    await shogi.locator('[data-view="tree"]').first().click();
    await shogi.locator(id("figures")).nth(1).click();
    await shot(shogi, "analyse");
    for (const lane of [0, 1]) await shogi.locator(id("go")).nth(lane).click();
    await close(shogi);
    // Tiles and heat, in a game of two levels.
    const blokus = await open("", wide);
    await newGame(blokus, "blokus-duo", "watch", "level(3)");
    await until("some tiles", async () => (await moves(blokus)) >= 8);
    await blokus.click('[data-tab="analyse"]');
    await blokus.click(id("go"));
    await blokus.waitForSelector(".heat");
    await seconds(3);
    await shot(blokus, "blokus");
    await blokus.click(id("go"));
    await close(blokus);
  },
  async "pictures of the laboratory"() {
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
    await experiment.waitForSelector(".figure");
    await shot(experiment, "experiment");
    await experiment.context().close();
    const league = await bare("#league");
    await league.waitForSelector(`${id("ratings")} tbody tr`);
    await shot(league, "league");
    await league.context().close();
  },
};
