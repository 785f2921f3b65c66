import { describe, expect, it } from "vitest";
import type { KeptEvent } from "../../base/ports/stores/event-journal.ts";
import { feedbackHistory } from "./feedback-history.ts";

/** One result for each list of providers, oldest first, and a journal that reads two at a time. */
function journalOf(results: readonly (readonly string[])[]) {
  const events = results
    .map((providers, at) => ({
      position: at + 1,
      event: { type: "result", feedback: providers.map((providerName) => ({ providerName, callIndex: at + 1 })) },
    }))
    .reverse() as unknown as readonly KeptEvent[];
  return {
    async read({ before = Number.POSITIVE_INFINITY }: { readonly before?: number }) {
      const left = events.filter(({ position }) => position <= before);
      const page = left.slice(0, 2);
      return { events: page, next: left[2]?.position };
    },
  };
}

const journal = journalOf([["a"], ["b", "a"], [], ["b"], ["a"]]);
const read = async (query: { provider?: string; before?: number; limit: number }) => {
  const { feedback, next } = await feedbackHistory(journal, { session: "s", ...query });
  return [feedback.map((one) => `${one.providerName}${one.callIndex}`).join(" "), next];
};

describe("the history of feedback", () => {
  it.each<[string, { provider?: string; before?: number; limit: number }, string, number | undefined]>([
    ["all, newest first", { limit: 9 }, "a5 b4 a2 b2 a1", undefined],
    ["one provider's", { limit: 9, provider: "b" }, "b4 b2", undefined],
    ["a first page", { limit: 1, provider: "a" }, "a5", 4],
    ["the page after it, past results without feedback", { limit: 1, provider: "a", before: 4 }, "a2", 1],
    ["the last page", { limit: 1, provider: "a", before: 1 }, "a1", undefined],
    ["a call's feedback is not split", { limit: 3 }, "a5 b4 a2 b2", 1],
    ["nothing", { limit: 9, provider: "c" }, "", undefined],
  ])("FBH-1 %s", async (_, query, shown, next) => {
    expect(await read(query)).toEqual([shown, next]);
  });
});
