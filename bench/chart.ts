import { show, type Unit } from "./show.ts";

/** How a time grows with a size: one point for each size, in ascending order. */
export type Curve = {
  readonly name: string;
  /** What the sizes count: `calls`, `rules`, `sessions`. */
  readonly of: string;
  readonly unit: Unit;
  readonly lines: readonly CurveLine[];
};

export type CurveLine = { readonly name: string; readonly points: readonly CurvePoint[] };
type CurvePoint = { readonly size: number; readonly value: number };

const WIDTH = 640;
const HEIGHT = 300;
const LEFT = 70;
const RIGHT = 20;
const TOP = 40;
const BOTTOM = 64;
const COLORS = ["#2563eb", "#d97706", "#059669", "#9333ea"];
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #334155 }
  .title { font-size: 14px; font-weight: 600 }
  .grid { stroke: #94a3b8; stroke-opacity: .35 }
  @media (prefers-color-scheme: dark) { text { fill: #cbd5e1 } }`;

/** Draws a curve with logarithmic axes as SVG, readable on a light and on a dark page. */
export function chart({ name, of, unit, lines }: Curve): string {
  const points = lines.flatMap((line) => line.points);
  const x = scale(
    points.map(({ size }) => size),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = scale(decadesAround(points.map(({ value }) => value)), HEIGHT - BOTTOM, TOP);
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b);
  const marks = decades(points.map(({ value }) => value));
  const parts = [
    text(LEFT, 20, name, { class: "title" }),
    ...marks.flatMap((value) => [
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/>`,
      text(LEFT - 8, y(value) + 4, show(value, unit), { "text-anchor": "end" }),
    ]),
    ...sizes.map((size) =>
      text(x(size), HEIGHT - BOTTOM + 20, `${size.toLocaleString("en-US")} ${of}`, { "text-anchor": "middle" }),
    ),
    ...lines.flatMap((line, at) => drawn(line, COLORS[at % COLORS.length] ?? "", x, y)),
    ...lines.map((line, at) => legend(line, COLORS[at % COLORS.length] ?? "", at, lines.length)),
  ];
  const size = `viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(name)}">\n<style>${STYLE}\n</style>\n${parts.join("\n")}\n</svg>\n`;
}

type Scale = (value: number) => number;

function scale(values: readonly number[], from: number, to: number): Scale {
  const logs = values.map(Math.log10);
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const span = high === low ? 1 : high - low;
  // Room for half a label at both ends.
  const [first, last] = from < to ? [from + 40, to - 50] : [from, to];
  return (value) => Math.round((first + ((Math.log10(value) - low) / span) * (last - first)) * 10) / 10;
}

/** The powers of ten that enclose all values. */
function decades(values: readonly number[]): readonly number[] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
}

function decadesAround(values: readonly number[]): readonly number[] {
  const all = decades(values);
  return [all[0] ?? 1, all.at(-1) ?? 10];
}

function drawn({ name, points }: CurveLine, color: string, x: Scale, y: Scale): readonly string[] {
  const path = points.map(({ size, value }) => `${x(size)},${y(value)}`).join(" ");
  const dots = points.map(
    ({ size, value }) =>
      `<circle cx="${x(size)}" cy="${y(value)}" r="3.5" fill="${color}"><title>${escaped(`${name}, ${size}`)}</title></circle>`,
  );
  return [`<polyline fill="none" stroke="${color}" stroke-width="2" points="${path}"/>`, ...dots];
}

function legend({ name }: CurveLine, color: string, at: number, of: number): string {
  const left = LEFT + (at * (WIDTH - LEFT - RIGHT)) / of;
  const top = HEIGHT - 18;
  return `<rect x="${left}" y="${top - 9}" width="10" height="10" rx="2" fill="${color}"/>${text(left + 16, top, name)}`;
}

function text(x: number, y: number, content: string, attributes: { readonly [name: string]: string } = {}): string {
  const more = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<text x="${x}" y="${y}"${more.join("")}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
