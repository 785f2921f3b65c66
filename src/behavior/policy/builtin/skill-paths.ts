import type { ToolCall } from "../../../base/words/call.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { PromptSettings } from "../../../base/words/hosting/agent.ts";
import { pathFact } from "../policy-decision.ts";

/**
 * What an agent may read outside the workspace, because its prompt tells it to: the folder of each SKILL.md, or the file
 * alone if it has another name. `kept` are folders that hold more than a skill, such as Conduct's home.
 */
export function skillPaths({ skills = [] }: PromptSettings, kept: readonly string[] = []): readonly string[] {
  return skills.flatMap(({ path }) => {
    if (!path.startsWith("/")) return [];
    const folder = path.slice(0, path.lastIndexOf("/"));
    const isSkillFolder = path.endsWith("/SKILL.md") && !kept.some((one) => `${one}/`.startsWith(`${folder}/`));
    return [isSkillFolder ? folder : path];
  });
}

/** The path below one of these files and folders; `undefined` if it is elsewhere. */
export function skillRoot(path: string, readable: readonly string[]): string | undefined {
  return readable.find((root) => path === root || path.startsWith(`${root}/`));
}

/** Paths of the call that it only reads and that belong to a skill, by where they really lead. */
export function skillReads({ paths }: ToolCall, facts: Facts, readable: readonly string[]): ReadonlySet<string> {
  if (readable.length === 0) return NONE;
  const isSkill = (path: string) => skillRoot(pathFact(facts, path)?.resolved ?? "", readable) !== undefined;
  const read = paths.filter(({ path, access }) => access === "read" && isSkill(path)).map(({ path }) => path);
  const changed = new Set(paths.filter(({ access }) => access !== "read").map(({ path }) => path));
  return new Set(read.filter((path) => !changed.has(path)));
}

const NONE: ReadonlySet<string> = new Set();
