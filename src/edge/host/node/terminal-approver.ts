import { userInfo } from "node:os";
import { createInterface, type Interface } from "node:readline";
import { checkOptions, name, object, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../../base/ports/approver.ts";
import type { PersonAnswer } from "../../../base/words/decision.ts";

// Node's streams by their shape, so that the package's types need no @types/node.
type Input = { readonly isTTY?: boolean; on(event: string, listener: (...args: never[]) => void): unknown };
type Output = { readonly isTTY?: boolean; write(text: string): unknown };

/** Where to ask: Node streams, by default stdin and stderr. */
export type TerminalApproverOptions = {
  readonly input?: Input;
  readonly output?: Output;
  /** Recorded as the person who answered. Default: the account's name. */
  readonly by?: string;
};

/** Longer inputs are shortened in the middle, with a note. */
const SHOWN = 4_000;

/**
 * Asks at the terminal, one question at a time. Nobody is available if input or output is no terminal or input has
 * ended.
 */
export function terminalApprover(options: TerminalApproverOptions = {}): Approver {
  checkOptions("terminalApprover", options, {
    input: optional(object),
    output: optional(object),
    by: optional(name),
  } satisfies ShapesOf<TerminalApproverOptions>);
  const { input = process.stdin, output = process.stderr, by = userInfo().username } = options;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    ask(question, signal) {
      const asked = turn.then(async (): Promise<ApprovalAnswer | undefined> => {
        if (input.isTTY !== true || output.isTTY !== true || signal.aborted) return undefined;
        const streams = [input as NodeJS.ReadableStream, output as NodeJS.WritableStream] as const;
        const answer = await askAt(...streams, question, signal);
        return answer === undefined ? undefined : { answer, by };
      });
      // A failed question must not affect the next one.
      turn = asked.catch(() => undefined);
      return asked;
    },
  };
}

/** The question as shown to a person: the input that would run and the rule that asks. */
export function renderApproval({ approval, session, rule, tool, question, input }: ApprovalQuestion): string {
  const shown = abridged(JSON.stringify(input, null, 2));
  return [
    "",
    `Approval ${plain(approval)} for session ${plain(session)}`,
    `  tool   ${plain(tool)}`,
    `  input  ${block(shown)}`,
    `  rule   ${plain(rule)}`,
    `  why    ${block(question)}`,
    "",
  ].join("\n");
}

async function askAt(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<PersonAnswer | undefined> {
  // Uses the terminal's own line editing, so no terminal state has to be restored.
  const lines = createInterface({ input, output, terminal: false });
  const stop = () => lines.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    output.write(renderApproval(question));
    for (;;) {
      const line = await nextLine(lines, output, question.remember === true);
      if (line === undefined) {
        output.write(`\n  no answer; ${plain(question.approval)} stays open\n`);
        return undefined;
      }
      const said = line.trim().toLowerCase();
      if (said === "y" || said === "yes") return "yes";
      if (said === "n" || said === "no") return "no";
      if (question.remember === true && (said === "a" || said === "always")) return "always";
    }
  } finally {
    signal.removeEventListener("abort", stop);
    lines.close();
  }
}

/** Returns `undefined` if the input ends or the question is closed. */
function nextLine(lines: Interface, output: NodeJS.WritableStream, always: boolean): Promise<string | undefined> {
  output.write(always ? "  [y]es / [n]o / [a]lways in this session: " : "  [y]es / [n]o: ");
  return new Promise((resolve) => {
    lines.once("close", () => resolve(undefined));
    lines.once("line", resolve);
  });
}

function abridged(text: string): string {
  if (text.length <= SHOWN) return text;
  const half = SHOWN / 2;
  return `${text.slice(0, half)}\n[… ${text.length - SHOWN} characters are not shown …]\n${text.slice(-half)}`;
}

/** Indents each line, so none can pass for one of ours. */
function block(text: string): string {
  return text.split("\n").map(plain).join("\n         ");
}

/** Escapes control and bidi characters: text from a model must not control the terminal or reverse a line. */
function plain(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
