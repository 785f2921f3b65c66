import { afterEach, describe, expect } from "vitest";
import { findRedis, startRedis } from "../src/edge/stores/test/servers/redis.ts";
import { startTypesense } from "../src/edge/stores/test/servers/typesense.ts";
import { ClaudeCode } from "./claude-code.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machines: Machine[] = [];
afterEach(async () => {
  for (const one of machines.splice(0)) await one.close();
});
function machine(): Machine {
  const made = new Machine({ SCRIPTED_KEY: "provider-key" });
  machines.push(made);
  return made;
}

async function redisFor(one: Machine) {
  const redis = await startRedis(findRedis() ?? "redis-server");
  one.onClose(() => redis.stop());
  const announced = async () => String(await redis.command("GET", "conduct:governance:contract"));
  return { env: { CONDUCT_REDIS_URL: redis.url }, announced, redis };
}

describe("how far a change by the CLI reaches", () => {
  wired(
    "CONDUCT_REDIS_URL",
    "WIR-865 a change by a CLI that does not know the gateway's Redis is in the next model request",
    async () => {
      const used = machine();
      const { env, announced } = await redisFor(used);
      const model = await used.model(() => ({ text: "Done." }));
      used.write({
        ".conduct/conduct.yaml": `
agents: { clerk: { model: own/scripted, tools: [] } }
models: { own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY } }
`,
      });
      const say = await (await used.gateway([], env)).open("clerk");
      await say("KEEP: short notes");
      await say("hello");
      // The gateway has announced its contract, so the next turn would trust Redis.
      await expect.poll(announced).toContain("short notes");
      for (const text of ["tests before a push", "links to sources"]) {
        expect((await used.conduct(["behavior", "add", `MORE: ${text}`])).code).toBe(0);
        await say("go on");
        expect(model.requests.at(-1)?.raw).toContain(`- MORE: ${text}`);
      }
    },
  );

  wired(
    "CONDUCT_REDIS_URL",
    "WIR-866 a change by a CLI that does not know the daemon's Redis is in what the next message of a runtime adds to the model's request",
    async () => {
      const used = machine();
      const { env, announced, redis } = await redisFor(used);
      Object.assign(used.env, env);
      const unaware = { CONDUCT_REDIS_URL: "" };
      used.onClose(() => used.conduct(["daemon", "stop"]));
      await used.atTerminal(["init", "claude-code", "--yes"]);
      await used.atTerminal(["enforce", "claude-code", "--yes"]);
      const claude = new ClaudeCode(used, "s1");
      await claude.start();
      // `init` has copied the program and its Redis client, so the daemon is connected too.
      await claude.say("hello");
      await expect.poll(async () => String(await redis.command("CLIENT", "LIST"))).toContain("name=conduct");
      // A gateway on the same store announces its contract.
      const { operator } = await used.gateway();
      await operator.call("POST /api/contract/directives", { body: { type: "keep", text: "short notes" } });
      await expect.poll(announced).toContain("short notes");
      expect(await claude.say("hello")).toContain("- KEEP: short notes");
      for (const text of ["tests before a push", "links to sources"]) {
        // Once a runtime is enforced, a change needs a person at a terminal.
        await used.atTerminal(["behavior", "add", `MORE: ${text}`], unaware);
        expect(await claude.say("go on")).toContain(`- MORE: ${text}`);
      }
    },
  );

  wired(
    ["CONDUCT_TYPESENSE_URL", "CONDUCT_TYPESENSE_KEY", "conduct behavior history --search"],
    "WIR-867 what the CLI writes is in Typesense at once, without a gateway, and its search finds it there",
    async () => {
      const used = machine();
      const typesense = await startTypesense();
      used.onClose(() => typesense.stop());
      const env = { CONDUCT_TYPESENSE_URL: typesense.url, CONDUCT_TYPESENSE_KEY: typesense.key };
      const run = async (...words: string[]) => (await used.conduct(words, { env })).out;
      await run("behavior", "add", "STOP: long reports");
      // Each store has a collection of its own.
      const rows = () =>
        [...typesense.collections].flatMap(([name, documents]) =>
          name.startsWith("conduct_history") ? [...documents.values()] : [],
        );
      expect(rows()).toMatchObject([
        { seq: 1, change: "directive-added", text: expect.stringContaining("long reports") },
      ]);
      typesense.mode = "down";
      await run("behavior", "add", "KEEP: short notes");
      // Unreachable: the journal is searched instead.
      expect(await run("behavior", "history", "--search=short")).toContain("KEEP: short notes");
      typesense.mode = "up";
      expect(await run("behavior", "history", "--search=short")).toContain("KEEP: short notes");
      expect(rows()).toHaveLength(2);
      expect(await run("behavior", "history", "--search=reports")).not.toContain("short notes");
    },
  );
});
