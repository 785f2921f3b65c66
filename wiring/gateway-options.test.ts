import { afterAll, beforeAll, describe, expect } from "vitest";
import { freePort } from "../src/edge/stores/test/servers/server.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let gateway: Gateway;
let port = 0;

const CONFIG = (url: string) => `
agents:
  clerk:
    model: own/scripted
    tools: [{ name: shell, args: [command] }]
    rules: [{ id: no-rm, on: shell, when: 'args.command.startsWith("rm")', say: Nothing is deleted. }]
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

const run = async (line: string, ...words: readonly string[]) => {
  const { out, err } = await machine.conduct([...line.split(" "), ...words]);
  return `${out}${err}`;
};
/** The page that a command leads to, and nothing if it prints its own output. */
const page = async (line: string) => {
  const { result } = JSON.parse(await run(line, "--json")) as { readonly result?: { readonly url?: string } };
  return result?.url?.replace(gateway.url, "");
};

beforeAll(async () => {
  const model = await machine.model();
  machine.write({ "work/elsewhere.yaml": CONFIG(model.openaiUrl) });
  port = await freePort();
  gateway = await machine.gateway(["--port", String(port), "--host", "127.0.0.2", "--config", "elsewhere.yaml"]);
  await gateway.play(model, "clerk", [["shell", { command: "rm -r all" }]]);
  const ann = await gateway.person("ann");
  model.setScript(() => ({ text: "done" }));
  await gateway.say("clerk", "Please stop sending status reports.", ann);
  await run("behavior add", "STOP: long reports");
  await run("behavior add", "STOP: short reports");
  await run("review run");
});
afterAll(() => machine.close());

describe("options of conduct gateway, and --web of the commands", () => {
  wired(
    ["conduct gateway --port", "conduct gateway --host", "conduct gateway --config"],
    "WIR-420 the gateway listens at the address and port of its options, with the agents of the named file",
    async () => {
      expect(gateway.url).toBe(`http://127.0.0.2:${port}`);
      const { agents } = await gateway.operator.call("GET /api/agents", {});
      expect(agents.map(({ name }) => name)).toContain("clerk");
    },
  );
  wired("conduct gateway --user", "WIR-421 a login link is for the user that it names", async () => {
    const { shown: said } = await machine.atTerminal(["gateway", "login", "--user", "ann"]);
    const code = /code=([\w-]+)/.exec(said)?.[1];
    expect(code, said).toBeDefined();
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${gateway.url}/api/login`, { method: "POST", headers, body: JSON.stringify({ code }) });
    expect(await answer.json()).toMatchObject({ id: "ann", role: "user" });
  });
  wired(
    [
      "conduct watch --web",
      "conduct why --web",
      "conduct approvals --web",
      "conduct prompt show --web",
      "conduct behavior list --web",
      "conduct behavior show --web",
      "conduct behavior diff --web",
      "conduct replay --web",
      "conduct review list --web",
      "conduct review show --web",
      "conduct rules list --web",
    ],
    "WIR-422 --web leads to the console's page of what the command would print, at the address of the running gateway",
    async () => {
      const [directive = ""] = /d_\w+/.exec(await run("behavior list")) ?? [];
      const [candidate = ""] = /c_\w+/.exec(await run("review list")) ?? [];
      const pages = {
        "watch --web --agent clerk": "/sessions?agent=clerk",
        "approvals --web": "/sessions",
        "behavior list --web --agent clerk": "/contract?agent=clerk",
        [`behavior show ${directive} --web`]: `/contract?directive=${directive}`,
        "behavior diff 1 2 --web": "/contract?tab=history&from=1&to=2",
        "replay --web --agent clerk": "/replay?agent=clerk",
        "review list --web": "/inbox",
        [`review show ${candidate} --web`]: `/inbox?candidate=${candidate}`,
        "rules list --web": "/rules",
      };
      for (const [line, expected] of Object.entries(pages)) {
        expect(await page(line), line).toBe(expected);
      }
      expect(await page("why --web")).toMatch(/^\/why\/\w+_?\w+$/);
      expect(await page("prompt show --web")).toMatch(/^\/prompt\?session=s_\w+$/);
    },
  );
});
