import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { ToldSection } from "../../base/words/prompt.ts";
import { SEPARATOR, shortHash } from "../../behavior/prompt/section-measures.ts";

const PAGE = 200;

type PromptEvent = Extract<ConductEvent, { readonly type: "prompt" }>;

/** A section of a past prompt. `text` is absent once it has expired; `lines` count from 1 and need every text. */
export type PastSection = ToldSection & {
  readonly text?: string;
  readonly lines?: { readonly from: number; readonly to: number };
  /** In the part that a provider can cache. */
  readonly cached: boolean;
};

/** A past prompt. `exact`: byte for byte as sent; false if secrets were redacted or texts have expired. */
export type PastPrompt = Pick<
  PromptEvent,
  "session" | "agent" | "turn" | "at" | "hash" | "prefixHash" | "tokens" | "prefixTokens" | "cuts" | "left" | "contract"
> & {
  readonly event: string;
  readonly exact: boolean;
  readonly text?: string;
  readonly sections: readonly PastSection[];
};

/** The newest prompt of a turn; without `turn`, the newest of the session. */
export async function findPrompt(
  journal: Pick<EventJournal, "read">,
  session: string,
  turn?: number,
): Promise<PromptEvent | undefined> {
  let before: number | undefined;
  do {
    const page = await journal.read({ session, types: ["prompt"], limit: turn === undefined ? 1 : PAGE, before });
    for (const { event } of page.events) {
      if (event.type !== "prompt") continue;
      if (turn === undefined || event.turn === turn) return event;
      // Turns only increase, so older events cannot match.
      if (event.turn < turn) return undefined;
    }
    before = page.next;
  } while (before !== undefined);
  return undefined;
}

/** Adds the stored section texts to a prompt event. */
export async function readPrompt(journal: Pick<EventJournal, "readSections">, event: PromptEvent): Promise<PastPrompt> {
  const texts = await journal.readSections(event.sections.map(({ hash }) => hash));
  const found = event.sections.map((section) => ({ ...section, text: texts.get(section.hash) }));
  const isWhole = found.every(({ text }) => text !== undefined);
  const text = isWhole ? found.map((one) => one.text).join(SEPARATOR) : undefined;
  const { id, session, agent, turn, at, hash, prefixHash, tokens, prefixTokens, cuts, left, contract } = event;
  return {
    ...{ event: id, session, agent, turn, at, hash, prefixHash, tokens, prefixTokens },
    exact: text !== undefined && shortHash(text) === hash,
    text,
    sections: placed(found, prefixTokens, isWhole),
    cuts,
    left,
    contract,
  };
}

/** Adds line numbers, and whether the cache covers the section: its tokens fit into the prefix of the event. */
function placed(
  found: readonly (ToldSection & { readonly text: string | undefined })[],
  prefixTokens: number,
  isWhole: boolean,
): readonly PastSection[] {
  let line = 1;
  let tokens = 0;
  return found.map(({ text, ...section }) => {
    tokens += section.tokens;
    const from = line;
    const to = from + (text ?? "").split("\n").length - 1;
    // Sections are separated by a blank line.
    line = to + 2;
    return { ...section, cached: tokens <= prefixTokens, text, lines: isWhole ? { from, to } : undefined };
  });
}
