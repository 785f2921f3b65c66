import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../base/words/event.ts";
import type { Json, JsonObject } from "../../base/words/json.ts";
import { eventJson } from "./event-json.ts";
import { redactWith } from "./redact-event.ts";

const base = { v: 1, id: "e_1", seq: 1, at: 5, session: "s_1", agent: "a", run: "r", turn: 1 } as const;
const KEY = Buffer.alloc(32, 7);
const redact = redactWith(KEY);
/** Put together here, so that no file holds anything that looks like a key. */
const SECRET = ["sk-ant-", "api03-a1B2c3D4e5F6g7H8i9J0k1L2m3N4"].join("");

function event(body: EventBody): ConductEvent {
  return { ...base, ...body } as ConductEvent;
}
function called(args: JsonObject): ConductEvent {
  const native = { runtime: "test", name: "shell", input: args };
  const call = { id: "c", tool: "shell", args, actions: [], proves: [], paths: [], native };
  return event({ type: "call", call, decision: { kind: "allow", id: "d_1", advice: [] } });
}
function argsOf(kept: ConductEvent): JsonObject {
  return kept.type === "call" ? kept.call.args : {};
}

describe("redacted events", () => {
  it.each<[string, Json, RegExp]>([
    ["in a text", `export X=${SECRET}`, /^export X=sk-ant-\[redacted:[0-9a-f]{12}\]$/],
    ["deep down", [{ a: [`use ${SECRET}`] }], /redacted:[0-9a-f]{12}/],
    ["under a name that says it", { password: "hunter2" }, /^{"password":"\[redacted:[0-9a-f]{12}\]"}$/],
    ["under such a name in an env", { env: { DB_PASSWORD: "correct horse" } }, /"\[redacted:[0-9a-f]{12}\]"/],
    ["in a name", { [`--token ${SECRET}`]: 1 }, /redacted/],
    ["in a URL", "postgres://ann:hunter2@db/x", /^postgres:\/\/ann:\[redacted:[0-9a-f]{12}\]@db\/x$/],
  ])("RED-1 a secret %s is replaced by a keyed hash", (_, value, shown) => {
    const kept = argsOf(redact(called({ value }))).value;
    const text = typeof kept === "string" ? kept : JSON.stringify(kept);
    expect(text).toMatch(shown);
    expect(JSON.stringify(redact(called({ value })))).not.toMatch(/hunter2|correct horse|a1B2c3D4/);
  });

  it("RED-2 equal secrets get equal hashes; other secrets and other keys get different ones", () => {
    const hashed = (secret: string, key = KEY) => JSON.stringify(argsOf(redactWith(key)(called({ token: secret }))));
    expect(hashed("hunter2")).toBe(hashed("hunter2"));
    expect(hashed("hunter2")).not.toBe(hashed("hunter3"));
    expect(hashed("hunter2")).not.toBe(hashed("hunter2", Buffer.alloc(32, 8)));
  });

  it("RED-3 redacting an event twice changes nothing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(SECRET, "password=hunter22", ""), (value, secret) => {
        const once = redact(called({ value: value as Json, secret, text: `x ${secret}` }));
        expect(redact(once)).toEqual(once);
      }),
    );
  });

  it("RED-4 redaction changes only secrets, not ids or hashes", () => {
    const plain = called({ command: "npm test", path: "src/a.ts", token_count: 3, pwd: "/home/ann" });
    expect(redact(plain)).toEqual(plain);
    const prompt = { type: "prompt", hash: "4f1c2a", prefixHash: "0", tokens: 1, prefixTokens: 1 } as const;
    const told = event({ ...prompt, sections: [{ contributor: "identity", tokens: 1, hash: "ab12" }], cuts: [] });
    expect(redact(told)).toEqual(told);
  });

  it("RED-5 a text over 8 KB is cut with its length and hash, and no secret shows at the cut", () => {
    const kept = (whole: string) => String(argsOf(redact(called({ text: whole }))).text);
    expect(kept("x".repeat(8_192))).toBe("x".repeat(8_192));
    expect(kept("x".repeat(8_193))).toMatch(/^x{8192}… \[cut: 8193 characters, [0-9a-f]{12}\]$/);
    expect(kept(`${"x".repeat(9_000)}a`)).not.toBe(kept(`${"x".repeat(9_000)}b`));
    for (let before = 32_700; before < 32_790; before += 3) {
      expect(kept(`${`${SECRET} `.repeat(900)}${"y".repeat(before % 41)}`)).not.toContain("a1B2");
    }
  });

  it("RED-6 the size of a redacted event is bounded, however many texts it has", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, "x".repeat(500)]));
    const kept = redact(called(many));
    expect(JSON.stringify(kept).length).toBeLessThan(20_000);
    expect(kept).toMatchObject({
      id: "e_1",
      type: "call",
      call: { tool: "shell", args: { cut: expect.stringMatching(/cut: \d+ characters/) } },
    });
  });

  it("RED-7 an unreadable event becomes a fault with the same id", () => {
    const round: Record<string, unknown> = {};
    round.self = round;
    expect(redact(called(round as JsonObject))).toEqual({
      ...base,
      type: "fault",
      fault: { where: "journal", code: "event-unreadable", message: "An event of type call could not be written." },
    });
  });

  it("RED-8 any redacted event is JSON that parses to the same event", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const kept = redact(called({ value: value as Json }));
        expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
        expect(JSON.stringify(kept).isWellFormed()).toBe(true);
      }),
    );
  });

  it("RED-9 a redaction key that is too short is rejected", () => {
    expect(() => redactWith(Buffer.alloc(8))).toThrow("at least 16");
  });

  it("RED-10 a result's hash is keyed, so equal results stay equal and guesses cannot be tested", () => {
    const result = (resultHash: string) =>
      event({ type: "result", call: "c", tool: "t", outcome: "ok", truncation: [], feedback: [], resultHash });
    const hashOf = (kept: ConductEvent) => (kept.type === "result" ? kept.resultHash : undefined);
    const one = hashOf(redact(result("abc")));
    expect(one).toMatch(/^[0-9a-f]{12}$/);
    expect(hashOf(redact(result("abc")))).toBe(one);
    expect(hashOf(redact(result("abd")))).not.toBe(one);
    expect(hashOf(redactWith(Buffer.alloc(32, 8))(result("abc")))).not.toBe(one);
  });

  it("FAST-7 the JSON of a redacted event, made once, is the event's own, whatever the event contains", () => {
    const odd = fc.constantFrom(undefined, Number.NaN, -0, Number.POSITIVE_INFINITY, Symbol("s"), () => 1);
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, fc.jsonValue(), odd, fc.array(tie("any")), fc.dictionary(fc.string(), tie("any"))),
    })).any;
    fc.assert(
      fc.property(value, (given) => {
        const kept = redact(called({ value: given as Json, ["__proto__"]: 1 }));
        expect(eventJson(kept)).toBe(JSON.stringify(kept));
        expect(JSON.parse(eventJson(kept))).toStrictEqual(kept);
      }),
    );
  });
});
