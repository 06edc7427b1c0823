// Words drawn as outlines: they look the same on a machine without a Japanese font.

import outlines from "./words.txt?raw";

const GLYPHS = new Map(outlines.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => [line.slice(0, 1), line.slice(2)]));

export function Outlined({ text }: { text: string }) {
  const letters = [...text];
  return (
    <svg class="outlined" viewBox={`0 0 ${100 * letters.length} 100`} role="img" aria-label={text} style={{ width: `${letters.length}em` }}>
      {letters.map((letter, i) => <path d={GLYPHS.get(letter)} transform={`translate(${100 * i} 0)`} />)}
    </svg>
  );
}
