import { userInfo } from "node:os";
import { createInterface } from "node:readline";
import { type PersonAtTerminal, personAtTerminal } from "../../../edge/host/switch/person-at-terminal.ts";
import { askAtTerminal, newCode } from "../../../edge/host/switch/typed-code.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { Paint } from "./terminal.ts";

/** The account that is at the terminal: on an embedded store that is the operator. */
export function personHere(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // An account without a name, as in some containers.
    return "cli";
  }
}

/** More than any directive may have. */
const MOST = 64 * 1024;

/** What is piped in, up to a bound; `undefined` at a terminal. */
export async function readPiped(input: NodeJS.ReadStream): Promise<string | undefined> {
  if (input.isTTY === true) return undefined;
  let text = "";
  input.setEncoding("utf8");
  for await (const piece of input) {
    text += String(piece);
    if (text.length > MOST) break;
  }
  return text;
}

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
  return failed("NO_PERSON", message, fix);
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
  return failed("NOT_CONFIRMED", `${message}; nothing was changed`, fix);
}

/** Asks a person, yes or no; no unless they say yes. `undefined` when nobody is there to answer. */
export async function confirm(question: string): Promise<boolean | undefined> {
  const { stdin: input, stderr: output } = process;
  if (input.isTTY !== true || output.isTTY !== true) return undefined;
  const lines = createInterface({ input, output, terminal: false });
  output.write(question);
  try {
    return await new Promise((resolve) => {
      lines.once("close", () => resolve(undefined));
      lines.once("line", (line) => resolve(/^y(es)?$/i.test(line.trim())));
    });
  } finally {
    lines.close();
  }
}

/** A line for a change that could not be written to the governance journal. */
export function notJournaled(why: string | undefined, paint: Paint): readonly string[] {
  return why === undefined ? [] : [`  ${paint("red", "not in the journal:")} ${why}`];
}
