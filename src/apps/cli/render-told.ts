import { formatDuration } from "../../base/kernel/duration.ts";
import type { Agent, SessionLabels } from "../../base/words/agent.ts";
import type { ContributorContext, PromptContributor } from "../../base/words/prompt.ts";
import { clip, count, oneLine, plural } from "./printable.ts";

/** What an agent is told, in short, for people and programs. */
export function summariseTold(agent: Agent) {
  const { model, identity, soul, sessionLabels, memory, elevation, checkpoints } = agent;
  const { name, description, vibe } = identity ?? {};
  const who = [name, description, vibe].filter((part) => part !== undefined);
  return {
    model: model === undefined ? [] : [model],
    identity: who.length === 0 ? [] : [who.join(" · ")],
    soul: soul === undefined ? [] : [textSize(soul)],
    contributors: agent.contributors.map(contributorText),
    prompt: promptTexts(agent.prompt),
    labels: sessionLabels === undefined ? [] : [labelsText(sessionLabels)],
    memory: memory === undefined ? [] : [memory],
    elevation: elevation === undefined ? [] : [elevation],
    checkpoints: Object.entries(checkpoints ?? {}).map(([tool, text]) => `${tool}: ${textSize(text)}`),
  };
}

/** `security: domain:security · priority 50 · 120 characters` */
function contributorText({ id, tags = [], priority = 100, zone, contribute }: PromptContributor): string {
  const when = tags.map(({ dimension, value }) => `${dimension}:${value}`).join(", ") || "every session";
  // Those of a file give the same whatever the session.
  const content = contribute({} as ContributorContext)?.content ?? "";
  const place = `priority ${priority}${zone === undefined ? "" : `, ${zone}`}`;
  return `${id}: ${when} · ${place} · ${plural(content.trim().length, "character")}`;
}

function promptTexts({ skills, docs, messaging, voice, replyTags, ...rest }: Agent["prompt"]): readonly string[] {
  const settings = Object.entries(rest).map(
    ([key, value]) => `${key} ${typeof value === "number" ? `${count(value)} tokens` : value}`,
  );
  return [
    ...(settings.length === 0 ? [] : [settings.join(" · ")]),
    ...(skills === undefined ? [] : [`skills: ${skills.map(({ name }) => name).join(", ")}`]),
    ...(docs === undefined ? [] : [`docs: ${docs.map(({ path }) => path).join(", ")}`]),
    ...(messaging === undefined ? [] : [`messaging: ${textSize(messaging)}`]),
    ...(voice === undefined ? [] : [`voice: ${textSize(voice)}`]),
    ...(replyTags === undefined ? [] : [`reply tags: ${replyTags.map(({ tag }) => tag).join(", ")}`]),
  ];
}

function labelsText({ enabled, model, every = 10, wait }: SessionLabels): string {
  if (!enabled) return "off";
  if (model === undefined) return "skipped: no model is named";
  const waits =
    wait === undefined ? "" : ` · the first prompt waits ${wait < 1_000 ? `${wait} ms` : formatDuration(wait)}`;
  return `by ${model} · again after ${plural(every, "turn")}${waits}`;
}

function textSize(text: string): string {
  const first = oneLine(text.trim().split("\n")[0] ?? "");
  return `${plural(text.trim().length, "character")}: ${clip(first, 50)}`;
}
