import { errorText } from "../../../base/kernel/error-text.ts";
import type { GovernanceDraft } from "../../../base/ports/stores/governance.ts";
import type { OpenGovernance } from "./open-governance.ts";

/** Retries if another writer appends first. */
const TRIES = 20;

/**
 * Appends an entry to the governance journal. Never rejects: returns the reason if the write failed, else `undefined`.
 */
export async function journalDraft(
  world: { open(access: "write"): Promise<OpenGovernance> },
  draft: GovernanceDraft,
): Promise<string | undefined> {
  try {
    const { journal, close } = await world.open("write");
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        if ((await journal.append((await journal.head()).seq, [draft])) !== "moved") return undefined;
      }
      return "other processes kept writing to it";
    } finally {
      await close();
    }
  } catch (error) {
    return errorText(error);
  }
}
