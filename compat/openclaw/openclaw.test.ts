import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/words/json.ts";
import type { KitRun } from "../../src/testing/kit/driver.ts";
import { numberedLines, releaseConfig } from "../../src/testing/kit/scenarios/scenario.ts";
import type { ModelServer, ScriptedCall, ScriptedReply } from "../../src/testing/test/model-server/index.ts";
import type { Machine } from "../shipped/machine.ts";
import { configPath } from "./config.ts";
import type { ClawPlace } from "./place.ts";
import { ShippedClaw } from "./shipped-claw.ts";

const config = releaseConfig({ sections: [{ heading: "Task", content: "MARKER-OC" }] });
const files = { "deploy.sh": "touch deployed.txt", "test.sh": "echo green" };
const shell = (id: string, command: string): ScriptedCall => ({ id, name: "exec", input: { command } });
const done = { text: "Done." };
const tested = releaseConfig({
  actions: { test: { tool: "shell", command: "npm test *" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
});
const loud = {
  ...files,
  "big.log": numberedLines(3_000),
  "package.json": '{"name":"x","version":"1.0.0","scripts":{"test":"node --test check.test.js"}}',
  "check.test.js":
    'console.log(require("fs").readFileSync("big.log", "utf8")); require("node:test")("adds", () => {});',
};

/** One OpenClaw for the tests of a group; a conversation, its folder and a new Conduct for each test. */
function useClaw(more: JsonObject, edit?: (place: ClawPlace) => unknown) {
  const claw = new ShippedClaw(more, edit);
  let machine: Machine | undefined;
  afterEach(async () => {
    await machine?.close();
    machine = undefined;
  });
  afterAll(() => claw.close());
  return {
    async session(
      script: readonly ScriptedReply[],
      options: Partial<Pick<KitRun, "failing" | "files" | "config">> = {},
    ) {
      const run: KitRun = { config, files, message: "", script: [], ...options };
      const own = claw.machine(run);
      machine = own;
      const { key, server, gateway, requests } = await claw.open(run, own);
      server.setScript(script);
      if (options.failing !== undefined) await own.fail(options.failing);
      return {
        key,
        gateway: gateway(),
        requests,
        files: () => own.files(),
        events: () => own.events(),
        result: (id: string) => resultIn(requests(), id),
      };
    },
  };
}

function resultIn(requests: ModelServer["requests"], id: string): string {
  const results = requests.flatMap((request) => request.results);
  return results.find(({ callId }) => callId === id)?.text ?? "(no result)";
}

describe("as people have it", () => {
  const rival = new URL("rival", import.meta.url).pathname;
  const claw = useClaw({
    // OpenClaw's default: most tools are behind a search.
    tools: { profile: "coding", exec: { host: "gateway", mode: "full" } },
    plugins: { allow: ["rival"], load: { paths: [rival] }, entries: { rival: { enabled: true } } },
  });

  it("OCL-X2 a tool called through tool_call is decided like any other", async () => {
    const through = (id: string, command: string) => ({
      calls: [{ id, name: "tool_call", input: { id: "exec", args: { command } } }],
    });
    const played = await claw.session([through("c1", "sh deploy.sh"), done]);
    await played.gateway.chat(played.key, "go");
    const calls = played.events().flatMap((event) => (event.type === "call" ? [event] : []));
    expect(calls.map(({ call, decision }) => [call.tool, decision.kind])).toContainEqual(["shell", "deny"]);
    expect(played.result("c1")).toContain("requires: test");
    expect(played.files().has("deployed.txt")).toBe(false);
  });

  it("OCL-X3 Conduct's own tools are available without a search", async () => {
    const { gateway, key, requests } = await claw.session([done]);
    await gateway.chat(key, "go");
    const [request] = requests();
    expect(request?.toolNames).toContain("tool_search");
    expect(request?.toolNames).toContain("read_result");
  });

  it("OCL-X9 a result of 128 KB keeps the notice with its handle, and tests that print as much and pass are proof", async () => {
    const lines = ["cat big.log", "npm test", "sh deploy.sh"];
    const calls = lines.map((line, at) => ({ calls: [shell(`c${at + 1}`, line)] }));
    const played = await claw.session([...calls, done], { files: loud, config: tested });
    await played.gateway.chat(played.key, "go");
    expect(played.result("c1")).toMatch(/^line 1: [\s\S]*⚠️ \[Output truncated: .*"handle":"r_.*\]$/);
    expect(played.files().has("deployed.txt"), played.result("c3")).toBe(true);
  });

  it("OCL-X4 the decided call runs, not the version that another plugin rewrote", async () => {
    const played = await claw.session([{ calls: [shell("c1", "echo plain")] }, done]);
    await played.gateway.chat(played.key, "go");
    expect(played.result("c1")).toContain("plain");
    expect(played.files().has("rewritten.txt")).toBe(false);
  });

  it("OCL-X5 messages over HTTP, as with `openclaw agent`, have the same modes, prompt and rules", async () => {
    const played = await claw.session([{ calls: [shell("c1", "sh deploy.sh")] }, { text: "No." }]);
    expect(await played.gateway.post(played.key, "/verbose on")).toContain("verbose: on");
    expect(played.requests()).toEqual([]);
    expect(await played.gateway.post(played.key, "/think go on")).toBe("No.");
    expect(played.requests()).toHaveLength(2);
    for (const { raw } of played.requests()) {
      expect(raw).toContain("MARKER-OC");
      expect(raw).not.toContain("/think go on");
      expect(raw).not.toContain("/verbose on");
    }
    expect(played.result("c1")).toContain("requires: test");
  });

  it("OCL-X6 /new begins another Conduct session under the same key", async () => {
    const { gateway, key, events } = await claw.session([done, done, done]);
    await gateway.chat(key, "one");
    await gateway.chat(key, "/new");
    await gateway.chat(key, "two");
    const sessions = new Set(events().flatMap(({ type, session }) => (type === "message" ? [session] : [])));
    expect(sessions.size).toBe(2);
    expect([...sessions].every((session) => session.startsWith(`${key}@`))).toBe(true);
  });

  it("OCL-X7 a message whose channel is only set by an HTTP header has a viewer's rights", async () => {
    const { gateway, key, events } = await claw.session([done]);
    await gateway.post(key, "KEEP: short notes\n\ngo", { "x-openclaw-message-channel": "telegram" });
    const [message] = events().filter(({ type }) => type === "message");
    expect(message).toMatchObject({ sender: { role: "viewer" } });
    expect(events().find(({ type }) => type === "directive")).toMatchObject({ outcome: "not-operator" });
  });
});

describe("the person at OpenClaw", () => {
  const claw = new ShippedClaw();
  const run: KitRun = { config, files, message: "", script: [] };
  const own = claw.machine(run);
  afterAll(async () => {
    await own.close();
    await claw.close();
  });

  it("OCL-X9 their instructions reach the next conversation, and the zone they set replaces the machine's", async () => {
    own.env.TZ = "Asia/Tokyo";
    const wish = "Always answer in French.";
    const { key, server, gateway, requests } = await claw.open(run, own);
    server.setScript(({ raw, results }) =>
      raw.includes("in French please") && results.length === 0
        ? { calls: [{ id: "wish", name: "update_instructions", input: { add: [wish] } }] }
        : { text: "Oui." },
    );
    await gateway().chat(key, "always answer in French please");
    await gateway().chat(key, "/new");
    const sentFor = async (message: string) => {
      const before = requests().length;
      await gateway().chat(key, message);
      const sent = requests().slice(before);
      return sent.map(({ raw }) => raw).join("\n");
    };
    const first = await sentFor("good morning");
    expect([first.includes(wish), first.includes("(Asia/Tokyo)")]).toEqual([true, true]);
    expect(await sentFor("/zone Europe/London")).toBe("");
    const later = await sentFor("what time is it?");
    expect(later.includes("(Europe/London)")).toBe(true);
  });
});

/** An OpenClaw of its own: its plugin was loaded from the package that is removed. */
describe("without Conduct", () => {
  const claw = useClaw({});

  it("OCL-X1 if Conduct is unreachable, no message is sent, and the person sees why", async () => {
    const { gateway, key, requests } = await claw.session([done], { failing: "gone" });
    const { said } = await gateway.chat(key, "go");
    expect(said.join()).toContain("Conduct could not take this message");
    expect(requests()).toEqual([]);
  });
});

describe("without the right to conversations", () => {
  const claw = useClaw({}, withoutAccess);

  it("OCL-X8 a removed right to conversations is restored at once, and calls are decided", async () => {
    const played = await claw.session([{ calls: [shell("c1", "sh test.sh"), shell("c2", "sh deploy.sh")] }, done]);
    await played.gateway.chat(played.key, "go");
    expect(played.result("c1")).toContain("green");
    expect(played.result("c2")).toContain("requires: test");
  });
});

/** Removes the permission that `conduct init` has added, and waits until the daemon has restored it. */
async function withoutAccess(place: ClawPlace): Promise<void> {
  const path = configPath(place);
  const access = () => JSON.parse(readFileSync(path, "utf8")).plugins.entries.conduct.hooks;
  const config = JSON.parse(readFileSync(path, "utf8"));
  const { hooks } = config.plugins.entries.conduct;
  expect(hooks).toBeDefined();
  delete config.plugins.entries.conduct.hooks;
  writeFileSync(path, JSON.stringify(config));
  await expect.poll(access, { timeout: 60_000 }).toEqual(hooks);
}
