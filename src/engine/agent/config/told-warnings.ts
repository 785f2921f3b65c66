import type { Complaint } from "./config-fault.ts";
import { tagDoubt } from "./known-tags.ts";
import type { PlacedAgent } from "./merge-defaults.ts";

/** What will most likely never reach the prompt. `channels` are those that the file declares. */
export function toldWarnings(agent: PlacedAgent, channels: readonly string[]): readonly Complaint[] {
  return [...tagWarnings(agent, channels), ...labelWarnings(agent)];
}

/** What could never be meant: labels that do not say whether they are on. */
export function toldComplaints({ sessionLabels: { value, path } }: PlacedAgent): readonly Complaint[] {
  if (value.enabled !== undefined || Object.keys(value).length === 0) return [];
  const message = "'sessionLabels' does not say whether sessions are classified";
  return [{ path, at: "value", message, hint: "add enabled: true, or false" }];
}

function tagWarnings(agent: PlacedAgent, channels: readonly string[]): readonly Complaint[] {
  return agent.promptContributors.flatMap(({ value: { id, tags = [] }, path }) =>
    tags.flatMap((tag, at): readonly Complaint[] => {
      const doubt = tagDoubt(tag, channels);
      if (doubt === undefined) return [];
      const message = `contributor '${id}': ${doubt.message}`;
      return [{ path: [...path, "tags", at, doubt.about], at: "value", message, hint: doubt.hint }];
    }),
  );
}

function labelWarnings({ sessionLabels: { value, path } }: PlacedAgent): readonly Complaint[] {
  if (value.enabled !== true || value.model !== undefined) return [];
  const message = "sessions are not classified: 'sessionLabels' names no model";
  return [{ path, at: "value", message, hint: "add a cheap one, model: provider/model, or model: local/rules" }];
}
