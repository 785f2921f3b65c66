import type { NextAction } from "../../../line/outcome.ts";
import { oneLine, plural, wrap } from "../../../line/printable.ts";
import { quoted } from "../../../line/quoted.ts";
import { badArgument } from "../answers.ts";
import { describeEvent } from "../render/describe-event.ts";
import { spoken, stamp } from "../render/render.ts";
import { type GovernanceCommand, type GovernanceWorld, onThisMachine, textOf, withContract } from "../world.ts";
import { readVersion } from "./point.ts";

const MOST = 1_000;

export const runHistory: GovernanceCommand = async (args, { paint, columns, invocation }, world) => {
  const search = textOf(args.search);
  const before = readVersion(args.before, "--before");
  if (typeof before === "object") return before;
  const limit = Number(textOf(args.limit) ?? 20);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST) {
    return badArgument(`--limit: '${oneLine(String(args.limit))}' is no number from 1 to ${MOST}`, "--limit=20");
  }
  return withContract(world, "read", async ({ service }) => {
    const from = before === undefined ? {} : { before };
    const hits = search === undefined ? undefined : await searchIndex(world, search);
    const found =
      hits === undefined
        ? // One more tells whether there are more.
          await service.events({ limit: limit + 1, ...from, ...(search === undefined ? {} : { search }) })
        : (await service.events({ limit: Number.MAX_SAFE_INTEGER, ...from })).filter(({ seq }) => hits.has(seq));
    const events = found.slice(0, limit);
    const oldest = events.at(-1)?.seq;
    const more = found.length > limit && oldest !== undefined;
    const words = search === undefined ? "" : ` --search=${quoted(search)}`;
    const older = `conduct behavior history --before=${oldest} --limit=${limit}${words}`;
    const next: readonly NextAction[] = [
      ...(more ? [{ command: older, description: "What was before that" }] : []),
      ...(oldest === undefined
        ? []
        : [{ command: `conduct behavior diff ${oldest}`, description: "What it came to since" }]),
    ];
    const rows = events.map((event) => {
      const [first = "", ...rest] = wrap(`${describeEvent(event)} · ${event.by}`, columns - 31);
      const indented = rest.map((line) => `${" ".repeat(29)}${line}\n`).join("");
      return `  ${paint("bold", `v${event.seq}`.padEnd(6))}  ${paint("dim", stamp(event.at))}  ${first}\n${indented}`;
    });
    const none = search === undefined ? "nothing was ever changed" : `nothing is about '${oneLine(search)}'`;
    const shown = rows.length === 0 ? `  ${none}\n` : rows.join("");
    const tail = more
      ? `\n  ${plural(events.length, "change")} shown; there are older ones: ${spoken(older, invocation)}\n`
      : "";
    return { ok: true, result: { events, more }, text: `\n${shown}${tail}\n`, next };
  });
};

/** What the index finds; `undefined` where there is none, or it cannot be reached: then the journal itself is searched. */
async function searchIndex(world: GovernanceWorld, text: string): Promise<ReadonlySet<number> | undefined> {
  try {
    const found = await (await world.index())?.search({ text, limit: MOST });
    return found === undefined ? undefined : new Set(found.found.map(({ seq }) => seq));
  } catch {
    return undefined;
  }
}

/** `conduct behavior history [--search TEXT] [--before N] [--limit N]` */
export const behaviorHistory = onThisMachine(runHistory);
