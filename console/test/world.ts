import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conductClient } from "agent-conduct/client";
import { openGateway } from "../../src/apps/gateway/gateway.ts";
import type { Role } from "../../src/base/words/hosting/user.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { demoAgent } from "../../src/edge/host/opening/demo-agent.ts";
import { loadConfigFile } from "../../src/edge/host/opening/load-config.ts";
import { openConductFromEnv } from "../../src/edge/host/opening/open-conduct.ts";
import { keptResults } from "../../src/edge/stores/files/folder-results.ts";
import { homeStores } from "../../src/edge/stores/home-stores.ts";
import { pastEvents } from "./past-events.ts";

/** An agent whose rules ask a person, and whose window is so small that a long result is cut. */
const CONFIG = `agents:
  clerk:
    identity: { name: Clerk, vibe: "polite, exact", description: "an office clerk who files things" }
    soul: |
      You file what you are given, and you never throw anything away.
    tools:
      - { name: read_file, description: Read a file, paths: { path: read }, args: [path] }
      - { name: write_file, description: Write a file, paths: { path: write }, args: [path, content] }
    rules:
      - { id: ask-before-writing, on: write_file, effect: ask, remember: session, say: "May I write {{args.path}}?" }
    limits: { window: 4000, toolResultShare: 0.1 }
schedules:
  - { agent: clerk, user: operator, cron: "0 8 * * 1-5", zone: Europe/London, say: "Morning digest" }
`;

/** Hostile text, for whatever shows text: it has to stay text. */
export const HOSTILE = '<img src=x onerror="window.hacked=1"> </script><b>bold</b> \u202Egnp.exe\u202C `;';

/** A real gateway on a port of its own, over a real SQLite store in a folder of its own, with people in it. Empty until `seed`. */
export async function consoleWorld({ approvalMs = 120_000 }: { readonly approvalMs?: number } = {}) {
  const root = mkdtempSync(join(tmpdir(), "conduct-console-"));
  const home = join(root, "home");
  mkdirSync(home);
  writeFileSync(join(home, "conduct.yaml"), CONFIG);
  const loaded = await loadConfigFile(join(home, "conduct.yaml"));
  if ("error" in loaded || "faults" in loaded.parsed) throw new Error("the world's conduct.yaml is wrong");
  const { agents, configs, schedules } = loaded.parsed;
  const stores = homeStores({ kind: "sqlite", file: join(home, "conduct.db") });
  const conduct = openConductFromEnv({
    agents: [demoAgent(), ...agents],
    home,
    workspace: home,
    ports: { results: keptResults(home, stores.keys) },
  });
  const reported: string[] = [];
  const gateway = await openGateway({
    conduct,
    stores,
    home,
    port: 0,
    approvalMs,
    definitions: { clerk: JSON.parse(JSON.stringify(configs[0])) as JsonObject },
    schedules,
    // On demand only: what it would find of its own accord depends on when it looks.
    review: { config: { runner: "off" } },
    report: (line) => reported.push(line),
  });

  async function person(id: string, role: Role) {
    await stores.users.add({ id, name: id, role, at: 0 });
    const { secret } = await gateway.access.newToken(id, "test");
    return conductClient({ url: gateway.url, token: secret });
  }
  const client = await person("operator", "operator");

  /** A whole turn, from another client than the browser. */
  async function say(session: string, text: string) {
    return client.call("POST /api/sessions/{id}/messages", {
      params: { id: session },
      query: { wait: "true" },
      body: { text },
    });
  }

  async function start(agent: string): Promise<string> {
    return (await client.call("POST /api/sessions", { body: { agent } })).id;
  }

  return {
    home,
    url: gateway.url,
    gateway,
    conduct,
    stores,
    reported,
    client,
    person,
    say,
    start,
    /** Signs somebody in, once: open it in a page. */
    loginLink: async (id: string) => `${gateway.url}/login#code=${await gateway.access.loginCode(id)}`,
    /** A question that waits for a person; its turn goes on when it is answered. */
    async question(path = "notes.txt") {
      const session = await start("clerk");
      await client.call("POST /api/sessions/{id}/messages", {
        params: { id: session },
        body: { text: `write ${path}: buy milk` },
      });
      for (;;) {
        const { approvals } = await client.call("GET /api/approvals");
        const found = approvals.find((one) => one.session === session);
        if (found !== undefined) return { session, approval: found.approval };
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    /** A session with so many moments, in the journal and in the list. */
    async longSession(moments: number): Promise<string> {
      const session = await start("demo");
      await stores.events.append(
        pastEvents({ session, agent: "demo", at: Date.now() - 3_600_000, turns: Math.ceil(moments / 6), gapMs: 1_000 }),
      );
      return session;
    },
    /** Something of everything: denials, refused stops, truncation, an answered question, directives with history, candidates, two weeks of past. */
    async seed() {
      const past: string[] = [];
      for (let day = 13; day >= 1; day -= 1) {
        const session = `s_past${day}`;
        past.push(session);
        const at = Date.now() - day * 86_400_000;
        await stores.conversations.create({
          id: session,
          agent: "demo",
          user: "operator",
          channel: day % 3 === 0 ? "telegram" : "web",
          at,
          lastAt: at,
        });
        await stores.events.append(
          pastEvents({
            session,
            agent: "demo",
            at,
            turns: 2 + ((day * 5) % 7),
            channel: day % 3 === 0 ? "telegram" : "web",
          }),
        );
      }
      const demo = await start("demo");
      await say(demo, "deploy it");
      await say(demo, "/think on");
      await say(demo, "remember that the dock is gate 9");
      const work = join(`${home}-work`, "clerk", "operator");
      mkdirSync(work, { recursive: true });
      writeFileSync(
        join(work, "big.txt"),
        Array.from({ length: 4_000 }, (_, at) => `line ${at} of the log\n`).join(""),
      );
      const clerk = await start("clerk");
      await say(clerk, "read big.txt");
      for (const [type, text] of [
        ["keep", "answers short and in plain words"],
        ["stop", "long status reports"],
        ["more", "tests before every release"],
      ] as const)
        await client.call("POST /api/contract/directives", { body: { type, text } });
      await client.call("POST /api/contract/directives", {
        body: { type: "start", text: "naming the file you change", scope: "agent:demo" },
      });
      const { contract } = await client.call("GET /api/contract");
      const status = contract.directives.find(({ text }) => text === "long status reports");
      await client.call("PUT /api/contract/directives/{id}", {
        params: { id: String(status?.id) },
        body: { type: "less", text: "status reports" },
      });
      for (const [type, text, confidence] of [
        ["stop", "asking for permission to read files", 0.91],
        ["start", "giving the reason for every refusal", 0.74],
        ["less", "apologies in answers", 0.62],
      ] as const)
        await conduct.contracts?.change(
          {
            kind: "propose",
            type,
            text,
            confidence,
            evidence: [`please, no more of this: ${text}`, "I said so yesterday too"],
          },
          "daily-review",
        );
      return { demo, clerk, past };
    },
    async close() {
      await gateway.close();
      await conduct.close();
      await stores.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
