import { writeDirective } from "../../behavior/contract/directive-form.ts";
import type { AdherenceSeen, Followed } from "./behavior-adherence.ts";
import { spoken } from "./behavior-render.ts";
import { clip, count, oneLine, plural } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

const BARS = "▁▂▃▄▅▆▇█";
/** Days in one chart, the newest last. */
const DAYS = 14;

/** How far what was asked for is done, with a small chart of the days; where nobody can tell, how that is changed. */
export function renderAdherence({ since, adherence }: AdherenceSeen, terminal: Terminal): string {
  const { paint, invocation } = terminal;
  if (since === undefined || adherence.length === 0) return "";
  const rows = adherence.map((one) => renderOne(one, terminal)).join("");
  const unmeasured = adherence.find(({ of, directive }) => of === "directive" && directive && !directive.check);
  const hint =
    unmeasured === undefined
      ? ""
      : `  ${paint("dim", "to measure one:")} ${spoken(`conduct behavior check ${unmeasured.id} "length: at most 120 words"`, invocation)}\n`;
  return `  ${paint("bold", "turns in force and followed, as far as it can be told")}  since ${since.slice(0, 10)}\n\n${rows}${hint}\n`;
}

function renderOne(one: Followed, { paint, columns, invocation }: Terminal): string {
  const { of, id, directive, inForce, followed, violated, cannotTell, by, violations, helpful, harmful } = one;
  const name = directive === undefined ? `${of} ${id}` : `${writeDirective(directive)}  (${id})`;
  const told = followed + violated;
  // A rule that only ever spoke up was silent an unknown number of times.
  const known = told > 0 && (of === "directive" || followed > 0);
  const colour = violated > followed ? "red" : violated > 0 ? "amber" : "green";
  const share = known ? `${chart(one)}${paint(colour, `${Math.round((followed / told) * 100)} % followed`)}  ` : "";
  const last = violations.at(-1);
  const lines = [
    [
      `${share}${plural(inForce, "turn")}`,
      ...(told === 0 ? [] : [`${count(followed)} followed`, `${count(violated)} violated`]),
      ...(cannotTell === 0 ? [] : [`${count(cannotTell)} cannot tell`]),
    ],
    [
      ...(by === undefined ? [] : [`by ${oneLine(by)}`]),
      ...(helpful + harmful === 0 ? [] : [`helpful ${helpful}, harmful ${harmful}`]),
    ],
    last === undefined ? [] : [`newest violation: ${spoken(`conduct why ${oneLine(last)}`, invocation)}`],
  ];
  const shown = lines.filter((parts) => parts.length > 0).map((parts) => `      ${parts.join(" · ")}\n`);
  return `    ${clip(oneLine(name), columns - 4)}\n${shown.join("")}`;
}

/** One bar a day: the higher, the more was followed. A point where nobody could tell. */
function chart({ days }: Followed): string {
  const bars = days.slice(-DAYS).map(({ share }) => (share === undefined ? "·" : (BARS[Math.round(share * 7)] ?? "·")));
  return `${bars.join("")}  `;
}
