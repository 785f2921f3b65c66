import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium, openConsole } from "./browser.ts";

/**
 * Writes a picture of every screen, in light and dark, at desktop and phone width, empty and full:
 * `npm run screenshots [folder]`. The gateway is real, and its store is a temporary one with sample data.
 */
const folder = resolve(process.argv[2] ?? ".cache/screenshots");

const SIZES = [
  ["desktop", 1440, 900],
  ["phone", 390, 844],
] as const;
/** Time for queries and fonts after the title is there. */
const SETTLE_MS = 1_200;

if (chromium === undefined) {
  console.error("No Chromium was found. Install it, or set CHROMIUM_PATH to it.");
  process.exit(1);
}
const opened = await openConsole();
try {
  await take("empty", { home: "/", chat: "/chat", sessions: "/sessions", activity: "/activity", inbox: "/inbox" });
  const { demo } = await opened.world.seed();
  const { session, approval } = await opened.world.question();
  await take("full", {
    home: "/?range=7+days",
    chat: `/chat/${demo}`,
    "chat-question": `/chat/${session}`,
    contract: "/contract",
    "contract-history": "/contract?tab=history",
    inbox: "/inbox",
    sessions: "/sessions",
    session: `/sessions/${demo}`,
    "session-story": `/sessions/${demo}?view=story`,
    activity: "/activity",
    prompt: `/prompt?session=${demo}&turn=1`,
    rules: "/rules",
    replay: `/replay?session=${demo}`,
    why: `/why/${approval}`,
    coverage: "/coverage",
    agents: "/agents",
    agent: "/agents/clerk",
  });
} finally {
  await opened.close();
}
console.log(`The pictures are in ${folder}.`);

async function take(state: string, screens: { readonly [name: string]: string }): Promise<void> {
  for (const [size, width, height] of SIZES)
    for (const scheme of ["light", "dark"] as const) {
      const into = join(folder, state, `${size}-${scheme}`);
      mkdirSync(into, { recursive: true });
      for (const [name, path] of Object.entries(screens)) {
        const page = await opened.open(path, { width, height, scheme });
        await page.waitForTimeout(SETTLE_MS);
        await page.screenshot({ path: join(into, `${name}.png`) });
        await page.close();
      }
    }
}
