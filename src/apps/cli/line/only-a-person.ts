import { type PersonAtTerminal, personAtTerminal } from "../../../edge/host/switch/person-at-terminal.ts";
import { askAtTerminal, newCode } from "../../../edge/host/switch/typed-code.ts";
import type { Outcome } from "./outcome.ts";

/** How a command finds out that a person runs it; a test gives its own. */
export type PersonCheck = {
  look(): PersonAtTerminal;
  /** Shows a question on the controlling terminal itself; `undefined` when nobody answers. */
  ask(question: string): Promise<string | undefined>;
  code(): string;
};

export const personCheck: PersonCheck = { look: personAtTerminal, ask: askAtTerminal, code: newCode };

/** The proof for the journal, or the refusal. `does` completes "only a person …"; `fix` is another way to do it. */
export function requirePerson(
  { look }: Pick<PersonCheck, "look">,
  does: string,
  fix: string,
): { readonly proof: string } | Outcome {
  const seen = look();
  if (seen.kind === "person") return { proof: seen.proof };
  const message = `Conduct cannot tell that a person runs this: ${seen.why}. Only a person ${does}.`;
  return { ok: false, code: "NO_PERSON", message, fix, next: [] };
}

/** The same, and the person has typed a code that was shown on the terminal. */
export async function requireTypedCode(
  check: PersonCheck,
  what: string,
  does: string,
  fix: string,
): Promise<{ readonly proof: string } | Outcome> {
  const person = requirePerson(check, does, fix);
  if ("ok" in person) return person;
  const code = check.code();
  const typed = await check.ask(`\n  ${what}\n  Type ${code} to confirm: `);
  if (typed?.toLowerCase() === code) return { proof: `typed a code ${person.proof}` };
  const message = typed === undefined ? "nobody typed the code in time" : "that was not the code";
  return { ok: false, code: "NOT_CONFIRMED", message: `${message}; nothing was changed`, fix, next: [] };
}
