import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `npm run recording`: plays `conduct demo` and writes its first screen as an animated SVG for the README. Lines appear in
 * the order and pace of the demo; viewers that do not animate show the whole screen.
 */

const ROOT = join(import.meta.dirname, "..");
const OUT = join(ROOT, "docs/images/demo.svg");
const COLUMNS = 100;
const ROWS = 44;
const [CHAR, LINE, PAD] = [8.4, 19, 18];
/** Seconds between two lines; a line that starts a new moment waits longer. */
const [STEP, PAUSE] = [0.06, 0.7];
/** Splits a row at its colour codes and keeps them. */
const ESCAPE = String.fromCharCode(27);
const COLOUR_CODE = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`);
/** Colours by SGR code, readable on the dark background. */
const COLOURS: Readonly<Record<string, string>> = {
  "1": "bold",
  "2": "dim",
  "31": "red",
  "32": "green",
  "33": "yellow",
  "36": "cyan",
  "90": "dim",
};

// In a terminal of its own, made by `script`: only there the demo uses colours.
const command = `stty cols ${COLUMNS} rows 60; "${process.execPath}" "${join(ROOT, "src/apps/cli/conduct.mjs")}" demo --fast`;
const { stdout, status } = spawnSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8" });
if (status !== 0) throw new Error("conduct demo failed");
const lines = stdout
  .replaceAll(/\/tmp\/conduct-demo-\w+/g, "/tmp/conduct-demo")
  .replaceAll("\r", "")
  .split("\n")
  .slice(0, ROWS);
writeFileSync(OUT, render(lines));
console.log(OUT);

function render(rows: readonly string[]): string {
  let at = 0.4;
  const texts = rows.map((row, index) => {
    const isMoment = /^\S*\s+\d\d:\d\d:\d\d/.test(plain(row)) || /^\s+agent/.test(plain(row));
    at += isMoment ? PAUSE : STEP;
    const y = PAD + LINE * (index + 1);
    return `<text x="${PAD}" y="${y}" style="animation-delay:${at.toFixed(2)}s">${spans(row)}</text>`;
  });
  const [width, height] = [Math.round(COLUMNS * CHAR + 2 * PAD), LINE * (rows.length + 1) + 2 * PAD];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="conduct demo in a terminal">
<style>
rect{fill:#16181d}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dae0;white-space:pre}
.bold{font-weight:700}.dim{fill:#8a919e}.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#e3b341}.cyan{fill:#79c0ff}
@media (prefers-reduced-motion:no-preference){text{opacity:0;animation:show .01s linear forwards}}
@keyframes show{to{opacity:1}}
</style>
<rect width="100%" height="100%" rx="8"/>
${texts.join("\n")}
</svg>
`;
}

/** The line as `tspan`s, one for each run of the same colours. */
function spans(row: string): string {
  const classes = new Set<string>();
  return row
    .split(COLOUR_CODE)
    .map((part) => {
      const codes = part.startsWith(`${ESCAPE}[`) ? part.slice(2, -1) : undefined;
      if (codes === undefined) {
        if (part === "") return "";
        return classes.size === 0
          ? escapeXml(part)
          : `<tspan class="${[...classes].join(" ")}">${escapeXml(part)}</tspan>`;
      }
      for (const code of codes.split(";")) {
        const name = COLOURS[code];
        if (name === undefined) classes.clear();
        else classes.add(name);
      }
      return "";
    })
    .join("");
}

function plain(row: string): string {
  return row
    .split(COLOUR_CODE)
    .filter((part) => !part.startsWith(`${ESCAPE}[`))
    .join("");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
