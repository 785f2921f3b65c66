import { type Desk, type Draft, shrinkDraft } from "./draft-section.ts";

/** Never cut and never left out, whatever the budget. */
const PROTECTED: ReadonlySet<string> = new Set(["builtin:identity", "builtin:contract", "builtin:safety"]);
/** A cut goes down to a multiple of this, so that a token more elsewhere does not change it. */
const STEP = 16;
/** As much again goes to the marker of the cut. */
const LEAST = 2 * STEP;

/** `left` are those left out, with the reason; `over` says that what is never cut is too much by itself. */
export type Fitted = {
  readonly drafts: readonly Draft[];
  readonly left: ReadonlyMap<string, string>;
  readonly over?: string;
};

/** The sections within a budget of tokens: the lowest priority shrinks first, and goes when too little of it would stay. */
export function fitBudget(drafts: readonly Draft[], budget: number, desk: Desk): Fitted {
  let total = tokensOf(drafts);
  if (total <= budget) return { drafts, left: new Map() };
  const fitted = new Map(drafts.map((draft) => [draft.selected.id, draft]));
  const left = new Map<string, string>();
  for (const draft of drafts.filter(({ selected }) => !isProtected(selected.id)).sort(lowestFirst)) {
    if (total <= budget) break;
    const { id } = draft.selected;
    const { tokens } = draft.measure;
    const shrunk = shrinkTo(draft, tokens - (total - budget), desk);
    if (shrunk === undefined) {
      fitted.delete(id);
      left.set(id, `it has ${tokens} tokens; the prompt may have ${budget}`);
    } else fitted.set(id, shrunk);
    total += (shrunk?.measure.tokens ?? 0) - tokens;
  }
  const kept = [...fitted.values()];
  if (total <= budget) return { drafts: kept, left };
  return { drafts: kept, left, over: `the prompt may have ${budget} tokens; what is never cut has ${total}` };
}

export function isProtected(id: string): boolean {
  return PROTECTED.has(id);
}

function tokensOf(drafts: readonly Draft[]): number {
  return drafts.reduce((sum, { measure }) => sum + measure.tokens, 0);
}

function shrinkTo(draft: Draft, tokens: number, desk: Desk): Draft | undefined {
  const heading = draft.heading === undefined ? 0 : desk.measures.measure(`## ${draft.heading}`, desk.counter).tokens;
  for (let room = Math.floor((tokens - heading) / STEP) * STEP; room >= LEAST; room -= STEP) {
    const shrunk = shrinkDraft(draft, room, desk);
    if (shrunk === undefined || shrunk.measure.tokens <= tokens) return shrunk;
  }
  return undefined;
}

function lowestFirst({ selected: a }: Draft, { selected: b }: Draft): number {
  return b.priority - a.priority || (a.id < b.id ? 1 : -1);
}
