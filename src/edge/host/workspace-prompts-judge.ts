import type { Fault } from "../../base/words/event.ts";
import type { PromptContributor } from "../../base/words/prompt.ts";
import type { PromptRead } from "./workspace-prompts-read.ts";

/** Characters that all of them together may have. */
const MAX_TOGETHER = 60_000;

/** `state` tells one state of a file from the next where the words are the same. */
export type PromptFault = Fault & { readonly state: string };

export type JudgedPrompts = {
  readonly contributors: readonly PromptContributor[];
  readonly faults: readonly PromptFault[];
};

export type PromptTrust = {
  /** For the command that a person is told to run. */
  readonly folder: string;
  /** The trusted hash of each path. */
  readonly trusted: ReadonlyMap<string, string>;
  /** The text that was trusted, as far as it was seen; it is kept here for the next time. */
  readonly trustedTexts: Map<string, string>;
};

/** Which of the files are used, in the order of their names; each of the others is left out alone, for a reason. */
export function judgePrompts(
  found: readonly { readonly name: string; readonly read: PromptRead }[],
  { folder, trusted, trustedTexts }: PromptTrust,
): JudgedPrompts {
  const contributors: PromptContributor[] = [];
  const faults: PromptFault[] = [];
  const owners = new Map<string, string>();
  let together = 0;
  const leave = (name: string, line: number, code: string, message: string, state = "") => {
    faults.push({ where: `${name}:${line}`, code, message: `${message}; it is left out`, state });
  };
  for (const { name, read } of found) {
    if (read.kind === "refused") {
      leave(name, 1, "prompt-unreadable", `${read.message} (${read.hint})`);
      continue;
    }
    const { path, text, sha256, parsed } = read;
    if ("faults" in parsed) {
      for (const { line, message, hint } of parsed.faults) {
        leave(name, line, "prompt-broken", hint === undefined ? message : `${message} (${hint})`);
      }
      continue;
    }
    const known = trusted.get(path);
    if (known === undefined) {
      leave(name, 1, "prompt-untrusted", `nobody has trusted the file yet (${look(folder)})`, sha256);
      continue;
    }
    if (known !== sha256) {
      const line = firstChange(trustedTexts.get(path) ?? "", text);
      leave(name, line, "prompt-changed", `the file has changed since it was trusted (${look(folder)})`, sha256);
      continue;
    }
    trustedTexts.set(path, text);
    const { contributor, idLine } = parsed;
    const owner = owners.get(contributor.id);
    if (owner !== undefined) {
      const message = `the id '${contributor.id}' belongs to ${owner} (give one of them another id)`;
      leave(name, idLine, "prompt-id-taken", message);
    } else if (together + text.length > MAX_TOGETHER) {
      const most = MAX_TOGETHER.toLocaleString("en-US");
      leave(name, 1, "prompt-limit", `with this file the prompts would be longer than ${most} characters together`);
    } else {
      together += text.length;
      owners.set(contributor.id, name);
      contributors.push(contributor);
    }
  }
  return { contributors, faults };
}

function look(folder: string): string {
  const word = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
  return `look at it, then run: conduct trust ${word}`;
}

/** The first line that differs; the first when there is nothing to compare with. */
function firstChange(before: string, after: string): number {
  if (before === "") return 1;
  const [old, now] = [before.split("\n"), after.split("\n")];
  const at = now.findIndex((line, index) => line !== old[index]);
  return at < 0 ? now.length : at + 1;
}
