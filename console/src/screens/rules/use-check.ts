import { useEffect, useMemo, useState } from "react";
import { type Answer, ask, type GatewayError } from "../../data/client.ts";
import type { Mark } from "./code-editor.tsx";

type Checked = Answer<"POST /api/rules/check">;

/** Result of checking a rule file. `of`: the checked text, which may be older than the typed one. */
export type Check = {
  readonly of: string;
  readonly checked: Checked | undefined;
  readonly error: GatewayError | undefined;
  readonly marks: readonly Mark[];
  /** The newest text has no faults. */
  readonly sound: boolean;
};

/** Delay after the last key. */
const PAUSE_MS = 250;
const NO_MARKS: readonly Mark[] = [];

/** Checks the text with the gateway's own parser, after every pause in typing. */
export function useCheck(text: string): Check {
  const [said, setSaid] = useState<Pick<Check, "of" | "checked" | "error">>({
    of: "",
    checked: undefined,
    error: undefined,
  });
  useEffect(() => {
    if (text.trim() === "") {
      setSaid({ of: text, checked: undefined, error: undefined });
      return;
    }
    const ending = new AbortController();
    const timer = setTimeout(async () => {
      const outcome = await ask("POST /api/rules/check", { body: { text } }, { signal: ending.signal });
      if (ending.signal.aborted) return;
      if (outcome.ok) setSaid({ of: text, checked: outcome.value, error: undefined });
      else setSaid({ of: text, checked: undefined, error: outcome.error });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text]);
  const marks = useMemo(() => (said.checked === undefined ? NO_MARKS : marksOf(said.checked)), [said.checked]);
  const sound = said.of === text && said.checked !== undefined && said.checked.faults.length === 0;
  return { ...said, marks, sound };
}

function marksOf({ faults, warnings }: Pick<Checked, "faults" | "warnings">): readonly Mark[] {
  return [
    ...faults.map((one) => ({ ...one, level: "error" as const })),
    ...warnings.map((one) => ({ ...one, level: "warning" as const })),
  ];
}
