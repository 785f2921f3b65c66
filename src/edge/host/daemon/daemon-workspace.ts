import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject } from "../../../base/kernel/json.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { ConfigSource } from "../../../engine/agent/config/config-source.ts";
import { packageFile } from "../node/package-files.ts";
import { type LoadedConfig, loadConfigFile } from "../opening/load-config.ts";
import type { TrustStore } from "../trust/trust.ts";
import { CONFIG_NAME } from "../workspace/find-config.ts";
import { isInside } from "../workspace/workspace-prompts-read.ts";
import type { Tightening } from "./daemon-tighten.ts";

/** Additions from a workspace's conduct.yaml. Reload when one of `files` changes. */
export type WorkspaceConfig = {
  /** The file in force, if any. */
  readonly file?: string;
  /** By agent name; `*` applies to every agent. */
  readonly tightenings: ReadonlyMap<string, Tightening>;
  /** Files and parts that have no effect, each with the reason. */
  readonly faults: readonly Fault[];
  readonly files: readonly string[];
};

/** The only keys a workspace may set; all others are reserved for the operator. */
const TAKEN = ["promptContributors", "rules", "actions"];
const NAME = CONFIG_NAME;
/** Packs shipped with Conduct are always trusted. */
const SHIPPED = packageFile("packs");
/** Agent name for a file that only sets defaults for all agents. */
const MAIN = "main";

/**
 * Uses the first file whose current content, with all files it names, a person has trusted. Never rejects: unusable
 * files and parts are left out and reported as faults.
 */
export async function loadWorkspaceConfig(
  candidates: readonly string[],
  workspace: string,
  trust: TrustStore,
): Promise<WorkspaceConfig> {
  const faults: Fault[] = [];
  const files: string[] = [...candidates];
  for (const file of candidates) {
    const shown = dirname(file) === workspace ? NAME : file;
    const one = await loadOne(file, shown, trust);
    files.push(...one.files);
    faults.push(...one.faults);
    if (one.tightenings !== undefined) return { file, tightenings: one.tightenings, faults, files };
  }
  return { tightenings: new Map(), faults, files };
}

type LoadedOne = Pick<WorkspaceConfig, "faults" | "files"> & Partial<Pick<WorkspaceConfig, "tightenings">>;

async function loadOne(file: string, shown: string, trust: TrustStore): Promise<LoadedOne> {
  const none = (code: string, line: number, why: string, files: readonly string[] = []): LoadedOne => ({
    faults: [left(shown, code, line, why)],
    files,
  });
  try {
    const loaded = await loadConfigFile(file, shown);
    if ("error" in loaded) {
      if (loaded.error.code === "CONFIG_NOT_FOUND") return { faults: [], files: [] };
      return none("config-unreadable", 1, loaded.error.message);
    }
    const files = [...loaded.files.keys()];
    const folder = dirname(file);
    const untrusted = await firstUntrusted(loaded, folder, trust);
    if (untrusted !== undefined) {
      return none("config-untrusted", 1, `${untrusted} (review it with: conduct trust ${folder})`, files);
    }
    if ("faults" in loaded.parsed) {
      const [first] = loaded.parsed.faults;
      return none("config-broken", first?.line ?? 1, first?.message ?? "it has faults", files);
    }
    return { ...takeFrom(loaded.parsed.agents, loaded.text, shown), files };
  } catch (error) {
    return none("config-unreadable", 1, errorText(error));
  }
}

/** Why the file is not used; `undefined` if a person trusted all of it. */
async function firstUntrusted(
  loaded: Extract<LoadedConfig, { files: unknown }>,
  workspace: string,
  trust: TrustStore,
): Promise<string | undefined> {
  const root = await realpath(workspace);
  for (const [path, text] of loaded.files) {
    const real = await realpath(path);
    if (isInside(real, SHIPPED) || (await trust.trusted(real, sha256(text)))) continue;
    return isInside(real, root)
      ? `the current content of ${real.slice(root.length + 1)} is not trusted`
      : `it refers to ${real}, which is outside the workspace`;
  }
  return undefined;
}

function takeFrom(
  agents: readonly Agent[],
  text: string,
  shown: string,
): Pick<WorkspaceConfig, "tightenings" | "faults"> {
  const source = new ConfigSource(text, shown);
  const { agents: written, ...rest } = asObject(source.value);
  const onlyDefaults = Object.keys(asObject(written)).every((name) => name === "defaults");
  const refused = [
    ...Object.keys(rest).map((key) => [key]),
    ...Object.entries(asObject(written)).flatMap(([name, agent]) =>
      Object.keys(asObject(agent))
        .filter((key) => !TAKEN.includes(key))
        .map((key) => ["agents", name, key]),
    ),
  ];
  const tightenings = new Map<string, Tightening>();
  const rewriting: string[] = [];
  const tagging: string[] = [];
  for (const agent of agents) {
    const ruleSet = rulesOf(agent);
    // The operator's rules may depend on tags, so a workspace sets none.
    const rules = (ruleSet?.rules ?? []).flatMap(({ tag: _, ...rule }) => (rule.set === undefined ? [rule] : []));
    for (const { id, set } of ruleSet?.rules ?? []) if (set !== undefined) rewriting.push(id);
    for (const { id, tag } of ruleSet?.rules ?? []) if (tag !== undefined) tagging.push(id);
    tightenings.set(onlyDefaults && agent.name === MAIN ? "*" : agent.name, {
      contributors: agent.contributors,
      rules: ruleSet === undefined ? undefined : { actions: ruleSet.actions, rules },
    });
  }
  const faults: Fault[] = [];
  const [first] = refused;
  if (first !== undefined) {
    const { line } = source.locate({ path: first, at: "key", message: "" });
    const names = refused.map((path) => `'${path.join(".")}'`).join(", ");
    const why = `a workspace can only add promptContributors and rules: move ${names} to CONDUCT_HOME/${NAME}`;
    faults.push(left(shown, "config-refused", line, why));
  }
  if (rewriting.length > 0) {
    const names = rewriting.map((id) => `'${id}'`).join(", ");
    const why = `rules of a workspace cannot change arguments: remove 'set' from ${names}`;
    faults.push(left(shown, "config-refused", 1, why));
  }
  if (tagging.length > 0) {
    const names = tagging.map((id) => `'${id}'`).join(", ");
    faults.push(left(shown, "config-refused", 1, `rules of a workspace cannot set tags: remove 'tag' from ${names}`));
  }
  return { tightenings, faults };
}

function rulesOf({ policies }: Agent): RuleSet | undefined {
  return policies.find((policy) => policy instanceof RulesPolicy)?.rules.ruleSet;
}

function left(shown: string, code: string, line: number, why: string): Fault {
  return { where: `${shown}:${line}`, code, message: `${why}; it is left out` };
}
