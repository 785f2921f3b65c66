import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutStart } from "../shared/content.ts";
import { finished, gave, said } from "./test/recorded.ts";
import { isTyped, outputChange, stopReason, usageNotice, withTaskAnswer } from "./translate.ts";

const ok = { outcome: "ok", parts: [] } as const;
const text = (said: string) => ({ outcome: "ok", parts: [{ kind: "text", text: said }] }) as const;
const advice = [{ rule: "r", text: "MIND", level: "warn" }] as const;

describe("what a call gives back", () => {
  it.each(["bash", "read-image", "mcp-text", "mcp-image"])(
    "OC-8 %s stays unchanged without advice or feedback",
    (id) => {
      expect(outputChange(gave(id).output, { result: ok, changed: false }, [])).toBeUndefined();
    },
  );

  it("OC-8 advice comes before the result, feedback after it", () => {
    const change = outputChange(gave("bash").output, { result: ok, changed: false, feedback: "GOOD" }, advice);
    expect(change).toEqual({ output: "MIND\n\nout\nerr\n\n\nGOOD" });
    expect(outputChange(gave("mcp-text").output, { result: ok, changed: false, feedback: "GOOD" }, advice)).toEqual({
      content: ["MIND", "one", "GOOD"].map((said) => ({ type: "text", text: said })),
    });
  });

  it.each(["x".repeat(50_000), "x\n".repeat(2_000)])(
    "OC-8 feedback on a server's result that OpenCode will cut comes before the result",
    (long) => {
      const content = [{ type: "text", text: long }];
      const change = outputChange({ content }, { result: ok, changed: false, feedback: "GOOD" }, []);
      expect(change).toEqual({ content: [{ type: "text", text: "GOOD" }, ...content] });
    },
  );

  it("OC-9 a changed result replaces the runtime's result, and a removed picture is removed there too", () => {
    expect(outputChange(gave("bash").output, { result: text("cut"), changed: true }, [])).toEqual({ output: "cut" });
    expect(outputChange(gave("mcp-text").output, { result: text("cut"), changed: true }, [])).toEqual({
      content: [{ type: "text", text: "cut" }],
    });
    const picture = { kind: "image", mime: "image/png", data: "AA==" } as const;
    const image = gave("read-image").output;
    expect(outputChange(image, { result: text("cut"), changed: true }, [])).toEqual({ output: "cut", attachments: [] });
    const kept = { outcome: "ok", parts: [...text("cut").parts, picture] } as const;
    expect(outputChange(image, { result: kept, changed: true }, [])).toEqual({ output: "cut" });
    expect(outputChange(gave("mcp-image").output, { result: kept, changed: true }, [])).toEqual({
      content: [
        { type: "text", text: "cut" },
        { type: "image", mimeType: "image/png", data: "AA==" },
      ],
    });
  });

  it("OC-9 a server's requirements are removed from its structured content", () => {
    const { output } = gave("mcp-data");
    expect(outputChange(output, { result: ok, changed: false }, [])).toEqual({ structuredContent: { k: 1 } });
    expect(outputChange(output, { result: text("x"), changed: true }, [])).toEqual({
      content: [{ type: "text", text: "x" }],
      structuredContent: { k: 1 },
    });
  });

  it("OC-9 a block of an unknown kind stays unchanged", () => {
    const block = { type: "resource", resource: { uri: "file:///a", text: "t" } };
    const delivered = { result: { outcome: "ok", parts: [{ kind: "json", value: block }] }, changed: true } as const;
    expect(outputChange({ content: [block] }, delivered, [])).toEqual({ content: [block] });
  });

  it("OC-10 a subagent's last answer replaces an earlier one", () => {
    const { output } = gave("task");
    const changed = withTaskAnswer(String(output.output), "Now $& it is done.");
    expect(changed).toContain("<task_result>\nNow $& it is done.\n</task_result>");
    expect(changed).not.toContain("Below.");
    expect(withTaskAnswer("something else", "Done.")).toBe("Done.");
  });
});

describe("what a person typed", () => {
  it("OC-11 an attached file, which OpenCode has already read, is not part of the typed text", () => {
    const { parts } = said();
    expect(Array.isArray(parts) && parts.map((part) => isTyped(part as { type: string }))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("OC-11 removing the start of a message leaves the end of its text, however it is split into parts", () => {
    const texts = fc.array(fc.string({ maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, fc.nat(30), (parts, wanted) => {
        const whole = parts.join("\n");
        const cut = Math.min(wanted, whole.length);
        const left = withoutStart(parts, cut);
        expect(left).toHaveLength(parts.length);
        // A part that is used up stays as an empty one, and its line break counts.
        expect(left.join("\n").endsWith(whole.slice(cut))).toBe(true);
        expect(left.join("").length).toBeLessThanOrEqual(whole.slice(cut).length);
      }),
    );
  });
});

describe("notices", () => {
  it("OC-12 all tokens that the model read count as input, cached or not", () => {
    expect(usageNotice(finished())).toEqual({ kind: "usage", inputTokens: 10, outputTokens: 5 });
    const tokens = { input: 1, output: 2, reasoning: 4, cache: { read: 8, write: 16 } };
    expect(usageNotice({ tokens, cost: 0.5 })).toEqual({ kind: "usage", inputTokens: 25, outputTokens: 6, cost: 0.5 });
    expect(usageNotice({})).toEqual({ kind: "usage", inputTokens: 0, outputTokens: 0 });
  });

  it.each([
    { finish: "stop", reason: "end_turn" },
    { finish: "length", reason: "max_tokens" },
    { finish: "content-filter", reason: "content-filter" },
    { finish: undefined, reason: "end_turn" },
  ])("OC-12 OpenCode's finish reason $finish maps to $reason", ({ finish, reason }) => {
    expect(stopReason(finish)).toBe(reason);
  });
});
