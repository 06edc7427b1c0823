// A new game: which, against whom, as whom, with which clock. What was chosen is remembered.

import { gameName, t } from "./i18n";
import { setup, type Setup } from "./match";
import { catalog } from "./state";

const MAIN = ["shogi", "minishogi", "go9", "go13", "go19", "blokus-duo", "othello"];

export function GamePicker({ value, onPick }: { value: string; onPick(game: string): void }) {
  const names = catalog.value?.games.map((entry) => entry.name) ?? MAIN;
  const rest = names.filter((name) => !MAIN.includes(name));
  const bare = value.split("(")[0];
  return (
    <div class="games" role="group" aria-label={t("Game")}>
      {MAIN.map((name) => <button type="button" key={name} aria-pressed={bare === name} data-game={name} onClick={() => onPick(name)}>{gameName(name)}</button>)}
      <select aria-label={t("other games")} value={rest.includes(bare) ? bare : ""} onChange={(e) => e.currentTarget.value && onPick(e.currentTarget.value)}>
        <option value="">…</option>
        {rest.map((name) => <option value={name}>{gameName(name)}</option>)}
      </select>
    </div>
  );
}

/** Networks and weights that fit a game, as players: offered by the names the studio gave them. */
export function playersWithFiles(game: string): string[] {
  const name = game.split("(")[0];
  return (catalog.value?.files ?? []).filter((file) => file.game === name || file.game === null).map((file) => file.player);
}

export function Opponent() {
  const s = setup.value;
  const change = (part: Partial<Setup>) => (setup.value = { ...setup.value, ...part });
  const entry = catalog.value?.games.find((entry) => entry.name === s.game.split("(")[0]);
  const level = entry?.levels.find((entry) => entry.level === s.level);
  const own = s.player.trim() !== "";
  const files = playersWithFiles(s.game);
  return (
    <>
      <label class={own ? "row faded" : "row"}><span>{t("Level")} <b>{own ? "–" : s.level}</b>{level?.elo != null && !own && <small> {level.elo} Elo</small>}</span>
        <input type="range" min="1" max="9" value={s.level} data-testid="level" onInput={(e) => change({ level: Number(e.currentTarget.value), player: "" })} />
      </label>
      <div class="row"><span>{t("You play")}</span>
        <div class="segments">
          {(["black", "white", "random", "both", "watch"] as const).map((c) => (
            <button type="button" aria-pressed={s.color === c} data-color={c} onClick={() => change({ color: c })}>
              {t({ black: "Black", white: "White", random: "Random", both: "Both", watch: "Watch" }[c])}
            </button>
          ))}
        </div>
      </div>
      <details open={own}>
        <summary>{t("Any player, rules, clock")}</summary>
        <label class="row"><span>{t("Player string")}</span>
          <input type="text" placeholder={level?.player ?? "mcss(t=80) sims=2000"} value={s.player} data-testid="player" onChange={(e) => change({ player: e.currentTarget.value })} list="methods" spellcheck={false} />
        </label>
        {files.length > 0 && (
          <label class="row"><span>{t("Networks and weights")}</span>
            <select data-testid="files" value={files.includes(s.player) ? s.player : ""} onChange={(e) => change({ player: e.currentTarget.value })}>
              <option value="">–</option>{files.map((player) => <option value={player}>{player}</option>)}
            </select>
          </label>
        )}
        {(entry?.rules.length ?? 0) > 0 && (
          <label class="row"><span>{t("Rules")}</span>
            <input type="text" value={s.game} aria-label={t("Rules")} spellcheck={false} onChange={(e) => change({ game: e.currentTarget.value.trim() || "minishogi" })} />
            <ul class="hints">{entry!.rules.map((rule) => <li><code>{rule.key}={rule.default}</code> {rule.meaning} ({rule.values})</li>)}</ul>
          </label>
        )}
        <div class="row"><label><input type="checkbox" checked={s.clock} data-testid="clock" onChange={(e) => change({ clock: e.currentTarget.checked })} /> {t("Clock")}</label>
          {s.clock && <span class="inline">
            <input type="number" min="0" max="180" value={s.minutes} aria-label={t("minutes")} onChange={(e) => change({ minutes: Number(e.currentTarget.value) })} /> {t("minutes")}
            <input type="number" min="0" max="300" value={s.byoyomi} aria-label={t("byoyomi (s)")} onChange={(e) => change({ byoyomi: Number(e.currentTarget.value) })} /> {t("byoyomi (s)")}
          </span>}
        </div>
      </details>
    </>
  );
}
