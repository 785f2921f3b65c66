import { createInterface } from "node:readline";
import { accountName } from "../../../edge/host/node/account.ts";
import { type PersonAtTerminal, personAtTerminal } from "../../../edge/host/switch/person-at-terminal.ts";
import { askAtTerminal, newCode } from "../../../edge/host/switch/typed-code.ts";
import { type Failure, failed, type Outcome } from "./outcome.ts";
import type { Paint, Terminal } from "./terminal.ts";

/** The account at the terminal: with an embedded store, that is the operator. */
export function personHere(): string {
  const name = accountName();
  return name === undefined ? "cli" : `cli:${name}`;
}

/** More than the limit of any directive. */
const MOST = 64 * 1024;

/** Reads piped input up to a limit; `undefined` at a terminal. */
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

/** How a command checks that a person runs it; replaced in tests. */
export type PersonCheck = {
  look(): PersonAtTerminal;
  /** Asks on the controlling terminal itself; `undefined` if nobody answers. */
  ask(question: string): Promise<string | undefined>;
  code(): string;
};

export const personCheck: PersonCheck = { look: personAtTerminal, ask: askAtTerminal, code: newCode };

/**
 * Returns the proof for the journal, or the refusal. `does` completes "only a person …"; `fix` is another way to do
 * it.
 */
export function requirePerson(
  { look }: Pick<PersonCheck, "look">,
  does: string,
  fix: string,
): { readonly proof: string } | Outcome {
  const seen = look();
  if (seen.kind === "person") return { proof: seen.proof };
  const message = `Conduct cannot verify that a person runs this: ${seen.why}. Only a person ${does}.`;
  return failed("NO_PERSON", message, fix);
}

/** Like `requirePerson`, but the person must type a code that is shown on the terminal. */
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
  const message = typed === undefined ? "nobody typed the code in time" : "the code was wrong";
  return failed("NOT_CONFIRMED", `${message}; nothing was changed`, fix);
}

/** Asks yes or no, default no. Returns `undefined` if nobody can answer. */
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

/**
 * Shows what would happen and asks, unless `yes` is set. Returns the failure if no person confirms. `unchanged` says what
 * is true then, if something was done before the question.
 */
export async function askFirst(
  asked: {
    readonly yes: boolean | undefined;
    readonly shown: string;
    readonly question: string;
  },
  again: string,
  result: unknown,
  { json, out }: Pick<Terminal, "json" | "out">,
  ask: (question: string) => Promise<boolean | undefined> = confirm,
): Promise<Failure | undefined> {
  if (asked.yes === true) return undefined;
  if (!json) out(asked.shown);
  const answer = json ? undefined : await ask(`  ${asked.question} [y/N] `);
  if (answer === true) return undefined;
  const next = [{ command: again, description: "Run it without a question" }];
  const unchanged = "nothing was changed";
  if (answer === false) return failed("NOT_CONFIRMED", unchanged, `when you want it: ${again}`, { result, next });
  const message = `there is no terminal to ask at, so ${unchanged}`;
  return failed("CONFIRMATION_NEEDED", message, again, { result, next });
}

/** A warning for a change that could not be written to the governance journal. */
export function notJournaled(why: string | undefined, paint: Paint): readonly string[] {
  return why === undefined ? [] : [`  ${paint("red", "not in the journal:")} ${why}`];
}
