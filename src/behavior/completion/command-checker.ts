import { checkOptions, name, number, optional, positive, type ShapesOf } from "../../base/kernel/check-options.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { neutraliseTags, wellFormed } from "../../base/kernel/text.ts";
import type { CommandResult } from "../../base/ports/commands.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/hosting/completion.ts";
import { incomplete, ok } from "./completion-result.ts";

const TAIL = 1_500;

type CommandOptions = { readonly command: string; readonly timeoutMs?: number; readonly expect?: number };
const KEYS: ShapesOf<CommandOptions> = { command: name, timeoutMs: optional(positive), expect: optional(number) };

/** Done when the command ends with the expected exit code, 0 unless told. Otherwise the agent sees the end of its output. */
export class CommandChecker implements CompletionChecker {
  readonly #command: string;
  readonly #timeoutMs: number;
  readonly #expect: number;

  constructor(options: CommandOptions) {
    checkOptions("CommandChecker", options, KEYS);
    this.#command = options.command;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.#expect = options.expect ?? 0;
  }

  async check({ commands, signal }: CompletionContext): Promise<CompletionResult> {
    const command = `\`${this.#command}\``;
    if (commands === undefined) return incomplete(`${command} must succeed, but nothing here can run commands.`);
    let result: CommandResult;
    try {
      result = await commands.run(this.#command, { timeoutMs: this.#timeoutMs, signal });
    } catch (error) {
      return incomplete(`${command} could not be run: ${errorText(error)}.`);
    }
    if (!result.timedOut && result.exitCode === this.#expect) return ok(`${command} exited with code ${this.#expect}.`);
    return incomplete(`${command} ${this.#howItEnded(result)}.${showTail(result.output)}`);
  }

  #howItEnded({ exitCode, timedOut }: CommandResult): string {
    if (timedOut) return `did not end within ${this.#timeoutMs / 1_000} s`;
    if (exitCode === undefined) return "was stopped before it ended";
    return `exited with code ${exitCode}${this.#expect === 0 ? "" : ` instead of ${this.#expect}`}`;
  }
}

/** From the start of a line where one is near; tags of ours in the output close nothing. */
function showTail(output: string): string {
  const text = wellFormed(output).trimEnd();
  if (text === "") return " It printed nothing.";
  if (text.length <= TAIL) return ` Its output:\n${neutraliseTags(text)}`;
  const tail = text.slice(-TAIL);
  const lineEnd = tail.indexOf("\n");
  const cut = lineEnd >= 0 && lineEnd < TAIL / 4 ? tail.slice(lineEnd + 1) : tail.replace(/^[\udc00-\udfff]/, "");
  return ` The end of its output:\n…${neutraliseTags(cut)}`;
}
