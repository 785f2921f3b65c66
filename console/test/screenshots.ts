import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { conductClient } from "agent-conduct/client";
import { startGateway } from "../../src/apps/gateway/start-gateway.ts";
import { openBrowser } from "../../src/apps/gateway/test/test-browser.ts";
import { chromium, openConsole } from "./browser.ts";

/**
 * Writes a picture of every screen, in light and dark, at desktop and phone width, empty and full:
 * `npm run screenshots [folder]`. The gateway is real; full screens show the demo day (`CONDUCT_DEMO=day`).
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
const browser = await openBrowser(chromium);
const empty = await openConsole();
try {
  const screens = { home: "/", chat: "/chat", sessions: "/sessions", activity: "/activity", inbox: "/inbox" };
  await take("empty", await empty.world.loginLink("operator"), screens);
} finally {
  await empty.close();
}
const home = mkdtempSync(join(tmpdir(), "conduct-shots-"));
process.env.CONDUCT_KEYS = join(home, "keys");
const { PATH, CONDUCT_KEYS } = process.env;
const day = await startGateway({
  ...{ home: join(home, "day"), env: { PATH, CONDUCT_KEYS }, port: 0, isDemo: true },
  report: (line) => console.error(line),
});
try {
  const { access } = day.gateway;
  const client = conductClient({ url: day.gateway.url, token: (await access.newToken("operator", "pictures")).secret });
  const { sessions } = await client.call("GET /api/journal/sessions", { query: { agent: "release", limit: 50 } });
  const told = sessions.findLast(({ parent, stopsRefused }) => parent === undefined && stopsRefused > 0)?.session ?? "";
  const approval = await openQuestion(client);
  await take("full", day.loginLink, {
    home: "/?range=24+hours",
    chat: `/chat/${told}`,
    "chat-question": `/chat/${approval.session}`,
    contract: "/contract",
    "contract-history": "/contract?tab=history",
    inbox: "/inbox",
    sessions: "/sessions",
    session: `/sessions/${told}`,
    "session-story": `/sessions/${told}?view=story`,
    activity: "/activity",
    prompt: `/prompt?session=${told}&turn=1`,
    rules: "/rules",
    replay: `/replay?session=${told}`,
    why: `/why/${approval.approval}`,
    coverage: "/coverage",
    agents: "/agents",
    agent: "/agents/support",
    users: "/users",
    user: "/users/chloe",
  });
} finally {
  await day.close(0);
  await browser.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}
console.log(`The pictures are in ${folder}.`);

/** The demo asks its question right after the start. */
async function openQuestion(client: ReturnType<typeof conductClient>) {
  for (;;) {
    const [first] = (await client.call("GET /api/approvals")).approvals;
    if (first !== undefined) return first;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function take(state: string, link: string, screens: { readonly [name: string]: string }): Promise<void> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const login = await context.newPage();
  await login.goto(link);
  await login.waitForSelector("nav");
  await login.close();
  const { origin } = new URL(link);
  for (const [size, width, height] of SIZES)
    for (const scheme of ["light", "dark"] as const) {
      const into = join(folder, state, `${size}-${scheme}`);
      mkdirSync(into, { recursive: true });
      for (const [name, path] of Object.entries(screens)) {
        const page = await context.newPage();
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height });
        await page.goto(`${origin}${path}`);
        await page.waitForSelector("h1");
        await page.waitForTimeout(SETTLE_MS);
        await page.screenshot({ path: join(into, `${name}.png`) });
        await page.close();
      }
    }
  await context.close();
}
