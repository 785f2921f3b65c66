import { resolve } from "node:path";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { WorkspacePrompts } from "../../../base/ports/workspace-prompts.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import { type TrustStore, trustStore } from "../trust/trust.ts";
import { listPrompts, PROMPTS, type PromptRead, readPrompt } from "./workspace-prompts-read.ts";
import { isSharedSource } from "./workspace-sources.ts";

/** Limit in characters for all files together. */
const MAX_TOGETHER = 60_000;
/** How often the files of some folders are read, so that a fault is reported without a prompt. */
const POLL_MS = 1_000;
/** More folders take turns, because a gateway has one for each conversation. */
const MOST_POLLED = 8;

/** `state` distinguishes states of a file that have the same message. */
type PromptFault = Fault & { readonly state: string };

type JudgedPrompts = {
  readonly contributors: readonly PromptContributor[];
  readonly faults: readonly PromptFault[];
};

type PromptTrust = {
  /** Shown in the command that a person should run. */
  readonly folder: string;
  /** Trusted hash by path. */
  readonly trusted: ReadonlyMap<string, string>;
  /** The last trusted text of each file that was seen; updated for the next check. */
  readonly trustedTexts: Map<string, string>;
};

/** Selects the files to use, in name order. Each other file is left out on its own, with a reason. */
function judgePrompts(
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
      // Most repositories have an AGENTS.md, and most runtimes read it themselves.
      if (!isSharedSource(name))
        leave(name, 1, "prompt-untrusted", `the file is not trusted yet (${look(folder)})`, sha256);
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
      leave(name, 1, "prompt-limit", `with this file all prompt files together would exceed ${most} characters`);
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
  return `review it, then run: conduct trust ${word}`;
}

/** First line that differs; 1 if there is nothing to compare with. */
function firstChange(before: string, after: string): number {
  if (before === "") return 1;
  const [old, now] = [before.split("\n"), after.split("\n")];
  const at = now.findIndex((line, index) => line !== old[index]);
  return at < 0 ? now.length : at + 1;
}

type WorkspacePromptsOptions = {
  readonly workspace: string;
  readonly trust: TrustStore;
  /** Called for every file that is left out, once per state. */
  report(fault: Fault): void;
  /** The time until the next poll; one second by default. */
  pollMs?(): number;
};

type FolderPrompts = {
  /** The current contributors; the same list while nothing changes. Never rejects: unusable files are reported. */
  current(): Promise<readonly PromptContributor[]>;
  close(): void;
};

/** Contributors from a workspace's `.agents/prompts/*.md`, from files whose current content is trusted. */
export function workspacePrompts({
  workspace,
  trust,
  report,
  pollMs = () => POLL_MS,
}: WorkspacePromptsOptions): FolderPrompts {
  const folder = resolve(workspace);
  let reads = new Map<string, PromptRead>();
  /** Last trusted text of each file, to show where a change begins. */
  const trustedTexts = new Map<string, string>();
  let told = new Set<string>();
  let last: readonly PromptContributor[] = [];
  let running: Promise<readonly PromptContributor[]> | undefined;
  let waiting: Promise<readonly PromptContributor[]> | undefined;
  let closed = false;

  async function look(): Promise<readonly PromptContributor[]> {
    const { root, entries, problem } = await listPrompts(folder);
    const found = await Promise.all(
      entries.map(async (entry) => ({ name: entry.name, read: await readPrompt(entry, root, reads.get(entry.name)) })),
    );
    reads = new Map(found.map(({ name, read }) => [name, read]));
    const judged = await judge(found);
    const faults = [
      ...(problem === undefined ? [] : [{ where: PROMPTS, code: "prompt-folder", message: problem, state: problem }]),
      ...judged.faults,
    ];
    const said = new Set<string>();
    for (const { state, ...fault } of faults) {
      const key = JSON.stringify([fault.where, fault.code, fault.message, state]);
      said.add(key);
      if (!told.has(key) && !closed) tell(fault);
    }
    told = said;
    const same = judged.contributors.every((one, at) => one === last[at]) && judged.contributors.length === last.length;
    if (!same) last = judged.contributors;
    return last;
  }

  async function judge(found: readonly { readonly name: string; readonly read: PromptRead }[]): Promise<JudgedPrompts> {
    if (found.length === 0) return { contributors: [], faults: [] };
    try {
      const trusted = new Map((await trust.list()).map(({ path, sha256 }) => [path, sha256]));
      return judgePrompts(found, { folder, trusted, trustedTexts });
    } catch (error) {
      const message = `${errorText(error)}; no prompt file of the workspace is used`;
      return { contributors: [], faults: [{ where: trust.file, code: "trust-unreadable", message, state: "" }] };
    }
  }

  function tell(fault: Fault): void {
    try {
      report(fault);
    } catch {
      // A listener that throws must not prevent the prompt.
    }
  }

  /** Joins only a read that starts now or later: one in progress may have missed the change. */
  function current(): Promise<readonly PromptContributor[]> {
    if (running === undefined) {
      running = look().finally(() => {
        running = undefined;
      });
      return running;
    }
    waiting ??= running.then(() => {
      waiting = undefined;
      return current();
    });
    return waiting;
  }

  let timer = setTimeout(poll, pollMs()).unref();
  function poll(): void {
    void current();
    timer = setTimeout(poll, pollMs()).unref();
  }
  void current();
  return {
    current,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Limit of polled folders. The least recently used one is dropped and read again on its next use. */
const MAX_FOLDERS = 1_000;

export function promptsOfWorkspaces(
  home: string,
  report: (fault: Fault, root: string) => void,
): WorkspacePrompts & { close(): void } {
  const trust = trustStore(home);
  const folders = new Map<string, FolderPrompts>();
  const pollMs = () => POLL_MS * Math.max(1, folders.size / MOST_POLLED);

  function at(root: string): FolderPrompts {
    const known = folders.get(root);
    folders.delete(root);
    const folder =
      known ?? workspacePrompts({ workspace: root, trust, pollMs, report: (fault) => report(fault, root) });
    folders.set(root, folder);
    const [[oldest, prompts] = ["", undefined]] = folders;
    if (folders.size > MAX_FOLDERS && prompts !== undefined) {
      prompts.close();
      folders.delete(oldest);
    }
    return folder;
  }

  return {
    at: (root) => at(root).current(),
    close() {
      for (const folder of folders.values()) folder.close();
      folders.clear();
    },
  };
}
