import { asObject } from "../../../base/kernel/json.ts";
import type { SkillSpec } from "../../../base/words/hosting/agent.ts";
import type { AgentConfig } from "./config-schema.ts";
import { type Complaint, type ConfigPath, ConfigSource } from "./config-source.ts";
import type { PlacedAgent, PlacedMap } from "./parse-config.ts";

/** Markdown and the YAML before it. `yaml` keeps its line numbers, so that faults point to the right line. */
type FrontMatter =
  | { readonly kind: "open" }
  | { readonly kind: "split"; readonly yaml: string; readonly content: string; readonly contentLine: number };

/** Splits at two lines of `---` at the very beginning; `open` when the second is missing. */
export function splitFrontMatter(text: string): FrontMatter {
  const lines = plainText(text).split("\n");
  if (!FENCE.test(lines[0] ?? "")) return { kind: "split", yaml: "", content: lines.join("\n"), contentLine: 1 };
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (end < 0) return { kind: "open" };
  return {
    kind: "split",
    yaml: ["", ...lines.slice(1, end)].join("\n"),
    content: lines.slice(end + 1).join("\n"),
    contentLine: Math.min(end + 2, lines.length),
  };
}

/** Removes a byte order mark and normalises line ends to LF. */
function plainText(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

const FENCE = /^---[ \t]*$/;

const PROMPT_TEXTS = ["messaging", "voice"] as const;
const CHECKPOINT_TEXTS = ["verify_context", "review_plan"] as const;

/** Replaces file names by the text of the files. Unreadable files become complaints. */
export function resolveTexts(
  agent: PlacedAgent,
  files: NamedFiles,
  locate: (path: string) => string = (path) => path,
): { readonly agent: PlacedAgent; readonly complaints: readonly Complaint[] } {
  const complaints: Complaint[] = [];
  const complain = (path: ConfigPath, problem: Unusable) => complaints.push({ path, ...problem });
  const textOf = (written: string, path: ConfigPath): string => {
    if (!isFileName(written)) return written;
    const found = readText(files.get(written) ?? UNREAD);
    if (typeof found === "string") return found;
    complain(path, found);
    return written;
  };
  const within = <T extends object>(map: PlacedMap<T>, keys: readonly (keyof T & string)[]): T => {
    const read = keys.flatMap((key) => {
      const written = map.value[key];
      return typeof written === "string" ? [[key, textOf(written, map.at(key))]] : [];
    });
    return { ...map.value, ...Object.fromEntries(read) };
  };
  const skills = agent.prompt.value.skills?.flatMap((written, at): readonly SkillSpec[] => {
    if (typeof written !== "string") return [{ ...written, path: locate(written.path) }];
    const skill = readSkill(files.get(skillFile(written)) ?? UNREAD);
    if ("path" in skill) return [{ ...skill, path: locate(skill.path) }];
    complain([...agent.prompt.at("skills"), at], skill);
    return [];
  });
  const { soul, prompt, checkpoints, mcpServers } = agent;
  const texts = within(prompt, PROMPT_TEXTS);
  const resolved: PlacedAgent = {
    ...agent,
    soul: soul && { ...soul, value: textOf(soul.value, soul.path) },
    promptContributors: agent.promptContributors.map(({ value, path }) => ({
      value: { ...value, content: textOf(value.content, [...path, "content"]) },
      path,
    })),
    prompt: { ...prompt, value: skills === undefined ? texts : { ...texts, skills } },
    checkpoints: { ...checkpoints, value: within(checkpoints, CHECKPOINT_TEXTS) },
    mcpServers: { ...mcpServers, value: locateSecrets(mcpServers.value, locate) },
  };
  return { agent: resolved, complaints };
}

type Servers = NonNullable<AgentConfig["mcpServers"]>;

/** Files of secrets are read later, each time a server starts. */
function locateSecrets(servers: Servers, locate: (path: string) => string): Servers {
  const located = ({ secrets = {}, ...server }: Servers[string]): Servers[string] => ({
    ...server,
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, { file, ...rest }]) => [
        name,
        file === undefined ? rest : { file: locate(file) },
      ]),
    ),
  });
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, server.secrets === undefined ? server : located(server)]),
  );
}

/** Text files that an agent names, as written; for a skill its SKILL.md. */
export function textFilesOf({ soul, promptContributors, prompt, checkpoints }: AgentConfig): readonly string[] {
  const texts = [
    soul,
    ...(promptContributors ?? []).map(({ content }) => content),
    ...PROMPT_TEXTS.map((key) => prompt?.[key]),
    ...CHECKPOINT_TEXTS.map((key) => checkpoints?.[key]),
  ];
  return [
    ...texts.filter((text) => text !== undefined).filter(isFileName),
    ...(prompt?.skills ?? []).filter((skill) => typeof skill === "string").map(skillFile),
  ];
}

type Unusable = { readonly message: string; readonly hint: string };

const UNREAD: Unusable = { message: "text files cannot be read here", hint: "load the file with loadConfigFile" };

function readText(found: NamedFile): string | Unusable {
  if ("message" in found) {
    const { message, hint } = found;
    return { message, hint: `${hint}; to write text that looks like a path, use a block after '|'` };
  }
  const text = plainText(found.text).trim();
  return text === "" ? { message: `${found.file} is empty`, hint: "add text to the file, or remove this key" } : text;
}

/** Name and description are in the front matter of SKILL.md. */
export function readSkill(found: NamedFile): SkillSpec | Unusable {
  if ("message" in found) return { message: found.message, hint: "use a folder that contains SKILL.md" };
  const { file, path = file } = found;
  const split = splitFrontMatter(found.text);
  const source = new ConfigSource(split.kind === "split" ? split.yaml : "", file);
  const [fault] = source.faults;
  if (fault !== undefined) return { message: `${file}:${fault.line} ${fault.message}`, hint: "fix that file" };
  const { name, description } = asObject(source.value);
  if (typeof name !== "string" || typeof description !== "string" || name.trim() === "" || description.trim() === "") {
    const hint = "start the file with front matter: ---, name: …, description: …, ---";
    return { message: `${file} does not give the skill's name and description`, hint };
  }
  return { name: name.trim(), description: description.trim(), path };
}

/** A file that conduct.yaml names, or why it cannot be read. `file` is its name in messages, `path` its location. */
export type NamedFile =
  | { readonly file: string; readonly text: string; readonly path?: string }
  | { readonly message: string; readonly hint: string };

/** By the name as written in conduct.yaml. */
export type NamedFiles = ReadonlyMap<string, NamedFile>;

/** The files that conduct.yaml names: rule files and packs, and files with texts. */
export type ConfigFiles = {
  readonly rules?: NamedFiles;
  readonly texts?: NamedFiles;
  /** Where a skill's file really is, if it is next to conduct.yaml; else the path as written. */
  readonly locate?: (path: string) => string;
};

/** Is the text a path, such as `./soul.md`, `../x`, `/x` or `soul.md`? A text with a line break is not. */
function isFileName(text: string): boolean {
  return !/[\n\r]/.test(text) && /^\.{0,2}\/|^\S+\.md$/i.test(text);
}

/** The SKILL.md of a skill that is named by its folder or by the file itself. */
function skillFile(reference: string): string {
  return /(^|\/)SKILL\.md$/.test(reference) ? reference : `${reference.replace(/\/+$/, "")}/SKILL.md`;
}
