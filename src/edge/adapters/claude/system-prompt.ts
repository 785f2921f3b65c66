import type { SystemPrompt } from "./native.ts";

/**
 * The agent's prompt joined to what the host has set: after a preset or a custom prompt, else alone, because the
 * definition says what the agent is. Never recorded by the runtime: a recorded one would outlive a changed contract.
 */
export function systemPromptWith(given: SystemPrompt | undefined, prompt: string): SystemPrompt | undefined {
  if (prompt === "") return given;
  if (typeof given === "object" && !Array.isArray(given) && given.type === "preset") {
    const append = given.append === undefined ? prompt : `${given.append}\n\n${prompt}`;
    return { ...given, append, snapshot: false };
  }
  return { type: "custom", prompt: [...customParts(given), prompt], snapshot: false };
}

function customParts(given: Exclude<SystemPrompt, { type: "preset" }> | undefined): string[] {
  if (given === undefined) return [];
  const prompt = typeof given === "string" || Array.isArray(given) ? given : given.prompt;
  return [prompt].flat();
}
