import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HookServer, listenForHooks } from "./hook-socket.ts";
import { sendHook } from "./hook-socket-client.ts";

let dir: string;
let path: string;
let server: HookServer | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "conduct-socket-"));
  path = join(dir, "run", "s.sock");
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const echo = async (request: unknown) => ({ echo: request });

/** What the server answers to raw bytes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(path, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
  });
}

describe("listenForHooks and sendHook", () => {
  it("an event goes in and its answer comes out, many at once", async () => {
    server = await listenForHooks(path, echo);
    const sent = Array.from({ length: 50 }, (_, i) => ({ i, text: "é\n".repeat(i * 100) }));
    const answers = await Promise.all(sent.map((event) => sendHook(path, event, 5_000)));
    expect(answers).toEqual(sent.map((event) => ({ echo: event })));
    expect(statSync(join(dir, "run")).mode & 0o777).toBe(0o700);
  });

  it("what the handler throws is an error for the sender, and the next one is served", async () => {
    let calls = 0;
    server = await listenForHooks(path, async () => {
      calls += 1;
      if (calls === 1) throw new Error("the store is gone");
      return {};
    });
    await expect(sendHook(path, {}, 5_000)).rejects.toThrow("the store is gone");
    expect(await sendHook(path, {}, 5_000)).toEqual({});
  });

  it("SOC-1 an answer counts even if the daemon's version cannot be compared", async () => {
    mkdirSync(join(dir, "run"), { mode: 0o700 });
    const stand = createServer((socket) => {
      socket.once("data", () =>
        socket.end(`${JSON.stringify({ ok: true, version: "9.9.9", answer: { kind: "deny" } })}\n`),
      );
    });
    await new Promise<void>((resolve) => stand.listen(path, resolve));
    const gone = () => {
      throw new Error("ENOENT: package.json");
    };
    expect(await sendHook(path, {}, 5_000, gone)).toEqual({ kind: "deny" });
    stand.close();
  });

  it("bad input is answered with an error", async () => {
    server = await listenForHooks(path, echo, { maxBytes: 100, receiveMs: 200 });
    expect(JSON.parse(await raw("not json\n"))).toEqual({ ok: false, error: "the request is not JSON" });
    expect(JSON.parse(await raw("x".repeat(200)))).toMatchObject({
      ok: false,
      error: expect.stringContaining("100 bytes"),
    });
    expect(JSON.parse(await raw("{}"))).toMatchObject({ ok: false, error: expect.stringContaining("200 ms") });
    expect(await sendHook(path, {}, 5_000)).toEqual({ echo: {} });
  });

  it("a server that hangs, goes away or talks nonsense is an error", async () => {
    mkdirSync(join(dir, "run"), { mode: 0o700 });
    const behaviours = ["hang", "close", "nonsense", "odd"];
    const bad = createServer((socket) => {
      const next = behaviours.shift();
      if (next === "close") socket.destroy();
      if (next === "nonsense") socket.end("?\n");
      if (next === "odd") socket.end("7\n");
      socket.on("error", () => {});
    }).listen(path);
    await expect(sendHook(path, {}, 150)).rejects.toThrow("did not answer within 150 ms");
    await expect(sendHook(path, {}, 5_000)).rejects.toThrow(/ended the connection|cannot be reached/);
    await expect(sendHook(path, {}, 5_000)).rejects.toThrow("the answer is not JSON");
    await expect(sendHook(path, {}, 5_000)).rejects.toThrow("the answer cannot be read");
    bad.close();
  });

  it("no socket, no real one, or a folder that others may enter is refused", async () => {
    await expect(sendHook(path, {}, 100)).rejects.toThrow("there is no Conduct daemon");
    server = await listenForHooks(path, echo);
    writeFileSync(join(dir, "run", "file"), "");
    await expect(sendHook(join(dir, "run", "file"), {}, 100)).rejects.toThrow("is not a socket");
    chmodSync(join(dir, "run"), 0o755);
    await expect(sendHook(path, {}, 100)).rejects.toThrow("other accounts can enter");
  });

  it.runIf(process.getuid?.() === 0)("a socket of another user is refused", async () => {
    const { chownSync } = await import("node:fs");
    server = await listenForHooks(path, echo);
    chownSync(path, 12_345, 12_345);
    await expect(sendHook(path, {}, 100)).rejects.toThrow("belongs to another user");
  });

  it("listens neither in an open folder, nor in another's place, but after a crash", async () => {
    mkdirSync(join(dir, "open"));
    chmodSync(join(dir, "open"), 0o777);
    await expect(listenForHooks(join(dir, "open", "s"), echo)).rejects.toThrow("chmod 700");
    await expect(listenForHooks(join(dir, "x".repeat(120)), echo)).rejects.toThrow("at most 100 bytes");
    server = await listenForHooks(path, echo);
    await expect(listenForHooks(path, echo)).rejects.toThrow("another process already listens");
    await server.close();
    writeFileSync(path, "");
    await expect(listenForHooks(path, echo)).rejects.toThrow("is not a socket");
    rmSync(path);
    await leaveStaleSocket(path);
    expect(existsSync(path)).toBe(true);
    server = await listenForHooks(path, echo);
    expect(await sendHook(path, 1, 5_000)).toEqual({ echo: 1 });
  });

  it("one whose socket was taken away knows, and leaves the socket of whoever listens there now", async () => {
    const old = await listenForHooks(path, async () => "old");
    expect(old.isThere()).toBe(true);
    rmSync(path);
    expect(old.isThere()).toBe(false);
    server = await listenForHooks(path, async () => "new");
    expect([old.isThere(), server.isThere()]).toEqual([false, true]);
    await old.close();
    expect(server.isThere()).toBe(true);
    expect(await sendHook(path, 1, 5_000)).toBe("new");
  });
});

/** As a process leaves it that was killed. */
async function leaveStaleSocket(at: string): Promise<void> {
  const { spawnSync } = await import("node:child_process");
  const script = `require("net").createServer().listen(${JSON.stringify(at)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", script]);
}
