import { join } from "node:path";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { Gateway } from "../../gateway-options.ts";
import { OPEN_QUESTION } from "./day-script.ts";

/** How long the open question of the demo waits: a newcomer looks around first. */
export const DEMO_APPROVAL_MS = 10 * 60_000;

/** Variables that the demo keeps. All others could reach real stores, channels, models or collectors. */
const KEPT = new Set([
  ...["PATH", "HOME", "TMPDIR", "LANG", "TZ", "TERM", "NO_COLOR"],
  ...[
    "CONDUCT_DEMO",
    "CONDUCT_KEYS",
    "CONDUCT_DATA_KEY",
    "CONDUCT_TOKEN",
    "CONDUCT_PORT",
    "CONDUCT_URL",
    "CONDUCT_ORIGINS",
  ],
]);

/**
 * Turns the environment of this process into that of the demo day. Its home is next to the real one, with a store for
 * each date, so that no demo ever touches real data.
 */
export function enterDemoDay(env: NodeJS.ProcessEnv, now: number): void {
  const home = join(`${conductHome(env)}-demo`, new Date(now).toISOString().slice(0, 10));
  for (const name of Object.keys(env)) if (!KEPT.has(name)) delete env[name];
  env.CONDUCT_HOME = home;
}

/** Sends the message whose question is then open, unless an earlier start has left one. */
export async function askOpenQuestion({ conversations, approvals }: Gateway): Promise<void> {
  if ((await approvals.list(Date.now())).length > 0) return;
  const { agent, user, say } = OPEN_QUESTION;
  const conversation = await conversations.start({ agent, user, channel: "web" });
  await conversations.submit(conversation, { text: say, sender: { user, role: "user" } });
}
