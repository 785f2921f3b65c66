import { CAPABILITY_MEANING } from "../../../base/kernel/capability-meaning.ts";
import type { Can, Capabilities, Capability } from "../../../base/words/hosting/capability.ts";

/**
 * Every capability of the conformance kit except the listed ones, each with the reason why the runtime cannot have it.
 * `undefined` means neither claimed nor ruled out.
 */
export function allExcept(cannot: { readonly [C in Capability]?: string | undefined }): Capabilities {
  const names = Object.keys(CAPABILITY_MEANING).filter((name) => name !== "same-decisions") as Capability[];
  const rows = names.map((name): [Capability, Can | undefined] => {
    const why = cannot[name];
    return [name, why === undefined ? (Object.hasOwn(cannot, name) ? undefined : true) : { cannot: why }];
  });
  return Object.fromEntries(rows) as Capabilities;
}
