import { basename } from "node:path";
import type { OffRule } from "../../base/words/rule.ts";

/** `publish-asks (off in line 6 of conduct.yaml)` */
export function describeOff({ id, level, by }: OffRule): string {
  if (by === undefined) return `${id} (not at level ${level})`;
  return `${id} (off in line ${by.line} of ${basename(by.file)})`;
}
