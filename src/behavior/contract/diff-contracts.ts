import type { ActiveBehaviorContract, BehaviorDirective } from "../../base/words/contract.ts";
import { writeDirective } from "./parse/directive-form.ts";
import { contractLines } from "./render-contract.ts";

/** What the agent is told more and no longer. `same`: the lines are equal, and stand in the same order. */
export type ContractDiff = {
  readonly from: Pick<ActiveBehaviorContract, "version" | "hash">;
  readonly to: Pick<ActiveBehaviorContract, "version" | "hash">;
  readonly same: boolean;
  readonly added: readonly BehaviorDirective[];
  readonly removed: readonly BehaviorDirective[];
};

/** Compares what is told, not ids: a directive that was removed and added again is no difference. */
export function diffContracts(a: ActiveBehaviorContract, b: ActiveBehaviorContract): ContractDiff {
  const before = new Set(contractLines(a.directives));
  const after = new Set(contractLines(b.directives));
  return {
    from: { version: a.version, hash: a.hash },
    to: { version: b.version, hash: b.hash },
    same: a.hash === b.hash,
    added: b.directives.filter((directive) => !before.has(lineOf(directive))),
    removed: a.directives.filter((directive) => !after.has(lineOf(directive))),
  };
}

/** One line for each difference, what went first. */
export function renderContractDiff({ added, removed }: Pick<ContractDiff, "added" | "removed">): string {
  return [...removed.map((one) => `- ${writeDirective(one)}`), ...added.map((one) => `+ ${writeDirective(one)}`)].join(
    "\n",
  );
}

function lineOf(directive: BehaviorDirective): string {
  return contractLines([directive]).join("");
}
