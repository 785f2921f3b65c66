import type { ContractView } from "../../../../../base/words/contract.ts";
import { isScope } from "../../../../../behavior/contract/scopes.ts";
import type { Arguments } from "../../../line/command.ts";
import type { Outcome } from "../../../line/outcome.ts";
import { clip, oneLine } from "../../../line/printable.ts";
import { badArgument } from "../answers.ts";
import { textOf } from "../world.ts";

/** Whose contract is asked for. */
export function readView(args: Arguments): ContractView | Extract<Outcome, { readonly ok: false }> {
  const view: Record<string, string> = {};
  for (const kind of ["agent", "channel", "user"] as const) {
    const name = textOf(args[kind]);
    if (name === undefined) continue;
    if (!isScope(`${kind}:${name}`)) {
      const message = `--${kind}: '${clip(oneLine(name), 80)}' is no name`;
      return badArgument(message, "give a name without spaces", "INVALID_SCOPE");
    }
    view[kind] = name;
  }
  return view;
}
