import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string) => `
agents:
  defaults:
    model: own/scripted
    tools:
      - { name: read_file, args: [path] }
      - { name: write_file, args: [path, content] }
      - { name: shell, args: [command] }
  fed:
    feedback:
      - { name: brief, static: Stay brief., every: { calls: 2 } }
      - { name: pulse, static: Time passes., every: { seconds: 1 } }
      - { name: plan, static: A plan exists., on: { fileCreated: plan.md } }
      - { repeatedFailure: { after: 2 } }
      - { deadline: { warnAt: 10h }, every: { calls: 1 } }
    limits: { deadline: 1h }
  spender:
    feedback: [{ tokenBudget: { cautionAt: 0.2, warnAt: 0.5 }, every: { calls: 1 } }]
    limits: { tokens: 1000 }
  finisher:
    completion: { files: [out.txt], evidence: [checked, tests.run], command: { run: "test -e marked", timeout: 20s } }
    actions: { check: { tool: shell, command: "echo check *", implies: [checked] } }
    limits: { stops: 2, completion: 30s }
  either:
    completion: { files: [out.txt], command: { run: "sleep 30", timeout: 1s }, any: true }
  counted: { limits: { calls: 2 } }
  thrifty: { limits: { inputTokens: 40 } }
  terse: { limits: { outputTokens: 40 } }
  late: { limits: { time: 1s } }
  careful:
    policies:
      - { name: look, readBeforeWrite: { readTools: [read_file], writeTools: [write_file], rearmOnCompaction: true } }
      - { name: order, sequential: { ship: [check] }, rearmOnCompaction: true }
    actions: { check: { tool: shell, command: "echo check *" }, ship: { tool: shell, command: "echo ship *" } }
  sectioned:
    actions: { move: { tool: shell, command: "echo move *" }, where: { tool: shell, command: "echo where *" } }
    sections:
      - heading: Moving
        content: Say where.
        tools: [move, where]
        policies: [{ name: in-order, sequential: { move: [where] }, rearmOnCompaction: true }]
      - heading: Papers
        content: Look first.
        tools: [read_file, write_file]
        policies: [{ name: papers, readBeforeWrite: { readTools: [read_file], writeTools: [write_file], rearmOnCompaction: true } }]
  checked:
    checkpoints: { verify_context: Who asked for this?, review_plan: What could go wrong? }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const shell = (command: string): PlayedCall => ["shell", { command }];
const read = (path: string): PlayedCall => ["read_file", { path }];
const write = (path: string, content = "x"): PlayedCall => ["write_file", { path, content }];
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);

/** The turn in which the model makes these calls, and then says that it is done, however often it is asked. */
async function stop(agent: string, ...calls: readonly PlayedCall[]) {
  const left = calls.map(([name, input]) => ({ calls: [{ name, input }] }));
  model.setScript(() => left.shift() ?? { text: "I am done" });
  return gateway.say(agent, "go");
}

describe("feedback, completion and limits of conduct.yaml, in the gateway", () => {
  wired(
    [
      "agents.*.feedback",
      "agents.*.feedback[].name",
      "agents.*.feedback[].static",
      "agents.*.feedback[].every",
      "agents.*.feedback[].every.calls",
    ],
    "WIR-40 a static text is told under its name after every second call",
    async () => {
      const results = await play("fed", shell("echo 1"), shell("echo 2"), shell("echo 3"), shell("echo 4"));
      const told = "<feedback provider='brief'>\nStay brief.\n</feedback>";
      expect(results.map((result) => result.includes(told))).toEqual([false, true, false, true]);
    },
  );
  wired(
    ["agents.*.feedback[].every.seconds", "agents.*.feedback[].on", "agents.*.feedback[].on.fileCreated"],
    "WIR-41 a text is told after some seconds, and when a file has been created",
    async () => {
      const results = await play("fed", write("plan.md"), shell("sleep 1.2"));
      expect(results.map((result) => result.includes("A plan exists."))).toEqual([true, false]);
      expect(results[1]).toContain("Time passes.");
    },
  );
  wired(
    ["agents.*.feedback[].repeatedFailure", "agents.*.feedback[].repeatedFailure.after"],
    "WIR-42 a call that fails as often as the setting says is told so",
    async () => {
      const results = await play("fed", shell("false"), shell("false"));
      expect(results.map((result) => result.includes("failed 2 times in a row"))).toEqual([false, true]);
    },
  );
  wired(
    ["conduct feedback --provider", "conduct feedback --limit"],
    "WIR-510 the feedback of a session is read per provider, over the API and with the command",
    async () => {
      model.setScript([
        ...Array(4).fill({ calls: [{ name: "shell", input: { command: "false" } }] }),
        { text: "done" },
      ]);
      const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "fed" } });
      const params = { id };
      await gateway.operator.call("POST /api/sessions/{id}/messages", {
        params,
        query: { wait: "true" },
        body: { text: "go" },
      });
      const given = (query: { provider?: string; limit?: string; before?: string }) =>
        gateway.operator.call("GET /api/journal/sessions/{id}/feedback", { params, query });
      await expect.poll(async () => (await given({ provider: "brief" })).feedback.length).toBe(2);
      const { feedback, next } = await given({ provider: "brief", limit: "1" });
      expect(feedback).toMatchObject([{ providerName: "brief", summary: "Stay brief.", callIndex: 4 }]);
      const older = await given({ provider: "brief", limit: "1", before: String(next) });
      expect(older.feedback).toMatchObject([{ providerName: "brief", callIndex: 2 }]);
      expect(new Set((await given({})).feedback.map((one) => one.providerName)).size).toBeGreaterThan(1);

      const shown = async (...words: readonly string[]) => (await machine.conduct(["feedback", id, ...words])).out;
      expect(await shown("--provider", "brief")).toMatch(
        /brief {2}info, after 4 calls\n.*Stay brief\.[\s\S]*after 2 calls/,
      );
      expect(await shown("--provider", "brief")).not.toContain("failed 2 times in a row");
      expect(await shown()).toContain("failed 2 times in a row");
      expect(await shown("--provider", "brief", "--limit", "1")).not.toContain("after 2 calls");
      expect(await shown("--provider", "nobody")).toContain("no feedback of nobody");
      expect((await machine.conduct(["feedback", "nothing-like-it"])).err).toContain("no session 'nothing-like-it'");
    },
  );
  wired(
    ["agents.*.feedback[].deadline", "agents.*.feedback[].deadline.warnAt", "agents.*.limits.deadline"],
    "WIR-43 the time until the deadline is told, with a warning once less than the setting is left",
    async () => {
      expect((await play("fed", shell("echo 1")))[0]).toMatch(/59 minutes remaining.*\n\n-> Finish the critical part/);
    },
  );
  wired(
    [
      "agents.*.feedback[].tokenBudget",
      "agents.*.feedback[].tokenBudget.cautionAt",
      "agents.*.feedback[].tokenBudget.warnAt",
      "agents.*.limits.tokens",
    ],
    "WIR-44 the share of the token budget is told, with caution and warning at their shares, and then the budget ends the calls",
    async () => {
      const usage = (input: number) => ({ input, output: 1 });
      const step = (input: number) => ({
        calls: [{ name: "shell", input: { command: "echo 1" } }],
        usage: usage(input),
      });
      model.setScript([step(100), step(200), step(300), step(500), () => ({ text: "done" })]);
      await gateway.say("spender", "go");
      const results = model.requests.at(-1)?.results.map(({ text }) => text) ?? [];
      expect(results[0]).toMatch(/10 % of your token budget/);
      expect(results[1]).toMatch(/30 % of your token budget[\s\S]*->/);
      expect(results[3]).toContain("The session's budget for tokens is used up");
    },
  );
  wired(
    [
      "agents.*.completion",
      "agents.*.completion.files",
      "agents.*.completion.evidence",
      "agents.*.completion.command",
      "agents.*.completion.command.run",
      "agents.*.limits.stops",
    ],
    "WIR-45 a stop is refused until the file, the evidence and the command are there, at most as often as the limit says",
    async () => {
      const refused = await stop("finisher");
      expect(refused).toMatchObject({ status: "incomplete", why: expect.stringContaining("after 2 refused stops") });
      const asked = () => model.requests.at(-1)?.lastUserText ?? "";
      expect(asked()).toContain("out.txt");
      await stop("finisher", write("out.txt"));
      expect(asked()).toContain("checked");
      const ran = [write("run_tests.sh", "exit 0"), shell("sh ./run_tests.sh")];
      await stop("finisher", write("out.txt"), shell("echo check"));
      expect(asked()).toContain("tests.run");
      await stop("finisher", ...ran, shell("echo check"));
      expect(asked()).toContain("test -e marked");
      const done = await stop("finisher", write("marked"), ...ran, shell("echo check"));
      expect(done).toMatchObject({ status: "complete" });
    },
  );
  wired(
    ["agents.*.completion.any", "agents.*.completion.command.timeout"],
    "WIR-46 with 'any' one of them is enough, and a command that takes too long has failed",
    async () => {
      expect(await stop("either")).toMatchObject({ status: "incomplete" });
      expect(model.requests.at(-1)?.lastUserText).toMatch(/`sleep 30` did not end within 1 s/);
      expect(await stop("either", write("out.txt"))).toMatchObject({ status: "complete" });
    },
  );
  wired(
    ["agents.*.limits", "agents.*.limits.calls"],
    "WIR-47 the call after the last one that the limit allows is denied",
    async () => {
      const results = await play("counted", shell("echo 1"), shell("echo 2"), shell("echo 3"));
      expect(results[2]).toContain("The session's budget for calls is used up (2 of 2; limits.session.calls)");
    },
  );
  wired(
    ["agents.*.limits.inputTokens", "agents.*.limits.outputTokens"],
    "WIR-48 used-up input or output tokens end the calls",
    async () => {
      for (const [agent, usage] of [
        ["thrifty", { input: 50, output: 1 }],
        ["terse", { input: 1, output: 50 }],
      ] as const) {
        model.setScript([
          { calls: [{ name: "shell", input: { command: "echo 1" } }], usage },
          { calls: [{ name: "shell", input: { command: "echo 2" } }], usage },
          () => ({ text: "done" }),
        ]);
        await gateway.say(agent, "go");
        expect(model.requests.at(-1)?.results.at(-1)?.text).toMatch(
          /The session's budget for (input|output) tokens is used up/,
        );
      }
    },
  );
  wired("agents.*.limits.time", "WIR-49 used-up time ends the calls", async () => {
    const results = await play("late", shell("sleep 1.2"), shell("echo 2"));
    expect(results[1]).toMatch(/The session's budget for time is used up/);
  });
  wired(
    [
      "agents.*.policies",
      "agents.*.policies[].name",
      "agents.*.policies[].readBeforeWrite",
      "agents.*.policies[].readBeforeWrite.readTools",
      "agents.*.policies[].readBeforeWrite.writeTools",
      "agents.*.policies[].sequential",
    ],
    "WIR-51 policies of an agent deny by their name: an unread file, a step before its prerequisite",
    async () => {
      machine.write({ ".conduct-work/careful/operator/old.txt": "old" });
      const results = await play("careful", shell("echo ship"), write("old.txt"), read("old.txt"), write("old.txt"));
      expect(results[0]).toContain("Denied by order: Tool 'ship' requires: check");
      expect(results[1]).toContain("Denied by look: File 'old.txt' must be read before overwriting.");
      expect(results[3]).toContain("wrote old.txt");
    },
  );
  wired(
    [
      "agents.*.sections[].policies",
      "agents.*.sections[].policies[].name",
      "agents.*.sections[].policies[].sequential",
      "agents.*.sections[].policies[].readBeforeWrite",
      "agents.*.sections[].policies[].readBeforeWrite.readTools",
      "agents.*.sections[].policies[].readBeforeWrite.writeTools",
    ],
    "WIR-52 policies of a section deny calls of its tools",
    async () => {
      machine.write({ ".conduct-work/sectioned/operator/old.txt": "old" });
      const results = await play(
        "sectioned",
        shell("echo move it"),
        shell("echo where"),
        shell("echo move it"),
        write("old.txt"),
      );
      expect(results[0]).toContain("Denied by in-order");
      expect(results[2]).toContain("move it");
      expect(results[3]).toContain("Denied by papers");
    },
  );
  wired(
    ["agents.*.checkpoints", "agents.*.checkpoints.verify_context", "agents.*.checkpoints.review_plan"],
    "WIR-53 the checkpoints answer with the operator's texts",
    async () => {
      const results = await play("checked", ["verify_context", {}], ["review_plan", {}]);
      expect(results[0]).toContain("Who asked for this?");
      expect(results[1]).toContain("What could go wrong?");
    },
  );
});
