import { contractFor, diffContracts, renderContract } from "../../../../behavior/contract/active-contract.ts";
import type { BehaviorDiffArgs } from "../../declared/contract-commands.ts";
import { badArgument, done } from "../../line/outcome.ts";
import { damaged, type GovernanceCommand, HISTORY, onThisMachine, withContract } from "../../stores/with-contract.ts";
import { changedDirectives, isWhole, pastState } from "./contracts.ts";
import { noSuchVersion, readVersion, readView } from "./read-options.ts";
import { renderDiffLines, versionText } from "./render.ts";

export const runDiff: GovernanceCommand<BehaviorDiffArgs> = async (args, { paint }, world) => {
  const view = readView(args);
  if ("ok" in view) return view;
  const [a, b] = [readVersion(args.from, "FROM"), readVersion(args.to, "TO")];
  if (typeof a === "object") return a;
  if (typeof b === "object") return b;
  if (a === undefined) {
    return badArgument("no version is named", "name one or two, as the history has them: conduct behavior diff 3 7");
  }
  return withContract(world, "read", async ({ service, journal }) => {
    const now = await service.state();
    if (now.fault !== undefined) return damaged(now.fault);
    const { seq: newest } = await journal.head();
    const strange = [a, b ?? 0].find((version) => version > newest);
    if (strange !== undefined) return noSuchVersion(strange, newest);
    const before = await pastState(service, { seq: a });
    const after = b === undefined ? { state: now, now: world.clock.now() } : await pastState(service, { seq: b });
    const [from, to] = [contractFor(before.state, view, before.now), contractFor(after.state, view, after.now)];
    // Without a view, changes of all scopes are shown.
    const anywhere = isWhole(view) ? changedDirectives(before.state, after.state) : undefined;
    const diff = { ...diffContracts(from, to), ...anywhere };
    const lines = renderDiffLines(diff, paint);
    const said = lines !== "" ? lines : diff.same ? "  the same is told\n" : "  the same is told in another order\n";
    const [old, fresh] = anywhere === undefined ? [versionText(from), versionText(to)] : [`v${a}`, `v${b ?? newest}`];
    return done(
      { view, ...diff, blocks: { from: renderContract(from), to: renderContract(to) } },
      `\n  contract ${paint("bold", old)} → ${paint("bold", fresh)}\n${said}\n`,
      [HISTORY],
    );
  });
};

/** `conduct behavior diff FROM [TO]` */
export const behaviorDiff = onThisMachine(runDiff);
