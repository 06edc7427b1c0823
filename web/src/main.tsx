// The studio.

import { effect } from "@preact/signals";
import { render } from "preact";
import { Analyse } from "./analyse";
import { ask, connection } from "./backend";
import { lang, setLang, t } from "./i18n";
import { Overlay, overlay } from "./keys";
import { ExperimentPage } from "./experiment";
import { LeaguePage } from "./league";
import { LearnPage } from "./learn";
import { Play } from "./play";
import { sound } from "./sound";
import { catalog, notice, readFragment, tab, TABS, theme, type Tab } from "./state";
import type { Catalog } from "./types";
import { Outlined } from "./words";

const NAMES: Record<Tab, string> = { play: "Play", analyse: "Analyse", experiment: "Experiment", learn: "Learn", league: "League" };

const dark = matchMedia("(prefers-color-scheme: dark)");
function applyTheme() {
  document.documentElement.dataset.theme = theme.value === "auto" ? (dark.matches ? "dark" : "light") : theme.value;
}
dark.addEventListener("change", applyTheme);
effect(applyTheme);

readFragment();
addEventListener("hashchange", readFragment);
effect(() => {
  if (!location.hash.startsWith(`#${tab.value}`)) history.replaceState(null, "", `#${tab.value}`);
  notice.value = "";
});

ask<Catalog>({ do: "catalog" }).then((answer) => (catalog.value = answer), () => {});

function App() {
  return (
    <>
      <header>
        <a class="brand" href="#play"><Outlined text="読み" /> Yomi</a>
        <nav>{TABS.map((name) => <button type="button" key={name} aria-current={tab.value === name ? "page" : undefined} data-tab={name} onClick={() => (tab.value = name)}>{t(NAMES[name])}</button>)}</nav>
        <div class="tools">
          {connection.value === "lost" && <span class="lost" role="alert">{t("connection lost, trying again")}</span>}
          <button type="button" aria-label={t("Keys")} title={t("Keys")} data-testid="keys" onClick={() => (overlay.value = true)}>?</button>
          <button type="button" aria-label={t("Sounds")} title={t("Sounds")} aria-pressed={sound.value} data-testid="sound" onClick={() => (sound.value = !sound.value)}>♪</button>
          <button type="button" aria-label={lang.value === "en" ? "日本語" : "English"} data-testid="lang" onClick={() => setLang(lang.value === "en" ? "ja" : "en")}>{lang.value === "en" ? <Outlined text="日本語" /> : "EN"}</button>
          <button type="button" aria-label={t("Light or dark")} title={t("Light or dark")} data-testid="theme" onClick={() => (theme.value = document.documentElement.dataset.theme === "dark" ? "light" : "dark")}>◐</button>
        </div>
      </header>
      <main>
        {tab.value === "play" && <Play />}
        {tab.value === "analyse" && <Analyse />}
        {tab.value === "experiment" && <ExperimentPage />}
        {tab.value === "learn" && <LearnPage />}
        {tab.value === "league" && <LeaguePage />}
      </main>
      <datalist id="methods">{catalog.value?.methods.map((method) => <option value={method.name}>{method.about}</option>)}</datalist>
      <Overlay />
    </>
  );
}

render(<App />, document.getElementById("app")!);
