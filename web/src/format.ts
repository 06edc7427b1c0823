// Numbers for people.

export const number = (n: number | null, digits = 2) => (n === null || Number.isNaN(n) ? "–" : n.toFixed(digits));
export const compact = (n: number) => (n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${(n / 1e3).toFixed(0)}k` : String(n));
export const percent = (n: number | null) => (n === null ? "–" : `${(100 * n).toFixed(1)}`);
