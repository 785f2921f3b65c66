import {
  checkOptions,
  flag,
  having,
  listOf,
  mapOf,
  name,
  names,
  number,
  optional,
  positive,
  type ShapesOf,
} from "../../base/kernel/check-options.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { neutraliseTags, wellFormed } from "../../base/kernel/text.ts";
import type { CommandResult } from "../../base/ports/commands.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/hosting/completion.ts";
import type { Evidence } from "../../base/words/session-view.ts";
import { incomplete, ok, runChecker } from "./decide-stop.ts";

type Proof = "ok" | "never" | "failed" | "unknown";

const SAY: readonly (readonly [Proof, string])[] = [
  ["never", "Not run in this session"],
  ["failed", "Failed the last time"],
  ["unknown", "Ended with an unknown outcome the last time"],
];

const BEST_FIRST: readonly Proof[] = ["ok", "failed", "unknown", "never"];

type EvidenceOptions = {
  readonly actions: readonly string[];
  readonly latest?: boolean;
  /** For a fact: the actions that imply it. */
  readonly impliedBy?: Readonly<Record<string, readonly string[]>>;
};
const EVIDENCE_KEYS: ShapesOf<EvidenceOptions> = {
  actions: names,
  latest: optional(flag),
  impliedBy: optional(mapOf(names)),
};

/** Complete when every action has succeeded in this session and, unless `latest` is false, has not failed since. */
export class EvidenceChecker implements CompletionChecker {
  readonly #actions: readonly string[];
  readonly #latest: boolean;
  readonly #impliedBy: NonNullable<EvidenceOptions["impliedBy"]>;

  constructor(options: EvidenceOptions) {
    checkOptions("EvidenceChecker", options, EVIDENCE_KEYS);
    this.#actions = [...new Set(options.actions)];
    this.#latest = options.latest ?? true;
    this.#impliedBy = options.impliedBy ?? {};
  }

  check({ session }: CompletionContext): CompletionResult {
    const proofs = this.#actions.map((action) => {
      const found = [action, ...(this.#impliedBy[action] ?? [])].map((name) => this.#proof(session.evidence(name)));
      return { action, proof: BEST_FIRST.find((proof) => found.includes(proof)) };
    });
    const unproven = SAY.flatMap(([proof, say]) => {
      const actions = proofs.filter((item) => item.proof === proof).map((item) => item.action);
      return actions.length === 0 ? [] : [`${say}: ${actions.join(", ")}.`];
    });
    if (unproven.length === 0) return ok();
    return incomplete(`These must succeed before the work is done. ${unproven.join(" ")}`);
  }

  #proof(evidence: Evidence | undefined): Proof {
    if (evidence === undefined) return "never";
    if (evidence.ok > 0 && (!this.#latest || evidence.last === "ok")) return "ok";
    return evidence.last === "ok" ? "never" : evidence.last;
  }
}

/** At most three names, then an ellipsis. */
function nameSome(files: readonly string[]): string {
  return files.slice(0, 3).join(", ") + (files.length > 3 ? ", …" : "");
}

/** Complete when every file exists. A file that cannot be read counts as missing. */
export class FileOutputChecker implements CompletionChecker {
  readonly #files: readonly string[];

  constructor(options: { readonly files: readonly string[] }) {
    checkOptions("FileOutputChecker", options, { files: names });
    this.#files = [...new Set(options.files)];
  }

