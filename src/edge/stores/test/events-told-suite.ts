import { describe, expect, it } from "vitest";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { STORY, sampleEvent } from "./events-samples.ts";

function prompt(hash: string, id: string, session = "s_1"): ConductEvent {
  const contract = { version: 1, hash, directives: 1 };
  const body = { type: "prompt", hash: "h", prefixHash: "p", tokens: 1, prefixTokens: 1 } as const;
  return sampleEvent({ ...body, sections: [], cuts: [], contract }, { id, session, at: 2_000 });
}

/** Where contracts were told. */
export function toldSuite(name: string, open: () => Promise<EventJournal>): void {
  describe(`events: ${name}: contracts told`, () => {
    async function told(): Promise<EventJournal> {
      const journal = await open();
      await journal.append([...STORY, prompt("4f1c", "a"), prompt("4f1c", "b", "s_2"), prompt("4f1f", "c")]);
      return journal;
    }

    it.each([
      { contract: "4f1c", found: ["b", "a"], use: { prompts: 2, sessions: 2, lastAt: 2_000 } },
      { contract: "4f1f", found: ["c"], use: { prompts: 1, sessions: 1, lastAt: 2_000 } },
      { contract: "4", found: ["c", "b", "a"], use: { prompts: 0, sessions: 0 } },
      { contract: "5", found: [], use: { prompts: 0, sessions: 0 } },
    ])(
      "JNL-17 a search for prompts by the contract hash or prefix $contract returns $found",
      async ({ contract, found, use }) => {
        const journal = await told();
        const { events } = await journal.read({ contract, limit: 9 });
        expect(events.map(({ event }) => event.id)).toEqual(found);
        expect(await journal.count({ contract })).toBe(found.length);
        expect(await journal.contractUse(contract)).toEqual(use);
      },
    );
  });
}
