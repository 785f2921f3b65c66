import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import { loadConfigFile } from "../opening/load-config.ts";
import { isInside, listPrompts, PROMPTS, readPrompt } from "../workspace/workspace-prompts-read.ts";
import type { TrustStore } from "./trust.ts";

/** A workspace file that has no effect until trusted. `name` is relative to the workspace; `path` is the real path. */
export type TrustCandidate =
  | {
      readonly kind: "usable";
      readonly name: string;
      readonly path: string;
      readonly text: string;
      readonly sha256: string;
      readonly state: "new" | "changed" | "trusted";
      /** Set for a prompt file. */
      readonly contributor?: PromptContributor;
    }
  | { readonly kind: "unusable"; readonly name: string; readonly problems: readonly TrustProblem[] };

export type TrustProblem = { readonly line: number; readonly message: string; readonly hint?: string };

/** Lists conduct.yaml, the workspace files it names, and the prompt files. */
export async function trustCandidates(workspace: string, trust: TrustStore): Promise<readonly TrustCandidate[]> {
  const trusted = new Map((await trust.list()).map((entry) => [entry.path, entry.sha256]));
  const usable = (name: string, path: string, text: string, contributor?: PromptContributor): TrustCandidate => {
    const [known, hash] = [trusted.get(path), sha256(text)];
    const state = known === undefined ? "new" : known === hash ? "trusted" : "changed";
    return { kind: "usable", name, path, text, sha256: hash, state, contributor };
  };
  const root = await realpath(workspace);
  return [...(await ofConfig(root, usable)), ...(await ofPrompts(root, usable))];
}

type Usable = (name: string, path: string, text: string, contributor?: PromptContributor) => TrustCandidate;

async function ofConfig(root: string, usable: Usable): Promise<readonly TrustCandidate[]> {
  const name = "conduct.yaml";
  const loaded = await loadConfigFile(join(root, name), name);
  const unusable = (problems: readonly TrustProblem[]): TrustCandidate => ({ kind: "unusable", name, problems });
  if ("error" in loaded) {
    const { code, message, fix } = loaded.error;
    return code === "CONFIG_NOT_FOUND" ? [] : [unusable([{ line: 1, message, hint: fix }])];
  }
  if ("faults" in loaded.parsed) {
    const problems = loaded.parsed.faults.map(({ file, line, message, hint }) => {
      return { line, message: file === name ? message : `${file}:${line} ${message}`, hint };
    });
    return [unusable(problems)];
  }
  const found: TrustCandidate[] = [];
  for (const [path, text] of loaded.files) {
    const real = await realpath(path);
    // Files outside the workspace belong to the operator or came with Conduct.
    if (isInside(real, root)) found.push(usable(relative(root, path), real, text));
  }
  return found;
}

async function ofPrompts(root: string, usable: Usable): Promise<readonly TrustCandidate[]> {
  const { entries, problem } = await listPrompts(root);
  const found: TrustCandidate[] =
    problem === undefined ? [] : [{ kind: "unusable", name: PROMPTS, problems: [{ line: 1, message: problem }] }];
  for (const entry of entries) {
    const { name } = entry;
    const read = await readPrompt(entry, root);
    if (read.kind === "refused") {
      const { message, hint } = read;
      found.push({ kind: "unusable", name, problems: [{ line: 1, message, hint }] });
    } else if ("faults" in read.parsed) found.push({ kind: "unusable", name, problems: read.parsed.faults });
    else found.push(usable(name, read.path, read.text, read.parsed.contributor));
  }
  return found;
}
