// Small charts as SVG, and uPlot for curves with many points.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { theme } from "./state";
import "uplot/dist/uPlot.min.css";

/** Black's chance along the game. A click goes there. */
export function EvalGraph(props: { title: string; empty: string; values: (number | null)[]; at: number; marks: string[]; onPick(index: number): void }) {
  const { title, empty, values, at, marks, onPick } = props;
  const n = Math.max(values.length - 1, 1);
  const [width, height] = [600, 110];
  const x = (i: number) => (i / n) * width;
  const y = (v: number) => height - 6 - v * (height - 12);
  const runs: string[] = [];
  let pen = false;
  values.forEach((v, i) => {
    if (v === null) pen = false;
    else {
      runs.push(`${pen ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`);
      pen = true;
    }
  });
  const known = values.map((v, i) => [v, i] as const).filter(([v]) => v !== null);
  const area = known.length > 1 ? `M${x(known[0][1])} ${y(0.5)}${known.map(([v, i]) => `L${x(i).toFixed(1)} ${y(v!).toFixed(1)}`).join("")}L${x(known[known.length - 1][1])} ${y(0.5)}z` : "";
  return (
    <figure class="graph" data-testid="graph">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={title}
        onClick={(e) => { const box = e.currentTarget.getBoundingClientRect(); onPick(Math.round(((e.clientX - box.left) / box.width) * n)); }}>
        <rect width={width} height={height} class="graph-ground" />
        {known.length > 0 && <path d={`M0 ${y(0.5)}H${width}`} class="graph-half" />}
        {known.length > 0 && <path d={`M0 ${y(0.25)}H${width}M0 ${y(0.75)}H${width}`} class="graph-grid" />}
        {area && <path d={area} class="graph-area" />}
        <path d={runs.join("")} class="graph-line" vector-effect="non-scaling-stroke" />
        {known.length === 1 && <circle cx={x(known[0][1])} cy={y(known[0][0]!)} r="3" class="graph-dot" />}
        {marks.map((m, i) => (m && values[i] !== null ? <rect x={x(i) - 3} y={y(values[i]!) - 3} width="6" height="6" class={`graph-mark m${m.length}${m.includes("!") ? "d" : ""}`} /> : null))}
        <path d={`M${x(at)} 0V${height}`} class="graph-at" vector-effect="non-scaling-stroke" />
      </svg>
      <figcaption>{title}</figcaption>
      {known.length === 0 && <p>{empty}</p>}
    </figure>
  );
}

/** Nodes at each depth, on a logarithmic scale: the figure of the papers. */
export function Bars({ values, label }: { values: number[]; label: string }) {
  const [width, height] = [360, 150];
  const most = Math.max(1, ...values.map((v) => Math.log10(v + 1)));
  const w = (width - 30) / Math.max(values.length, 8);
  return (
    <figure class="bars" data-testid="depths">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {[0, 1, 2, 3, 4, 5, 6, 7].filter((p) => p <= most).map((p) => {
          const y = height - 18 - (p / most) * (height - 30);
          return <><path d={`M28 ${y}H${width}`} class="graph-grid" /><text x="24" y={y + 4} class="axis end">10{["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷"][p]}</text></>;
        })}
        {values.map((v, i) => {
          const h = (Math.log10(v + 1) / most) * (height - 30);
          return <g><rect x={30 + i * w + 1} y={height - 18 - h} width={Math.max(1, w - 2)} height={h} class="bar-fill"><title>{`${i}: ${v}`}</title></rect>{(values.length < 16 || i % 5 === 0) && <text x={30 + (i + 0.5) * w} y={height - 5} class="axis">{i}</text>}</g>;
        })}
      </svg>
      <figcaption>{label}</figcaption>
    </figure>
  );
}

const said = (v: number | null | undefined) => (v == null ? "–" : Number(v.toPrecision(4)).toLocaleString("en"));
const COLORS = ["#2f6db5", "#d1731d", "#3a8f6a", "#a34a9a", "#8a7320", "#c0453c", "#4aa3b8", "#6d6d6d"];

