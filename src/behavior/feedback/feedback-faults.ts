import type { FeedbackProviderConfig, FeedbackTrigger } from "../../base/words/feedback.ts";

/** Everything wrong with an agent's providers, one sentence each; empty when they can be used. */
export function feedbackFaults(configs: readonly FeedbackProviderConfig[]): string[] {
  const names = configs.map(({ provider }) => provider.name);
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return [
    ...(names.some((name) => name.trim() === "") ? ["a feedback provider has no name"] : []),
    ...[...twice].map(
      (name) => `feedback provider '${name}' is declared more than once: give each instance its own name`,
    ),
    ...configs.flatMap(({ provider, trigger }) => triggerFaults(provider.name, trigger)),
  ];
}

function triggerFaults(name: string, { everyNCalls, everyNSeconds, onFileCreated }: FeedbackTrigger): string[] {
  const faults: string[] = [];
  if (everyNCalls !== undefined && !(Number.isSafeInteger(everyNCalls) && everyNCalls > 0)) {
    faults.push(`feedback provider '${name}': everyNCalls must be a whole number above 0, not ${everyNCalls}`);
  }
  if (everyNSeconds !== undefined && !(Number.isFinite(everyNSeconds) && everyNSeconds > 0)) {
    faults.push(`feedback provider '${name}': everyNSeconds must be a number above 0, not ${everyNSeconds}`);
  }
  if (onFileCreated !== undefined && (onFileCreated.filename === "" || onFileCreated.filename.includes("\0"))) {
    faults.push(`feedback provider '${name}': onFileCreated needs the name of a file`);
  }
  return faults;
}
