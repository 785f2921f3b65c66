import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { PromptCut, ToldSection, TraceEntry } from "../../../base/words/prompt.ts";
import { SEPARATOR, shortHash } from "../../../behavior/prompt/section-measures.ts";

const PAGE = 200;

type PromptEvent = Extract<ConductEvent, { readonly type: "prompt" }>;

/** A section of a prompt of the past. Without `text`: it is no longer kept. `lines` count from 1, as long as all texts are there. */
export type PastSection = ToldSection & {
  readonly text?: string;
  readonly lines?: { readonly from: number; readonly to: number };
  /** Before it ends what a provider's cache can hold. */
  readonly cached: boolean;
};

/** What the agent was told. `exact`: every byte is as it was; else secrets were taken out of it, or texts are no longer kept. */
export type PastPrompt = {
  readonly event: string;
  readonly session: string;
  readonly agent: string;
  readonly turn: number;
  readonly at: number;
  readonly hash: string;
  readonly prefixHash: string;
  readonly tokens: number;
  readonly prefixTokens: number;
  readonly exact: boolean;
  readonly text?: string;
  readonly sections: readonly PastSection[];
  readonly cuts: readonly PromptCut[];
  /** Contributors that were selected and are not in it, and why; unknown for prompts of before. */
  readonly left?: readonly TraceEntry[];
  readonly contract?: PromptEvent["contract"];
};

/** The prompt that a session was given in a turn, the newest where it had several; the newest of all without a turn. */
export async function findPrompt(
  journal: Pick<EventJournal, "read">,
  session: string,
  turn?: number,
): Promise<PromptEvent | undefined> {
  let before: number | undefined;
  do {
    const page = await journal.read({
      session,
      types: ["prompt"],
      limit: turn === undefined ? 1 : PAGE,
      ...(before === undefined ? {} : { before }),
    });
    for (const { event } of page.events) {
      if (event.type !== "prompt") continue;
      if (turn === undefined || event.turn === turn) return event;
      // Turns only go up.
      if (event.turn < turn) return undefined;
    }
    before = page.next;
  } while (before !== undefined);
  return undefined;
}

/** The event with the texts that are kept beside it. */
export async function readPrompt(journal: Pick<EventJournal, "readSections">, event: PromptEvent): Promise<PastPrompt> {
  const texts = await journal.readSections(event.sections.map(({ hash }) => hash));
  const found = event.sections.map((section) => ({ ...section, text: texts.get(section.hash) }));
  const isWhole = found.every(({ text }) => text !== undefined);
  const text = isWhole ? found.map((one) => one.text).join(SEPARATOR) : undefined;
  const { id, session, agent, turn, at, hash, prefixHash, tokens, prefixTokens, cuts, left, contract } = event;
  return {
    ...{ event: id, session, agent, turn, at, hash, prefixHash, tokens, prefixTokens },
    exact: text !== undefined && shortHash(text) === hash,
    ...(text === undefined ? {} : { text }),
    sections: placed(found, prefixTokens, isWhole),
    cuts,
    ...(left === undefined ? {} : { left }),
    ...(contract === undefined ? {} : { contract }),
  };
}

/** The cache holds the sections up to the first one of the turn; their tokens come to what the event says. */
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
    // A blank line stands between two.
    line = to + 2;
    return {
      ...section,
      cached: tokens <= prefixTokens,
      ...(text === undefined ? {} : { text }),
      ...(isWhole ? { lines: { from, to } } : {}),
    };
  });
}
