import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { PersistentMap } from "../../../../base/kernel/persistent-map.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { ContractEvent } from "../../../../base/words/contract.ts";
import { contractFor } from "../../../../behavior/contract/active-contract.ts";
import { type ContractState, foldContract } from "../../../../behavior/contract/contract-state.ts";
import { readEntry } from "../../../../behavior/contract/journal-entry.ts";
import { plural } from "../../../shared/printable.ts";
import { done, failed } from "../../line/outcome.ts";
import type { Paint } from "../../line/terminal.ts";
import {
  damaged,
  type GovernanceCommand,
  type GovernanceWorld,
  onThisMachine,
  VERIFY,
  withContract,
} from "../../stores/with-contract.ts";
import { versionText } from "../behavior/render.ts";
import { readPages } from "./verify.ts";

export const runRebuild: GovernanceCommand = (_, { paint }, world) =>
  withContract(world, "write", async ({ service, journal, events, rebuildSearch }) => {
    const live = await service.state();
    if (live.fault !== undefined) return damaged(live.fault);
    const contractEvents: ContractEvent[] = [];
    for await (const entries of readPages(journal, { to: live.seq })) {
      for (const entry of entries) {
        const event = readEntry(entry);
        if (event !== undefined && !("fault" in event)) contractEvents.push(event);
      }
    }
    const again = foldContract(contractEvents);
    if (imageOf(again) !== imageOf(live)) {
      const message = "the contract made anew is not the one in use";
      const fix = "report this, with: conduct journal export";
      const next = [{ command: "conduct journal export", description: "What is in the journal" }];
      return failed("PROJECTION_DIFFERS", message, fix, { next });
    }
    const sessions = await events?.rebuild();
    const search = await rebuildSearch?.();
    const indexed = await rebuildHistory(world, journal);
    const { version, hash } = contractFor(again, {}, world.clock.now());
    const figures =
      sessions === undefined
        ? ""
        : `  ${paint("green", "✓")} sessions: the figures of ${plural(sessions, "session")} worked out anew\n`;
    const words =
      search === undefined
        ? ""
        : `  ${paint("green", "✓")} search: the words of ${plural(search.governance, "change")}, ${plural(search.events, "event")} and ${plural(search.notes, "note")} indexed anew\n`;
    return done(
      {
        contract: { version, hash, events: contractEvents.length },
        sessions,
        search,
        history: indexed,
      },
      `\n  ${paint("green", "✓")} contract: ${plural(contractEvents.length, "change")} make ${versionText({ version, hash })}, as it is in use\n${figures}${words}${historyLine(indexed, paint)}\n`,
      [VERIFY],
    );
  });

type Indexed = { readonly entries: number } | { readonly problem: string };

/** Rebuilds the search index, if one is configured. An unreachable index is reported, but fails nothing. */
async function rebuildHistory(world: GovernanceWorld, journal: GovernanceJournal): Promise<Indexed | undefined> {
  const index = await world.index();
  if (index === undefined) return undefined;
  try {
    const { rebuildIndex } = await import("../../../../edge/stores/typesense/history-index.ts");
    return { entries: (await rebuildIndex(journal, index)).taken };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

function historyLine(indexed: Indexed | undefined, paint: Paint): string {
  if (indexed === undefined) return "";
  if ("problem" in indexed)
    return `  ${paint("amber", "!")} history: the index could not be made: ${indexed.problem}\n`;
  return `  ${paint("green", "✓")} history: ${plural(indexed.entries, "change")} indexed\n`;
}

export const journalRebuild = onThisMachine(runRebuild);

/** The state as bytes, for comparison. */
function imageOf({ fault: _, ...state }: ContractState): string {
  const plain = Object.entries(state).map(([name, part]) => [
    name,
    part instanceof PersistentMap ? Object.fromEntries<unknown>(part) : part,
  ]);
  return canonicalJson(JSON.parse(JSON.stringify(Object.fromEntries(plain))));
}
