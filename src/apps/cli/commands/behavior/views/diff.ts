import { contractFor } from "../../../../../behavior/contract/active-contract.ts";
import { diffContracts } from "../../../../../behavior/contract/diff-contracts.ts";
import { renderContract } from "../../../../../behavior/contract/render-contract.ts";
import { badArgument, damaged, HISTORY } from "../answers.ts";
import { renderDiffLines, versionText } from "../render/render.ts";
import { type GovernanceCommand, onThisMachine, withContract } from "../world.ts";
import { changedDirectives, isWhole } from "./contracts.ts";
import { pastState } from "./past.ts";
import { noSuchVersion, readVersion } from "./point.ts";
import { readView } from "./view.ts";

export const runDiff: GovernanceCommand = async (args, { paint }, world) => {
  const view = readView(args);
  if ("ok" in view) return view;
  const [a, b] = [readVersion(args.from, "FROM"), readVersion(args.to, "TO")];
  for (const wrong of [a, b]) if (typeof wrong === "object") return wrong;
  if (typeof a !== "number") {
    return badArgument("no version is named", "name one or two, as the history has them: conduct behavior diff 3 7");
  }
  return withContract(world, "read", async ({ service, journal }) => {
    const { fault } = await service.state();
    if (fault !== undefined) return damaged(fault);
    const { seq: newest } = await journal.head();
    const strange = [a, Number(b ?? 0)].find((version) => version > newest);
    if (strange !== undefined) return noSuchVersion(strange, newest);
    const before = await pastState(service, { seq: a });
    const after =
      typeof b === "number"
        ? await pastState(service, { seq: b })
        : { state: await service.state(), now: world.clock.now() };
    const [from, to] = [contractFor(before.state, view, before.now), contractFor(after.state, view, after.now)];
    // Of nobody in particular it is asked what changed anywhere.
    const anywhere = isWhole(view) ? changedDirectives(before.state, after.state) : undefined;
    const diff = { ...diffContracts(from, to), ...anywhere };
    const lines = renderDiffLines(diff, paint);
    const said = lines !== "" ? lines : diff.same ? "  the same is told\n" : "  the same is told in another order\n";
    const names =
      anywhere === undefined
        ? ([versionText(from), versionText(to)] as const)
        : ([`v${a}`, `v${b ?? newest}`] as const);
    return {
      ok: true,
      result: { view, ...diff, blocks: { from: renderContract(from), to: renderContract(to) } },
      text: `\n  contract ${paint("bold", names[0])} → ${paint("bold", names[1])}\n${said}\n`,
      next: [HISTORY],
    };
  });
};

/** `conduct behavior diff FROM [TO]` */
export const behaviorDiff = onThisMachine(runDiff);
