import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { shellCall, useDaemons, verdict } from "../../daemon/test/test-daemon.ts";
import { launcherScript } from "./launcher-script.ts";

const { place, start } = useDaemons();
const address = () => join(place.home, "run", "hooks");

/** Runs the launcher as Codex does. Node is a script that prints its input, so that tests see who answered. */
async function hook(event: JsonObject, env: NodeJS.ProcessEnv = {}, how: "socket" | "pipe" = "socket") {
  const [node, program] = [join(place.workspace, "node"), join(place.workspace, "conduct.mjs")];
  writeFileSync(node, '#!/bin/sh\nprintf "node: "\ncat\n');
  chmodSync(node, 0o755);
  writeFileSync(program, "");
  mkdirSync(join(place.home, "bin"), { recursive: true });
  const launcher = join(place.home, "bin", "conduct");
  writeFileSync(launcher, launcherScript(place.home, { node, program }));
  // Node's own pipes are sockets, which bash reads in another way.
  const script = how === "pipe" ? 'cat | /bin/sh "$0" hook codex' : 'exec /bin/sh "$0" hook codex';
  const child = spawn("/bin/sh", ["-c", script, launcher], { env: { PATH: process.env.PATH, ...env } });
  const [out, error]: [string[], string[]] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => error.push(text));
  // A hook that ends early does not read its event to the end.
  child.stdin.on("error", () => undefined).end(JSON.stringify({ ...shellCall(place.workspace), ...event }));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, out: out.join(""), error: error.join("") };
}

const shell = (command: string, id: string) => ({ tool_input: { command }, tool_use_id: id });

/** A program on the daemon's port that is not the daemon. */
async function impostor(answer: (secret: string) => { readonly status: number; readonly text: string }): Promise<void> {
  const [, ask = "", secret = ""] = readFileSync(address(), "utf8").trim().split(" ");
  const server = createServer((request, response) => {
    const { status, text } = answer(secret);
    request.resume().on("end", () => response.writeHead(status, { "content-length": 99 }).end(text));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  writeFileSync(address(), `${(server.address() as AddressInfo).port} ${ask} ${secret}\n`);
}

describe.skipIf(!existsSync("/bin/bash"))("hooks of Codex without Node", () => {
  it("FAST-63 the daemon decides on a call that the launcher sends, and on its result", async () => {
    await start();
    const ls = await hook(shell("ls", "c1"));
    expect({ ...ls, out: verdict(JSON.parse(ls.out)) }).toEqual({ code: 0, out: "allow", error: "" });
    expect(verdict(JSON.parse((await hook(shell("deploy ä 日本 'x' \"y\" $HOME", "c2"))).out))).toContain("Denied by");
    expect(await hook({ ...shell("ls", "c1"), hook_event_name: "PostToolUse", tool_response: "a\nb" })).toMatchObject({
      code: 0,
    });
    await hook(shell("npm test", "c3"));
    // The next step of the model.
    await hook({ hook_event_name: "PreModelRequest" });
    expect(verdict(JSON.parse((await hook(shell("deploy all", "c4"))).out))).toBe("allow");
  });

  it("WIR-930 an event through a pipe is decided on, and a long one is left to Node, whole", async () => {
    await start();
    const { code, out } = await hook(shell("deploy all", "c1"), {}, "pipe");
    expect({ code, out: verdict(JSON.parse(out)) }).toEqual({ code: 0, out: expect.stringContaining("Denied by") });
    const long = { hook_event_name: "PostToolUse", tool_response: "ä".repeat(100_000) };
    const left = await hook(long, {}, "pipe");
    expect(JSON.parse(left.out.replace(/^node: /, ""))).toEqual({ ...shellCall(place.workspace), ...long });
  });

  it("WIR-931 nothing that the environment says about the hook lets a call pass", async () => {
    await start();
    for (const CONDUCT_SHELL_HOOK of ["2", "1", "x"]) {
      const { code, out } = await hook(shell("ls", "c1"), { CONDUCT_SHELL_HOOK });
      expect({ code, out }).toEqual({ code: CONDUCT_SHELL_HOOK === "1" ? 1 : 2, out: "" });
    }
  });

  it.each([
    ["a message", { hook_event_name: "UserPromptSubmit", prompt: "hi" }, {}],
    ["a new session", { hook_event_name: "SessionStart", source: "startup" }, {}],
    ["a long event", { hook_event_name: "PostToolUse", tool_response: "ä".repeat(40_000) }, {}],
    ["an event for another socket", shell("ls", "c1"), { CONDUCT_SOCKET: "/nowhere" }],
    ["an event with another limit", shell("ls", "c1"), { CONDUCT_HOOK_MS: "100" }],
  ] as const)("FAST-64 %s is left to Node, whole", async (_, event, env) => {
    await start();
    const { out } = await hook(event, env);
    expect(JSON.parse(out.replace(/^node: /, ""))).toEqual({ ...shellCall(place.workspace), ...event });
  });

  it("FAST-65 without a daemon Node gets the event, also after a daemon was killed or got another token", async () => {
    expect((await hook(shell("ls", "c1"))).out).toMatch(/^node: /);
    const daemon = await start();
    const told = readFileSync(address(), "utf8");
    writeFileSync(address(), told.replace(/ \w+/, " 0000"));
    expect((await hook(shell("ls", "c1"))).out).toMatch(/^node: /);
    await daemon.end("stopped");
    expect(existsSync(address())).toBe(false);
    writeFileSync(address(), told);
    expect((await hook(shell("ls", "c1"))).out).toMatch(/^node: /);
  });

  it.each([
    ["does not know the secret", () => ({ status: 200, text: "wrong\n{}" })],
    ["sends half of the answer", (secret: string) => ({ status: 200, text: `${secret}\n{}` })],
    ["fails", () => ({ status: 500, text: "" })],
  ])("FAST-66 a call is blocked and not sent twice if the program on the port %s", async (_, answer) => {
    await start();
    await impostor(answer);
    expect(await hook(shell("ls", "c1"))).toMatchObject({ code: 2, out: "", error: expect.stringContaining("doctor") });
    expect(await hook({ hook_event_name: "Stop" })).toMatchObject({ code: 1, out: "" });
    writeFileSync(join(place.home, "runtimes.json"), JSON.stringify({ codex: { enforcement: "shadow" } }, null, 2));
    expect(await hook(shell("ls", "c1"))).toEqual({ code: 0, out: "", error: "" });
  });
});
