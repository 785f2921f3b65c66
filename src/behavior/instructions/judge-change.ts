import { hashJson } from "../../base/kernel/canonical-json.ts";
import type { Instructions } from "../../base/words/hosting/instructions.ts";
import { type ItemsDiff, showItem } from "./compare-items.ts";
import { type Seen, unseenItems } from "./seen.ts";

/** So many items may vanish at once without being asked about. */
const MAX_VANISHING = 3;
const LISTED = 50;
const LISTED_CHARS = 200;

/**
 * Why the change is not made as it is, with what to do; `undefined` when it can be made. Text that the model has not seen
 * is never dropped or overwritten; more than three items vanish only with the `confirm` that this refusal gave.
 */
export function judgeChange(
  before: Pick<Instructions, "version">,
  { removed, edited }: Pick<ItemsDiff, "removed" | "edited">,
  { seen, confirm }: { readonly seen: Seen; readonly confirm?: string | undefined },
): string | undefined {
  const unseen = unseenItems(seen, [...removed, ...edited.map(({ from }) => from)]);
  if (unseen.length > 0) {
    return (
      `Nothing was changed: this would drop or overwrite ${count(unseen.length)} that you have not seen as ` +
      `${unseen.length === 1 ? "it is" : "they are"} now. ` +
      "Call read_memory first; then add, edit or remove single items, or write the full text again with what should stay."
    );
  }
  if (removed.length <= MAX_VANISHING) return undefined;
  const needed = hashJson([before.version, removed.map(({ id }) => id).sort()]).slice(0, 8);
  if (confirm === needed) return undefined;
  const listed = removed.slice(0, LISTED).map((item) => showItem(item, "- ", LISTED_CHARS));
  const rest = removed.length > LISTED ? [`and ${removed.length - LISTED} more`] : [];
  return [
    `Nothing was changed: ${count(removed.length)} would vanish:`,
    ...listed,
    ...rest,
    `If the user wants exactly that, make the same call again with "confirm": "${needed}".`,
  ].join("\n");
}

function count(items: number): string {
  return items === 1 ? "1 instruction" : `${items} instructions`;
}
