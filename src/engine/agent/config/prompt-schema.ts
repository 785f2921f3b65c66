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
  vibe: optional(text(), "How it comes across: dry, precise."),
  description: optional(text()),
});

const tag = map({
  dimension: oneOf("topic", "complexity", "domain", "flag", "channel", "custom"),
  value: text().describe("* stands for any value. Compared without case."),
});

/** Keys shared by conduct.yaml and the front matter of a prompt file. */
export const contributorKeys = {
  tags: optional(list(tag), "One that matches is enough; without tags it is for every session."),
  priority: optional(number(), "Lower comes earlier; 100 unless set."),
  zone: optional(
    oneOf("static", "session", "turn"),
    "How long it stays as it is; static without tags and session with them, unless set.",
  ),
  heading: optional(heading()),
  maxChars: optional(amount("whole")),
  maxTokens: optional(amount("whole")),
};

export const contributor = map({
  id: idText().describe("Two contributors of one agent cannot share an id."),
  ...contributorKeys,
  content: text().describe("A text, or the path of one: ./security.md."),
});

export const sessionLabels = map({
  enabled: optional(yesOrNo()),
  model: optional(modelName(), "provider/model; local/rules needs no model."),
  every: optional(amount("whole"), "Turns after which it is looked at again; 10 unless set."),
  wait: optional(duration(), "How long the first prompt may wait for it; not at all unless set."),
});

const skill = z.union([text(), map({ name: text(), description: text(), path: text() })], {
  error: "must be a folder with SKILL.md in it, or a map with 'name', 'description' and 'path'",
});

const doc = z.union([text(), map({ path: text(), about: optional(text()) })], {
  error: "must be a path, or a map with 'path' and 'about'",
});

export const promptSettings = map({
  mode: optional(oneOf("full", "minimal", "none")),
  layout: optional(oneOf("cache", "priority"), "cache: what changes comes last."),
  budget: optional(amount("whole"), "Tokens of the whole prompt."),
  skills: optional(list(skill)),
  docs: optional(list(doc), "Documents worth reading before guessing."),
  messaging: optional(text()),
  voice: optional(text()),
  replyTags: optional(list(map({ tag: text(), means: text() }))),
});

export const checkpoints = map({
  verify_context: optional(text()),
  review_plan: optional(text()),
});

export const channel = map({
  guidance: optional(text(), "How to answer there."),
  interactive: optional(yesOrNo(), "A person reads along and can answer."),
  operators: optional(list(amount("whole")), "Telegram: the numeric ids of those who may decide, in private chats."),
  strangers: optional(
    oneOf("refuse", "welcome"),
    "Telegram: whether somebody whom no user is known for may talk to the agent; refuse unless set.",
  ),
  agent: optional(text(), "Telegram: the agent that answers there; the first one unless set."),
});

export type ContributorConfig = z.output<typeof contributor>;
export type PromptConfig = z.output<typeof promptSettings>;
export type ChannelConfig = z.output<typeof channel>;
