import { bindAgents, settingsFor } from "../../edge/host/daemon-agents.ts";
import { isPaused } from "../../edge/host/paused.ts";
import type { StartedRuntime } from "../install/client-command.ts";
import { type Check, type DoctorWorld, fails, holds, warns } from "./doctor-check.ts";

type Place = Pick<DoctorWorld, "home" | "cwd">;

/** Which agent it would be for a client that started it now, and whether that is held to anything. */
export async function checkBound({ name }: StartedRuntime, { home, cwd }: Place): Promise<Check> {
  const bound = await bindAgents(home, cwd);
  if (bound.kind === "broken") return fails("bound", "nothing runs until the configuration is right", "conduct doctor");
  const settings = settingsFor(name, bound);
  if ("message" in settings) {
    const words = [name, "--agent", bound.agents[0]?.name ?? "NAME"].join(" ");
    return fails("bound", settings.message, `name one in the client's settings: ${words}`);
  }
  if (settings.enforcement === "enforce") return holds("bound", `as ${settings.agent}, enforced`);
  return warns("bound", `as ${settings.agent}, watched only: nothing is blocked`);
}

/** Nothing is held back there now, because it is only watched, or because of a pause. */
export async function isWatched({ name }: StartedRuntime, { home, cwd }: Place): Promise<boolean> {
  if (isPaused(home)) return true;
  const bound = await bindAgents(home, cwd);
  const settings = bound.kind === "ready" ? settingsFor(name, bound) : undefined;
  return settings !== undefined && "enforcement" in settings && settings.enforcement === "shadow";
}
