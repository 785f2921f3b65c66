import { asObject } from "../../../base/kernel/json.ts";
import type { SkillSpec } from "../../../base/words/hosting/agent.ts";
import type { Complaint, ConfigPath } from "./config-fault.ts";
import type { AgentConfig } from "./config-schema.ts";
import { ConfigSource } from "./config-source.ts";
import { plainText, splitFrontMatter } from "./front-matter.ts";
import type { PlacedAgent, PlacedMap } from "./merge-defaults.ts";
import { isFileName, type NamedFile, type NamedFiles, skillFile } from "./named-file.ts";

const PROMPT_TEXTS = ["messaging", "voice"] as const;
const CHECKPOINT_TEXTS = ["verify_context", "review_plan"] as const;

/** The agent with the texts of files where their names stood; what cannot be read is told at its line. */
export function resolveTexts(
  agent: PlacedAgent,
  files: NamedFiles,
): { readonly agent: PlacedAgent; readonly complaints: readonly Complaint[] } {
  const complaints: Complaint[] = [];
  const complain = (path: ConfigPath, said: Unusable) => complaints.push({ path, at: "value", ...said });
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
    if (typeof written !== "string") return [written];
    const skill = readSkill(files.get(skillFile(written)) ?? UNREAD);
    if ("path" in skill) return [skill];
    complain([...agent.prompt.at("skills"), at], skill);
    return [];
  });
  const { soul, prompt, checkpoints } = agent;
  const resolved: PlacedAgent = {
    ...agent,
    ...(soul === undefined ? {} : { soul: { ...soul, value: textOf(soul.value, soul.path) } }),
    promptContributors: agent.promptContributors.map(({ value, path }) => ({
      value: { ...value, content: textOf(value.content, [...path, "content"]) },
      path,
    })),
    prompt: { ...prompt, value: { ...within(prompt, PROMPT_TEXTS), ...(skills === undefined ? {} : { skills }) } },
    checkpoints: { ...checkpoints, value: within(checkpoints, CHECKPOINT_TEXTS) },
  };
  return { agent: resolved, complaints };
}

/** The files of texts that one agent names, as it names them; of a skill its SKILL.md. */
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

const UNREAD: Unusable = { message: "files of texts are not read here", hint: "load the file with loadConfigFile" };

function readText(found: NamedFile): string | Unusable {
  if ("message" in found) {
    const { message, hint } = found;
    return { message, hint: `${hint}; a text that looks like a path is written as a block, after '|'` };
  }
  const text = plainText(found.text).trim();
  return text === "" ? { message: `${found.file} is empty`, hint: "write the text there, or remove this" } : text;
}

/** Name and description are in the front matter of SKILL.md. */
function readSkill(found: NamedFile): SkillSpec | Unusable {
  if ("message" in found) return { message: found.message, hint: "name a folder with SKILL.md in it" };
  const { file, path = file } = found;
  const split = splitFrontMatter(found.text);
  const source = new ConfigSource(split.kind === "split" ? split.yaml : "", file);
  const [fault] = source.faults;
  if (fault !== undefined) return { message: `${file}:${fault.line} ${fault.message}`, hint: "correct it there" };
  const { name, description } = asObject(source.value);
  if (typeof name !== "string" || typeof description !== "string" || name.trim() === "" || description.trim() === "") {
    const hint = "begin it with front matter: ---, name: …, description: …, ---";
    return { message: `${file} does not say the skill's name and description`, hint };
  }
  return { name: name.trim(), description: description.trim(), path };
}
