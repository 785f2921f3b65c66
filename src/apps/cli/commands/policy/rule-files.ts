import { loadRules } from "../../../../edge/host/opening/load-rules.ts";
import type { TextFileError } from "../../../../edge/host/workspace/read-text-file.ts";
import type { ConfigFault } from "../../../../engine/agent/config/config-source.ts";
import { plural } from "../../../shared/printable.ts";
import { failed, type Outcome } from "../../line/outcome.ts";
import { renderFaults } from "../../line/render-faults.ts";
import type { Paint } from "../../line/terminal.ts";

export type UsableRules = Extract<Awaited<ReturnType<typeof loadRules>>, { readonly text: string }>;

/** Loads every named file; returns a failure for the first missing one. */
export async function loadAll(
  files: readonly string[],
  cwd: string,
): Promise<{ readonly error: TextFileError } | { readonly loaded: readonly UsableRules[] }> {
  const loaded: UsableRules[] = [];
  for (const file of files) {
    const one = await loadRules(file, cwd);
    if ("error" in one) return one;
    loaded.push(one);
  }
  return { loaded };
}

export function faultyOutcome(
  what: { readonly code: string; readonly files: readonly string[]; readonly again: string },
  faults: readonly ConfigFault[],
  texts: ReadonlyMap<string, string>,
  paint: Paint,
): Outcome {
  const message = `${plural(faults.length, "fault")} in ${what.files.join(", ")}`;
  return failed(what.code, message, "correct these lines and check again", {
    result: { files: what.files, faults },
    text: `\n${renderFaults(faults, texts, "fault", paint)}\n  ${paint("red", `✗ ${message}`)}\n\n`,
    next: [
      { command: what.again, description: "Check again" },
      { command: "conduct policy schema", description: "What a rule file may say" },
    ],
  });
}
