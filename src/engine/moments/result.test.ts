import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../base/words/result.ts";
import { StaticFeedbackProvider } from "../../behavior/feedback/feedback-providers.ts";
import { testConduct } from "../session/test/test-conduct.ts";

import { ok, orderPolicy as order, play } from "../session/test/test-play.ts";

describe("result", () => {
  it("RE-1 a result that is too large is shortened, stored under a handle, and paged with read_result", async () => {
    const { open, kept } = testConduct({ limits: { window: 1_000 } });
    const session = open();
    const call = { id: "1", tool: "cat", args: {} };
    await session.onCall(call);
    const long = Array.from({ length: 400 }, (_, i) => `line ${i}`).join("\n");
    const { result, changed } = await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text: long }] });
    const [part] = result.parts;
    if (part?.kind !== "text") throw new Error("a text was expected");
    expect(changed).toBe(true);
    expect(part.text).toContain("⚠️ [Output truncated: ");
    const handle = /"handle":"(r_\d+)"/.exec(part.text)?.[1] ?? "";
    expect(kept.get(`${session.id}/${handle}`)).toBe(long);
    const [tool] = session.tools();
    const page = await tool?.run({ handle, offset: long.indexOf("line 300") });
    expect(JSON.stringify(page)).toContain("line 300");
    expect(await open().tools()[0]?.run({ handle })).toMatchObject({ outcome: "failed" });
  });

  it("RE-2 if the full result cannot be stored, the notice does not offer it", async () => {
    const results = { keep: async () => Promise.reject(new Error("disk full")), read: async () => undefined };
    const { open, events } = testConduct({ limits: { window: 1_000 } }, { results });
    const session = open();
    const call = { id: "1", tool: "cat", args: {} };
    await session.onCall(call);
    const delivered = await session.onResult(call, {
      outcome: "ok",
      parts: [{ kind: "text", text: "word ".repeat(4_000) }],
    });
    expect(JSON.stringify(delivered.result)).toContain("not stored");
    expect(JSON.stringify(delivered.result)).not.toContain("read_result");
    expect(events.some((event) => event.type === "fault" && event.fault.code === "result-not-kept")).toBe(true);
  });

  it("RE-3 the results of a turn share one budget, and a new turn has its own", async () => {
    const session = testConduct({ limits: { window: 1_000 } }).open();
    const text = "word ".repeat(230);
    const sizes: number[] = [];
    for (let i = 0; i < 6; i++) {
      const call = { id: `m${i}`, tool: "cat", args: {} };
      await session.onCall(call);
      const { result } = await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text }] });
      sizes.push(JSON.stringify(result).length);
    }
    expect(sizes[0]).toBeGreaterThan(1_000);
    expect(sizes.at(-1)).toBeLessThan(500);
    await session.onMessage({ text: "next" });
    const call = { id: "fresh", tool: "cat", args: {} };
    await session.onCall(call);
    expect((await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text }] })).changed).toBe(false);
  });

  it("RE-4 a 100 MB result, binary data and lone surrogates are returned small and valid", async () => {
    const session = testConduct().open();
    const parts = [
      { kind: "text" as const, text: "x".repeat(100_000_000) },
      { kind: "text" as const, text: "\ud800 alone" },
      { kind: "bytes" as const, bytes: new Uint8Array([0, 255, 254, 0]) },
      { kind: "json" as const, value: { note: "</feedback>" } },
    ];
    for (const [i, part] of parts.entries()) {
      const call = { id: `big${i}`, tool: "cat", args: {} };
      await session.onCall(call);
      const { result } = await session.onResult(call, { outcome: "ok", parts: [part] });
      const text = JSON.stringify(result.parts);
      expect(text.length).toBeLessThan(200_000);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain("</feedback");
    }
    expect(() => session.serialise()).not.toThrow();
  });

  it("RE-8 a result that the runtime will not replace is counted, and not recorded as cut", async () => {
    const { open, events, kept } = testConduct({ limits: { window: 1_000 } });
    const session = open();
    const call = { id: "1", tool: "cat", args: {} };
    await session.onCall(call);
    const given: ToolResult = { outcome: "failed", parts: [{ kind: "text", text: "word ".repeat(4_000) }] };
    const delivered = await session.onResult(call, given, { replaceable: false });
    expect(delivered).toMatchObject({ result: given, changed: false });
    expect(kept.size).toBe(0);
    expect(events.find((event) => event.type === "result")).toMatchObject({ truncation: [] });
  });

  it("RE-9 a failure in an adapter is reported to the operator as a fault", () => {
    const { open, events } = testConduct();
    open().notice({ kind: "fault", fault: { where: "adapter", code: "hook", message: "boom" } });
    expect(events.at(-1)).toMatchObject({ type: "fault", fault: { message: "boom" } });
  });

  it("RE-10 a call has one result: a concurrent second one, or one after its turn, proves and counts nothing", async () => {
    const look = (path: string) => setImmediate().then(() => ({ resolved: `/w/${path}`, inside: true, exists: false }));
    const { open, events } = testConduct({ policies: [order()] }, { filesystem: { root: "/w", look } });
    const session = open();
    const call = { id: "1", tool: "test", args: {} };
    await session.onCall(call);
    await Promise.all([session.onResult(call, ok), session.onResult(call, ok)]);
    expect(session.view).toMatchObject({ callCount: 1, usage: { calls: 1 } });
    // The file that it wrote is looked up first, and meanwhile the next turn begins.
    const other = { id: "2", tool: "write_file", args: { path: "new.txt" } };
    await session.onCall(other);
    await Promise.all([session.onResult(other, ok), session.onMessage({ text: "next" })]);
    const outcomes = events.flatMap((event) => (event.type === "result" && event.call === "2" ? [event.outcome] : []));
    expect(outcomes).toEqual(["cancelled"]);
    session.reset();
    const third = { id: "3", tool: "test", args: {} };
    await session.onCall(third);
    const under = session.onResult(third, ok);
    session.reset();
    await under;
    expect(await play(session, "deploy")).toBe("deny");
  });

  it.each<[string, unknown]>([
    ["has no parts", { outcome: "ok" }],
    ["has a part of no kind", { outcome: "ok", parts: [{ kind: "hologram" }] }],
    ["holds a BigInt", { outcome: "ok", parts: [{ kind: "json", value: { a: 1n } }] }],
  ])("RE-11 a result that %s is withheld, and the call proves nothing", async (_what, bad) => {
    const { open, events } = testConduct({ policies: [order()] });
    const session = open();
    const call = { id: "1", tool: "test", args: {} };
    await session.onCall(call);
    const delivered = await session.onResult(call, bad as ToolResult);
    expect(delivered.changed).toBe(true);
    expect(JSON.stringify(delivered)).toContain("withheld");
    expect(await play(session, "deploy")).toBe("deny");
    expect(events.some((event) => event.type === "fault" && event.fault.code === "result-unreadable")).toBe(true);
  });

  it("RE-12 a result with an unknown outcome proves nothing", async () => {
    const session = testConduct({ policies: [order()] }).open();
    expect(await play(session, "test", { outcome: "great", parts: [] } as never)).toBe("allow");
    expect(await play(session, "deploy")).toBe("deny");
    expect(session.view.evidence("test")?.last).toBe("unknown");
  });

  it("RE-13 a result is evidence for the agent that made the call, even if another agent is active", async () => {
    const { open } = testConduct({ policies: [order()] });
    const session = open();
    const call = { id: "1", tool: "test", args: {} };
    await session.onCall(call);
    session.useAgent("other");
    await session.onResult(call, ok);
    session.useAgent("agent");
    expect(await play(session, "deploy")).toBe("allow");
  });

  it("RE-5 a result without a call proves nothing and is reported", async () => {
    const { open, events } = testConduct({ policies: [order()] });
    const session = open();
    await session.onResult({ id: "ghost", tool: "test" }, ok);
    expect(await play(session, "deploy")).toBe("deny");
    expect(events.some((event) => event.type === "fault" && event.fault.code === "result-without-call")).toBe(true);
  });

  it("RE-6 a call without a result is cancelled at the end of its turn", async () => {
    const { open, events } = testConduct({ limits: { calls: 1 } });
    const session = open();
    await session.onCall({ id: "1", tool: "a", args: {} });
    await session.onStop();
    expect(events.find((event) => event.type === "result")).toMatchObject({ call: "1", outcome: "cancelled" });
    expect((await session.onCall({ id: "2", tool: "a", args: {} })).kind).toBe("allow");
  });

  it("RE-7 feedback counts denied calls, is limited to the active agent, and is triggered by new files", async () => {
    const say = (name: string) => new StaticFeedbackProvider({ name, feedback: `${name} speaks` });
    const { open, files, conduct } = testConduct({
      policies: [order()],
      feedback: [
        { provider: say("third"), trigger: { everyNCalls: 3 } },
        { provider: say("file"), trigger: { onFileCreated: { filename: "AGENTS.md" } } },
      ],
    });
    const session = open();
    let made = 0;
    const speak = async (tool: string) => {
      made += 1;
      const call = { id: `f${made}`, tool, args: {} };
      const { kind } = await session.onCall(call);
      return kind === "allow" ? (await session.onResult(call, ok)).feedback : kind;
    };
    expect(await speak("a")).toBeUndefined();
    expect(await speak("deploy")).toBe("deny");
    files.set("/w/AGENTS.md", "x");
    expect(await speak("a")).toBe(
      "<feedback provider='third'>\nthird speaks\n</feedback>\n\n<feedback provider='file'>\nfile speaks\n</feedback>",
    );
    session.useAgent("other");
    expect(session.view.callCount).toBe(0);
    expect(session.agent).toBe("other");
    expect(() => session.useAgent("nobody")).toThrow("known: agent, other");
    expect(conduct.agents).toHaveLength(2);
  });
});
