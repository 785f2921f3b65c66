import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { buildContributor } from "../../../engine/agent/build-agent.ts";
import { readSkill } from "../../../engine/agent/config/config-files.ts";
import type { ConfigFault } from "../../../engine/agent/config/config-source.ts";
import { type ParsedPromptFile, PROMPT_FILE_LIMIT, PROMPT_FILE_MAX } from "../../../engine/agent/config/prompt-file.ts";

/** Runtimes that read AGENTS.md without Conduct, and get it only once. */
export const AGENTS_READERS: readonly string[] = ["codex", "opencode", "pi", "openclaw", "copilot", "cursor"];

const SKILL_FOLDERS = [".agents/skills", ".claude/skills"];
const SKIPPED: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  "build",
  "target",
  "vendor",
  "venv",
  "coverage",
  "out",
]);
const DEEPEST = 3;
const MOST_FOLDERS = 400;
const MOST_FILES = 100;
/** A new file is found after this time at the latest; the content of a known one is compared at every read. */
const LISTING_MS = 10_000;
/** More conversations than a gateway runs at once, because each has a folder of its own. */
const MOST_LISTINGS = 1_000;

const listings = new Map<string, { readonly at: number; readonly names: readonly string[] }>();

/** AGENTS.md of the workspace and of the folders in it, and the SKILL.md of its skills; names are relative to `root`. */
export async function listSources(root: string): Promise<readonly string[]> {
  const at = Date.now();
  const known = listings.get(root);
  if (known !== undefined && at - known.at < LISTING_MS && at >= known.at) return known.names;
  const names = [...(await agentsFiles(root)), ...(await skillFiles(root))].slice(0, MOST_FILES);
  listings.delete(root);
  listings.set(root, { at, names });
  const [[oldest] = [""]] = listings;
  if (listings.size > MOST_LISTINGS) listings.delete(oldest);
  return names;
}

async function agentsFiles(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  let looked = 0;
  let level = [""];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (looked++ >= MOST_FOLDERS) return found;
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.name === "AGENTS.md") found.push(name);
        else if (entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name)) next.push(name);
      }
    }
    level = next;
  }
  return found;
}

async function skillFiles(root: string): Promise<readonly string[]> {
  const found = await Promise.all(
    SKILL_FOLDERS.map(async (folder) => {
      const names = (await readdir(join(root, folder)).catch((): string[] => []))
        .filter((name) => !name.startsWith("."))
        .sort();
      const skills = await Promise.all(
        names.map(async (name) => {
          const inside = await readdir(join(root, folder, name)).catch((): string[] => []);
          return inside.includes("SKILL.md") ? [`${folder}/${name}/SKILL.md`] : [];
        }),
      );
      return skills.flat();
    }),
  );
  return found.flat();
}

/** Is this a file that other tools read too? It is not reported while nobody has trusted it. */
export function isSharedSource(name: string): boolean {
  return /(^|\/)(AGENTS|SKILL)\.md$/.test(name);
}

/** The section of an AGENTS.md or SKILL.md. A skill is listed by its description; the agent reads its file when needed. */
export function parseSource(text: string, file: string): ParsedPromptFile {
  const fault = (message: string, hint: string): { readonly faults: readonly ConfigFault[] } => {
    return { faults: [{ file, line: 1, column: 1, path: "", message, hint }] };
  };
  if (text.length > PROMPT_FILE_MAX)
    return fault(`the file is longer than ${PROMPT_FILE_LIMIT} characters`, "split it");
  if (file.endsWith("SKILL.md")) {
    const skill = readSkill({ file, text });
    if (!("name" in skill)) return fault(skill.message, skill.hint);
    const content = `${skill.description}\n\nWhen a task fits this skill, read \`${file}\` first and follow it.`;
    const heading = `Skill: ${skill.name.replace(/\s+/g, " ")}`;
    const readers = file.startsWith(".claude/")
      ? ["claude-code", "claude-sdk", "opencode"]
      : ["codex", "opencode", "pi"];
    return {
      contributor: buildContributor({ id: idOf(file), priority: 120, heading, content, exceptRuntimes: readers }),
      idLine: 1,
    };
  }
  const content = text
    .replace(/^\uFEFF/, "")
    .replace(/<!-- conduct export: begin -->[\s\S]*?<!-- conduct export: end -->/g, "")
    .trim();
  if (content === "") return fault("the file has no content", "write something, or remove it");
  const folder = file.replace(/\/?AGENTS\.md$/, "");
  const about = folder === "" ? "" : `These apply to files in \`${folder}/\`:\n\n`;
  const section = {
    id: idOf(file),
    priority: 110,
    heading: file,
    content: `${about}${content}`,
    exceptRuntimes: [...AGENTS_READERS],
  };
  return { contributor: buildContributor(section), idLine: 1 };
}

/** `workspace:web/AGENTS.md`, `workspace:skill/release`. */
function idOf(file: string): string {
  const [, skill] = /\/([^/]+)\/SKILL\.md$/.exec(file) ?? [];
  const name = skill === undefined ? file : `skill/${file.startsWith(".claude/") ? "claude/" : ""}${skill}`;
  return `workspace:${name.replace(/[^\p{L}\p{N}._:/-]+/gu, "-")}`.slice(0, 100);
}