  async check({ filesystem, signal }: CompletionContext): Promise<CompletionResult> {
    const files = this.#files;
    if (files.length === 0) return ok("No files are required.");
    if (filesystem === undefined) {
      return incomplete(`Required files cannot be verified without a filesystem: ${nameSome(files)}.`);
    }
    const looks = await Promise.allSettled(files.map(async (file) => filesystem.look(file, signal)));
    const missing: string[] = [];
    const unreadable: string[] = [];
    looks.forEach((look, at) => {
      const file = files[at] ?? "";
      if (look.status === "rejected") unreadable.push(`${file} (${errorText(look.reason)})`);
      else if (!look.value.exists) missing.push(file);
    });
    if (missing.length + unreadable.length === 0) return ok(`All required files exist: ${nameSome(files)}.`);
    const lines: string[] = [];
    if (missing.length > 0) lines.push(`Required files are missing: ${nameSome(missing)}.`);
    if (unreadable.length > 0) lines.push(`Required files could not be checked: ${nameSome(unreadable)}.`);
    return incomplete(lines.join("\n"));
  }
}

type CompositeOptions = { readonly checkers: readonly CompletionChecker[]; readonly allMustPass?: boolean };
const COMPOSITE_KEYS: ShapesOf<CompositeOptions> = { checkers: listOf(having("check")), allMustPass: optional(flag) };

/**
 * Runs checkers in order until the result is known: the first failure if all must pass, else the first success. Without
 * checkers the work is complete.
 */
export class CompositeChecker implements CompletionChecker {
  readonly #checkers: readonly CompletionChecker[];
  readonly #allMustPass: boolean;

  constructor(options: CompositeOptions) {
    checkOptions("CompositeChecker", options, COMPOSITE_KEYS);
    this.#checkers = options.checkers;
    this.#allMustPass = options.allMustPass ?? true;
  }

  async check(context: CompletionContext): Promise<CompletionResult> {
    const failures: string[] = [];
    for (const checker of this.#checkers) {
      const result = await runChecker(checker, context);
      if (result.complete !== this.#allMustPass) return result;
      if (!result.complete && result.feedback !== undefined) failures.push(result.feedback);
    }
    if (this.#allMustPass || this.#checkers.length === 0) return ok();
    return failures.length === 0 ? incomplete() : incomplete(failures.join("\n"));
  }
}

const TAIL = 1_500;

type CommandOptions = { readonly command: string; readonly timeoutMs?: number; readonly expect?: number };
const COMMAND_KEYS: ShapesOf<CommandOptions> = {
  command: name,
  timeoutMs: optional(positive),
  expect: optional(number),
};

/** Complete when the command exits with the expected code, 0 by default. Otherwise the agent sees the end of its output. */
export class CommandChecker implements CompletionChecker {
  readonly #options: CommandOptions;

  constructor(options: CommandOptions) {
    checkOptions("CommandChecker", options, COMMAND_KEYS);
    this.#options = { ...options };
  }

  async check({ commands, signal }: CompletionContext): Promise<CompletionResult> {
    const { timeoutMs = 60_000, expect = 0 } = this.#options;
    const command = `\`${this.#options.command}\``;
    if (commands === undefined) return incomplete(`${command} must succeed, but this session cannot run commands.`);
    let result: CommandResult;
    try {
      result = await commands.run(this.#options.command, { timeoutMs, signal });
    } catch (error) {
      return incomplete(`${command} could not be run: ${errorText(error)}.`);
    }
    const { exitCode, timedOut, output } = result;
    if (!timedOut && exitCode === expect) return ok(`${command} exited with code ${expect}.`);
    const exited = `exited with code ${exitCode}${expect === 0 ? "" : ` instead of ${expect}`}`;
    const stopped = exitCode === undefined ? "was stopped before it ended" : exited;
    const end = timedOut ? `did not end within ${timeoutMs / 1_000} s` : stopped;
    return incomplete(`${command} ${end}.${showTail(output)}`);
  }
}

/** The end of the output, from the start of a line if one is near. */
function showTail(output: string): string {
  const text = wellFormed(output).trimEnd();
  if (text === "") return " It printed nothing.";
  if (text.length <= TAIL) return ` Its output:\n${neutraliseTags(text)}`;
  const tail = text.slice(-TAIL);
  const lineEnd = tail.indexOf("\n");
  const cut = lineEnd >= 0 && lineEnd < TAIL / 4 ? tail.slice(lineEnd + 1) : tail.replace(/^[\udc00-\udfff]/, "");
  return ` The end of its output:\n…${neutraliseTags(cut)}`;
}
