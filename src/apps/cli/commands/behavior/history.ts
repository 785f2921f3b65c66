import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { contractFor, diffContracts, renderContract } from "../../../../behavior/contract/active-contract.ts";
import { versionsBySeq } from "../../../../behavior/contract/contract-state.ts";
import { describeEvent } from "../../../shared/contract-words.ts";
import { hang, oneLine, plural, quoted } from "../../../shared/printable.ts";
import type { BehaviorDiffArgs, BehaviorHistoryArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, type NextAction } from "../../line/outcome.ts";
import {
  damaged,
  type GovernanceCommand,
  type GovernanceWorld,
  HISTORY,
  noSuchVersion,
  projectSoon,
  readVersion,
  readView,
  thisMachine,
  withContract,
} from "../../stores/with-contract.ts";
import { changedDirectives, isWhole, pastState, wholeHistory } from "./contracts.ts";
import { renderDiffLines, spoken, stamp, versionText } from "./render.ts";

/** `conduct behavior diff FROM [TO]` */
export const behaviorDiff: GovernanceCommand<BehaviorDiffArgs> = async (args, { paint }, world = thisMachine()) => {
  const view = readView(args);
  if ("ok" in view) return view;
  const [a, b] = [readVersion(args.from, "FROM"), readVersion(args.to, "TO")];
  if (typeof a === "object") return a;
  if (typeof b === "object") return b;
  if (a === undefined) {
    return badArgument("no version given", "give one or two versions from the history: conduct behavior diff 3 7");
  }
  return withContract(world, "read", async ({ service }) => {
    const now = await service.state();
    if (now.fault !== undefined) return damaged(now.fault);
    const newest = now.version;
    const strange = [a, b ?? 0].find((version) => version > newest);
    if (strange !== undefined) return noSuchVersion(strange, newest);
    const before = await pastState(service, { version: a });
    const after = b === undefined ? { state: now, now: world.clock.now() } : await pastState(service, { version: b });
    const [from, to] = [contractFor(before.state, view, before.now), contractFor(after.state, view, after.now)];
    // Without a view, changes of all scopes are shown.
    const anywhere = isWhole(view) ? changedDirectives(before.state, after.state) : undefined;
    const diff = { ...diffContracts(from, to), ...anywhere };
    const lines = renderDiffLines(diff, paint);
    const said = lines !== "" ? lines : diff.same ? "  no difference\n" : "  same directives, in another order\n";
    const [old, fresh] = anywhere === undefined ? [versionText(from), versionText(to)] : [`v${a}`, `v${b ?? newest}`];
    return done(
      { view, ...diff, blocks: { from: renderContract(from), to: renderContract(to) } },
      `\n  contract ${paint("bold", old)} → ${paint("bold", fresh)}\n${said}\n`,
      [HISTORY],
    );
  });
};

const MOST = 1_000;

/** `conduct behavior history [--search TEXT] [--before N] [--limit N]` */
export const behaviorHistory: GovernanceCommand<BehaviorHistoryArgs> = async (
  args,
  terminal,
  world = thisMachine(),
) => {
  const { paint, columns, invocation } = terminal;
  const { search } = args;
  const before = readVersion(args.before, "--before");
  if (typeof before === "object") return before;
  const limit = Number(args.limit ?? 20);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST) {
    return badArgument(`--limit: '${oneLine(String(args.limit))}' is not a number from 1 to ${MOST}`, "--limit=20");
  }
  return withContract(world, "read", async ({ service, journal }) => {
    const hits = search === undefined ? undefined : await searchIndex(world, journal, search);
    const found =
      hits === undefined
        ? // Read one more to know whether there are more.
          await service.events({ limit: limit + 1, before, search })
        : (await service.events({ limit: Number.MAX_SAFE_INTEGER, before })).filter(({ seq }) => hits.has(seq));
    const events = found.slice(0, limit);
    const versions = versionsBySeq(await wholeHistory(service));
    const oldest = events.at(-1)?.seq;
    const more = found.length > limit && oldest !== undefined;
    const words = search === undefined ? "" : ` --search=${quoted(search)}`;
    const older = `conduct behavior history --before=${oldest} --limit=${limit}${words}`;
    const next: NextAction[] = more ? [{ command: older, description: "Show older changes" }] : [];
    const since = events.findLast(({ seq }) => versions.has(seq))?.seq;
    if (since !== undefined)
      next.push({ command: `conduct behavior diff ${versions.get(since)}`, description: "Show what changed since" });
    const rows = events.map((event) => {
      const version = versions.get(event.seq);
      const lead = `  ${paint("bold", (version === undefined ? "" : `v${version}`).padEnd(6))}  ${paint("dim", stamp(event.at))}  `;
      return `${hang(lead, `${describeEvent(event)} · ${event.by}`, columns).join("\n")}\n`;
    });
    const none = search === undefined ? "no changes yet" : `no change matches '${oneLine(search)}'`;
    const shown = rows.length === 0 ? `  ${none}\n` : rows.join("");
    const tail = more
      ? `\n  ${plural(events.length, "change")} shown. For older ones: ${spoken(older, invocation)}\n`
      : "";
    const shownEvents = events.map((event) => ({ ...event, version: versions.get(event.seq) }));
    return done({ events: shownEvents, more }, `\n${shown}${tail}\n`, next);
  });
};

/** Returns `undefined` if there is no index or it is not up to date; the journal is then searched instead. */
async function searchIndex(
  world: GovernanceWorld,
  journal: GovernanceJournal,
  text: string,
): Promise<ReadonlySet<number> | undefined> {
  try {
    const index = await world.index(journal);
    // Perhaps no gateway runs that follows the journal.
    if (index === undefined || !(await projectSoon(index, journal))) return undefined;
    const { found } = await index.search({ text, limit: MOST });
    return new Set(found.map(({ seq }) => seq));
  } catch {
    return undefined;
  }
}