/** Curves by uPlot. */
export function Curves({ x, series, xLabel }: { x: number[]; series: { name: string; values: (number | null)[] }[]; xLabel: string }) {
  const host = useRef<HTMLDivElement>(null);
  const ids = series.map((s) => s.name).join();
  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink-2").trim();
    const grid = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid } };
    // Without a pointer the legend has the latest values.
    const latest = (plot: uPlot) => plot.setLegend({ idx: x.length - 1 }, false);
    const plot = new uPlot(
      {
        hooks: { ready: [latest], setCursor: [(plot) => plot.cursor.idx == null && latest(plot)] },
        width: host.current!.clientWidth || 600, height: 280, scales: { x: { time: false } }, legend: { live: true },
        axes: [{ ...axis, label: xLabel }, { ...axis, size: 68 }],
        series: [{ label: xLabel }, ...series.map((s, i) => ({ label: s.name, stroke: COLORS[i % COLORS.length], width: 1.6, spanGaps: true, value: (_: uPlot, v: number | null, __: number, at: number | null) => said(v ?? (at === x.length - 1 ? s.values.findLast((value) => value !== null) : null)), points: { show: x.length < 40 } }))],
      },
      [x, ...series.map((s) => s.values)] as uPlot.AlignedData,
      host.current!,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: host.current!.clientWidth, height: 280 }));
    resize.observe(host.current!);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [ids, x.length, x[x.length - 1], xLabel, theme.value]);
  return <div class="curves" ref={host} />;
}

/** About this many round numbers between two values. */
function ticks(low: number, high: number, about: number): number[] {
  const rough = Math.max(high - low, 1e-9) / about;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((n) => n * unit >= rough) ?? 10);
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => (Math.ceil(low / step) + i) * step);
}

/** Ratings with their intervals, as SVG text: shown and exported alike. */
export function ratingsSvg(rows: { name: string; elo: number; low: number; high: number }[]): string {
  const shownRows = rows.slice(0, 40);
  const [left, width, step] = [330, 760, 20];
  const low = Math.min(...shownRows.map((r) => r.low));
  const high = Math.max(...shownRows.map((r) => r.high));
  const x = (elo: number) => left + ((elo - low) / Math.max(high - low, 1)) * (width - left - 20);
  const escape = (text: string) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
  const cut = (text: string) => (text.length > 46 ? `${text.slice(0, 44)}…` : text);
  const height = shownRows.length * step + 34;
  const body = shownRows.map((row, i) => {
    const y = 12 + i * step;
    return `<text x="${left - 10}" y="${y + 4}" text-anchor="end" class="name">${escape(cut(row.name))}</text><path d="M${x(row.low).toFixed(1)} ${y}H${x(row.high).toFixed(1)}" stroke="#8aa0bf" stroke-width="3" stroke-linecap="round"/><circle cx="${x(row.elo).toFixed(1)}" cy="${y}" r="4.5" fill="#2f6db5"/>`;
  });
  const axis = ticks(low, high, 6).map((tick) => `<path d="M${x(tick).toFixed(1)} 2V${height - 22}" stroke="#8884" /><text x="${x(tick).toFixed(1)}" y="${height - 8}" text-anchor="middle" class="tick">${tick.toFixed(0)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11.5" fill="currentColor">${axis.join("")}${body.join("")}</svg>`;
}

/** Values with intervals along an axis of numbers, as SVG text. */
export function intervalsSvg(rows: { x: number; value: number; low: number; high: number }[], xLabel: string): string {
  const [width, height, left, bottom] = [760, 260, 54, 38];
  const [x0, x1] = [Math.min(...rows.map((r) => r.x)), Math.max(...rows.map((r) => r.x))];
  const [y0, y1] = [Math.min(...rows.map((r) => r.low)), Math.max(...rows.map((r) => r.high))];
  const x = (v: number) => left + 16 + ((v - x0) / Math.max(x1 - x0, 1)) * (width - left - 36);
  const y = (v: number) => height - bottom - 8 - ((v - y0) / Math.max(y1 - y0, 1)) * (height - bottom - 22);
  const grid = ticks(y0, y1, 7).map((v) => `<path d="M${left} ${y(v).toFixed(1)}H${width - 8}" stroke="#8884"/><text x="${left - 6}" y="${(y(v) + 4).toFixed(1)}" text-anchor="end">${v.toFixed(0)}</text>`);
  const every = Math.max(1, Math.ceil(rows.length / 12));
  const marks = rows.map((r, i) => `<path d="M${x(r.x).toFixed(1)} ${y(r.low).toFixed(1)}V${y(r.high).toFixed(1)}" stroke="#8aa0bf" stroke-width="2.5" stroke-linecap="round"/><circle cx="${x(r.x).toFixed(1)}" cy="${y(r.value).toFixed(1)}" r="4" fill="#2f6db5"/>${i % every === 0 ? `<text x="${x(r.x).toFixed(1)}" y="${height - bottom + 12}" text-anchor="middle">${r.x}</text>` : ""}`);
  const line = rows.map((r, i) => `${i ? "L" : "M"}${x(r.x).toFixed(1)} ${y(r.value).toFixed(1)}`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11.5" fill="currentColor">${grid.join("")}<path d="${line}" fill="none" stroke="#2f6db5" stroke-width="1.5"/>${marks.join("")}<text x="${width / 2}" y="${height - 6}" text-anchor="middle">${xLabel}</text></svg>`;
}
