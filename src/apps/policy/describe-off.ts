import type { OffRule } from "../../base/words/rule.ts";

/** `publish-asks (off in conduct.yaml:6)` */
export function describeOff({ id, level, by }: OffRule): string {
  return `${id} (${by === undefined ? `not at level ${level}` : `off in ${by.file}:${by.line}`})`;
}
