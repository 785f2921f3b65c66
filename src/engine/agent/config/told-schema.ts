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
  text,
  yesOrNo,
} from "./config-fields.ts";

export const identity = map({
  name: text().exactOptional(),
  vibe: text().exactOptional().describe("How it comes across: dry, precise."),
  description: text().exactOptional(),
});

const tag = map({
  dimension: oneOf("topic", "complexity", "domain", "flag", "channel", "custom"),
  value: text().describe("* stands for any value. Compared without case."),
});

/** What conduct.yaml and the front matter of a prompt file say alike. */
export const contributorKeys = {
  tags: list(tag).exactOptional().describe("One that matches is enough; without tags it is for every session."),
  priority: number().exactOptional().describe("Lower comes earlier; 100 unless set."),
  zone: oneOf("static", "session", "turn")
    .exactOptional()
    .describe("How long it stays as it is; static without tags and session with them, unless set."),
  heading: heading().exactOptional(),
  maxChars: amount("whole").exactOptional(),
  maxTokens: amount("whole").exactOptional(),
};

export const contributor = map({
  id: idText().describe("Two contributors of one agent cannot share an id."),
  ...contributorKeys,
  content: text().describe("A text, or the path of one: ./security.md."),
});

export const sessionLabels = map({
  enabled: yesOrNo().exactOptional(),
  model: modelName().exactOptional().describe("provider/model; local/rules needs no model."),
  every: amount("whole").exactOptional().describe("Turns after which it is looked at again; 10 unless set."),
  wait: duration().exactOptional().describe("How long the first prompt may wait for it; not at all unless set."),
});

const skill = z.union([text(), map({ name: text(), description: text(), path: text() })], {
  error: "must be a folder with SKILL.md in it, or a map with 'name', 'description' and 'path'",
});

const doc = z.union([text(), map({ path: text(), about: text().exactOptional() })], {
  error: "must be a path, or a map with 'path' and 'about'",
});

export const promptSettings = map({
  mode: oneOf("full", "minimal", "none").exactOptional(),
  layout: oneOf("cache", "priority").exactOptional().describe("cache: what changes comes last."),
  budget: amount("whole").exactOptional().describe("Tokens of the whole prompt."),
  skills: list(skill).exactOptional(),
  docs: list(doc).exactOptional().describe("Documents worth reading before guessing."),
  messaging: text().exactOptional(),
  voice: text().exactOptional(),
  replyTags: list(map({ tag: text(), means: text() })).exactOptional(),
});

export const checkpoints = map({
  verify_context: text().exactOptional(),
  review_plan: text().exactOptional(),
});

export const channel = map({
  guidance: text().exactOptional().describe("How to answer there."),
  interactive: yesOrNo().exactOptional().describe("A person reads along and can answer."),
  operators: list(amount("whole"))
    .exactOptional()
    .describe("Telegram: the numeric ids of those who may decide, in private chats."),
  strangers: oneOf("refuse", "welcome")
    .exactOptional()
    .describe("Telegram: whether somebody whom no user is known for may talk to the agent; refuse unless set."),
  agent: text().exactOptional().describe("Telegram: the agent that answers there; the first one unless set."),
});

export type ContributorConfig = z.output<typeof contributor>;
export type PromptConfig = z.output<typeof promptSettings>;
export type ChannelConfig = z.output<typeof channel>;
