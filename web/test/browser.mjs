// The studio in a real browser: games by clicks, analyses, experiments, strangers, phones.
//
//   node test/browser.mjs [--shots DIR] [ONLY…]
//
// DIST=../crates/studio/dist takes the page from there in place of the one in the program: no need to build the program again.
// Needs Chromium (CHROMIUM, or /usr/bin/chromium) and the program (YOMI, or ../target/debug/yomi). Without them it says so and succeeds:
// the tests of the library need neither. --shots takes the pictures of the documentation, too.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { analyse } from "./analyse.mjs";
import { browser, only, running, scratch, server, shots } from "./harness.mjs";
import { laboratory } from "./laboratory.mjs";
import { page } from "./page.mjs";
import { pictures } from "./pictures.mjs";
import { play } from "./play.mjs";

let failed = 0;
/** One test after the other. What a test prints stands above its own line, also where two lists run side by side. */
async function run(tests) {
  for (const [name, test] of Object.entries(tests)) {
    if (only.length && !only.some((word) => name.includes(word))) continue;
    const began = Date.now();
    const mine = { contexts: [], notes: [] };
    let line = "";
    try {
      await running.run(mine, test);
      line = `ok   ${name}`;
    } catch (error) {
      failed++;
      line = `FAIL ${name}: ${error.stack ?? error}`;
      if (shots) for (const context of mine.contexts) for (const page of context.pages()) await page.screenshot({ path: join(shots, "failed.png") }).catch(() => {});
    }
    for (const context of mine.contexts) await context.close().catch(() => {});
    for (const note of mine.notes) console.log(`    ${note}`);
    console.log(`${line} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  }
}

// What measures runs alone. Experiments and run directories have nothing to do with games and searches.
await run(page);
await Promise.all([run({ ...play, ...analyse }), run(laboratory)]);
if (shots) await run(pictures);
await browser.close();
server.kill();
rmSync(scratch, { recursive: true, force: true });
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
