import type { InstructionsStore } from "../../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../../base/ports/stores/memory.ts";
import type { EventBody } from "../../../base/words/event.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { type Seen, sawItems, seenSlice } from "../../../behavior/instructions/seen.ts";
import type { UserContext } from "../user-context.ts";

export type TestUser = UserContext & { readonly events: readonly EventBody[] };

let ids = 0;

/** A session of a user; `given` replaces what is there. */
export function testUser(
  stores: { readonly instructions?: InstructionsStore; readonly memory?: MemoryStore },
  given: Partial<Pick<UserContext, "owner" | "interactive">> = {},
): TestUser {
  const events: EventBody[] = [];
  let seen: Seen = seenSlice.initial;
  return {
    owner: { user: "ann", agent: "helper" },
    interactive: true,
    session: "s_1",
    ...stores,
    ids: { next: (prefix) => `${prefix}_${++ids}` },
    now: () => Date.UTC(2026, 2, 6),
    seen: {
      get: () => seen,
      set: (next) => {
        seen = next;
      },
    },
    emit: (event) => events.push(event),
    events,
    ...given,
  };
}

/** As after a prompt that shows all instructions. */
export async function seeAll({ owner, instructions, seen }: UserContext): Promise<void> {
  if (owner === undefined || instructions === undefined) return;
  const { items } = await instructions.read(owner);
  seen.set(
    sawItems(
      seen.get(),
      items,
      items.map(({ id }) => id),
    ),
  );
}

/** A store in which somebody else adds an item before each of the first `times` writes. */
export function racedStore(store: InstructionsStore, times: number): InstructionsStore {
  let left = times;
  return {
    ...store,
    async write(owner, after, next) {
      if (left-- > 0) {
        const { items } = await store.read(owner);
        await store.write(owner, after, { ...next, items: [...items, { id: `o_${left}`, text: `theirs ${left}` }] });
      }
      return store.write(owner, after, next);
    },
  };
}

export function textOf({ parts }: ToolResult): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
}
