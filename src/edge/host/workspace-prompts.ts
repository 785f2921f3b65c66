import { resolve } from "node:path";
import { errorText } from "../../base/kernel/error-text.ts";
import type { Fault } from "../../base/words/event.ts";
import type { PromptContributor } from "../../base/words/prompt.ts";
import type { TrustStore } from "./trust.ts";
import { type JudgedPrompts, judgePrompts } from "./workspace-prompts-judge.ts";
import { listPrompts, PROMPTS, type PromptRead, readPrompt } from "./workspace-prompts-read.ts";
import { watchFolder } from "./workspace-prompts-watch.ts";

export type WorkspacePromptsOptions = {
  readonly workspace: string;
  readonly trust: TrustStore;
  /** Hears of every file that is left out, once for each state it is in. */
  report(fault: Fault): void;
};

export type WorkspacePrompts = {
  /** As the files are at this moment, the same list while nothing changes. Never rejects: what cannot be used is reported. */
  current(): Promise<readonly PromptContributor[]>;
  close(): void;
};

/** The contributors that `.agents/prompts/*.md` of a workspace give, of files that are trusted as they are. */
export function workspacePrompts({ workspace, trust, report }: WorkspacePromptsOptions): WorkspacePrompts {
  const folder = resolve(workspace);
  let reads = new Map<string, PromptRead>();
  /** The last text of each file that was trusted, to show where a change begins. */
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
      const message = `${errorText(error)}; no prompt of the workspace is used`;
      return { contributors: [], faults: [{ where: trust.file, code: "trust-unreadable", message, state: "" }] };
    }
  }

  function tell(fault: Fault): void {
    try {
      report(fault);
    } catch {
      // Whoever listens cannot keep a prompt from being made.
    }
  }

  /** A look that begins now or later, never one that is under way: that may have passed the change already. */
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

  const unwatch = watchFolder(folder, PROMPTS, () => void current());
  void current();
  return {
    current,
    close() {
      closed = true;
      unwatch();
    },
  };
}
