import { z } from "zod";
import {
  amount,
  duration,
  heading,
  idText,
  list,
  map,
  modelName,
  number,
  oneOf,
  optional,
  text,
  yesOrNo,
} from "./schema-fields.ts";

export const identity = map({
  name: optional(text()),
  vibe: optional(text(), "The agent's tone: dry, precise."),
  description: optional(text()),
});

const tag = map({
  dimension: oneOf("topic", "complexity", "domain", "flag", "channel", "custom"),
  value: text().describe("* matches any value. Case is ignored."),
});

/** Keys shared by conduct.yaml and the front matter of a prompt file. */
export const contributorKeys = {
  tags: optional(list(tag), "One matching tag is enough. Without tags the section is in every session."),
  priority: optional(number(), "Sections with a lower number come first. Default: 100."),
  zone: optional(
    oneOf("static", "session", "turn"),
    "How often the content may change. Default: session for sections with tags, else static.",
  ),
  exceptRuntimes: optional(
    list(text()),
    "Runtimes that do not get the section, because they read its source themselves: claude-code.",
  ),
  heading: optional(heading()),
  maxChars: optional(amount("whole")),
  maxTokens: optional(amount("whole")),
};

export const contributor = map({
  id: idText().describe("Two contributors of one agent cannot share an id."),
  ...contributorKeys,
  content: text().describe("Text, or a file path: ./security.md."),
});

export const sessionLabels = map({
  enabled: optional(yesOrNo()),
  model: optional(modelName(), "provider/model, or local/rules, which needs no model."),
  every: optional(amount("whole"), "Classify again after this many turns. Default: 10."),
  wait: optional(duration(), "How long the first prompt may wait for the classification. Default: it does not wait."),
});

const skill = z.union([text(), map({ name: text(), description: text(), path: text() })], {
  error: "must be a folder that contains SKILL.md, or a map with 'name', 'description' and 'path'",
});

const doc = z.union([text(), map({ path: text(), about: optional(text()) })], {
  error: "must be a path, or a map with 'path' and 'about'",
});

export const promptSettings = map({
  mode: optional(oneOf("full", "minimal", "none")),
  layout: optional(oneOf("cache", "priority"), "cache: sections that change come last."),
  budget: optional(amount("whole"), "Maximum size of the prompt in tokens."),
  skills: optional(list(skill)),
  docs: optional(list(doc), "Documents that the agent should read instead of guessing."),
  messaging: optional(text()),
  voice: optional(text()),
  replyTags: optional(list(map({ tag: text(), means: text() }))),
});

export const checkpoints = map({
  verify_context: optional(text()),
  review_plan: optional(text()),
});

const OPERATOR_ID = "must be an id: a number on Telegram, or an id such as U012AB3CD on Slack";

export const channel = map({
  guidance: optional(text(), "How to answer in this channel."),
  interactive: optional(yesOrNo(), "Whether a person is present and can answer."),
  operators: optional(
    list(z.union([amount("whole"), text()], { error: OPERATOR_ID })),
    "Ids of the people who may approve, in private chats: numbers on Telegram, ids such as U012AB3CD on Slack.",
  ),
  strangers: optional(
    oneOf("refuse", "welcome"),
    "Telegram and Slack: whether unknown people may talk to the agent. Default: refuse.",
  ),
  agent: optional(text(), "Telegram and Slack: the agent that answers. Default: the first one."),
});

const isOperator: { readonly [channel: string]: readonly [(id: unknown) => boolean, string] } = {
  telegram: [(id) => typeof id === "number", "must be a number"],
  slack: [(id) => /^[UW][A-Z0-9]{4,20}$/.test(String(id)), "must be a Slack id, such as U012AB3CD"],
};

/** Reports ids of operators that their chat service does not know. */
export function operatorIds(context: z.core.ParsePayload<{ readonly [name: string]: ChannelConfig | null }>): void {
  for (const [name, [isId, message]] of Object.entries(isOperator)) {
    for (const [at, id] of (context.value[name]?.operators ?? []).entries())
      if (!isId(id)) context.issues.push({ code: "custom", input: id, path: [name, "operators", at], message });
  }
}

export type ContributorConfig = z.output<typeof contributor>;
export type PromptConfig = z.output<typeof promptSettings>;
export type ChannelConfig = z.output<typeof channel>;
