// What a person draws on the board: arrows and rings by the right button. They go with the position.

import { same } from "./cells";
import { arrow } from "./pieces";
import type { At } from "./types";

export interface Annotation {
  from: At;
  to: At;
  /** With Shift another colour. */
  other: boolean;
}

/** Drawing the same again takes it away. */
export function toggled(list: Annotation[], mark: Annotation): Annotation[] {
  const equal = (other: Annotation) => same(other.from, mark.from) && same(other.to, mark.to);
  return list.some(equal) ? list.filter((other) => !equal(other)) : [...list, mark];
}

export function Annotations({ list, centre, w }: { list: Annotation[]; centre(at: At): [number, number]; w: number }) {
  return (
    <g class="annotations">
      {list.map(({ from, to, other }) => {
        const [a, b] = [centre(from), centre(to)];
        const cls = other ? "annotation other" : "annotation";
        if (same(from, to)) return <circle cx={a[0]} cy={a[1]} r={w * 0.43} class={`${cls} circle`} style={{ strokeWidth: `${w * 0.07}px` }} />;
        return <path d={arrow(a, b, w * 0.12)} class={cls} />;
      })}
    </g>
  );
}
