// A knock for every move, made here: no file, and silent until it is switched on.

import { effect } from "@preact/signals";
import { kept, shown } from "./state";

export const sound = kept<boolean>("yomi.sound", false);

let context: AudioContext | null = null;
function knock(high: boolean) {
  context ??= new AudioContext();
  const now = context.currentTime;
  const [tone, loudness] = [context.createOscillator(), context.createGain()];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(high ? 520 : 340, now);
  tone.frequency.exponentialRampToValueAtTime(high ? 260 : 120, now + 0.07);
  loudness.gain.setValueAtTime(0.35, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
  tone.connect(loudness).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.13);
}

let plies = -1;
effect(() => {
  const now = shown.value?.moves.length ?? -1;
  const on = sound.value;
  if (on && plies >= 0 && now === plies + 1) knock(shown.value?.position.turn === "white");
  plies = now;
});
