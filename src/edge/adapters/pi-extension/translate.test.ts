import type { AgentMessage } from "@earendil-works/pi-agent-core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piToolMap } from "../shared/pi/tool-map.ts";
import { callInputOf, resultOf } from "../shared/pi/translate.ts";
import { APIS, recordedOf, response } from "./test/recorded.ts";
import {
  callContextOf,
  carries,
  goOn,
  isStopping,
  messageOf,
  withPromptAfter,
  withPromptSection,
} from "./translate.ts";

describe.each(APIS)("what Pi's events really were over %s", (api) => {
  const [first] = recordedOf(api, "context_with_system");
  const messages = first?.messages ?? [];

  it("PET-1 calls are mapped to the common vocabulary with the model's ids, in one step", () => {
    const calls = recordedOf(api, "tool_call").map((event) =>
      callInputOf(callContextOf(event, response(api)), "step-1", piToolMap),
    );
    expect(calls.map(({ id, tool, args }) => ({ id, tool, args }))).toEqual([
      { id: "call_read", tool: "read_file", args: { path: "a.txt" } },
      { id: "call_write", tool: "write_file", args: { path: "b.txt", content: "new\n" } },
      { id: "call_ok", tool: "shell", args: { command: "echo fine" } },
      { id: "call_failed", tool: "shell", args: { command: "echo broken; exit 3" } },
    ]);
    expect(calls[1]?.native).toEqual({ runtime: "pi", name: "write", input: { path: "@b.txt", content: "new\n" } });
  });

  it("PET-2 results have an outcome, and an exit code if there is one", () => {
    const results = recordedOf(api, "tool_result").map((event) => {
      const context = { ...callContextOf(event, response(api)), isError: event.isError, result: event };
      const { tool, id } = callInputOf(context, "step-1", piToolMap);
      const { outcome, exitCode } = resultOf(context, tool, false);
      return [id, outcome, exitCode];
    });
    expect(results.sort()).toEqual([
      ["call_failed", "failed", 3],
      ["call_ok", "ok", undefined],
      ["call_read", "ok", undefined],
      ["call_write", "ok", undefined],
    ]);
  });

  it("PET-3 the prompt is the last section of the system message, once, and nothing else changes", () => {
    const told = withPromptSection(withPromptSection(messages, "OLD"), "NEW");
    const [head, ...rest] = told;
    expect(head).toEqual({ ...messages[0], sections: expect.objectContaining({ conduct: "NEW" }) });
    expect(Object.keys(head?.role === "system" ? (head.sections ?? {}) : {}).at(-1)).toBe("conduct");
    expect(rest).toEqual(messages.slice(1));
    expect(withPromptSection(messages, "")).toEqual(messages);
  });

  it("PET-4 a text in a request is found wherever the provider puts it", () => {
    const payloads = recordedOf(api, "before_provider_request").map(({ payload }) => payload);
    expect(payloads.map((payload) => carries(payload, "You are Pi.\n\n<cwd>"))).toEqual([true, true]);
    expect(payloads.map((payload) => carries(payload, "fine\n"))).toEqual([false, true]);
    expect(payloads.some((payload) => carries(payload, "never said"))).toBe(false);
  });

  it("PET-5 the end of a run is a stop, unless the run was aborted, failed, or continues anyway", () => {
    const [event] = recordedOf(api, "agent_before_settle");
    if (event === undefined) throw new Error("the recording has no end");
    expect(isStopping(event)).toBe(true);
    expect(isStopping({ ...event, continue: true })).toBe(false);
    expect(isStopping({ ...event, outcome: "aborted" })).toBe(false);
    expect(isStopping({ ...event, outcome: "error" })).toBe(false);
  });
});

it("PET-1 a call that is missing from the response is still mapped", () => {
  const event = { toolCallId: "call_x", toolName: "bash", input: { command: "ls" } };
  expect(callInputOf(callContextOf(event, response("anthropic-messages")), "step-1", piToolMap)).toMatchObject({
    id: "call_x",
    tool: "shell",
    args: { command: "ls" },
  });
});

it("PET-3 a transcript without a system message gets one", () => {
  const user: AgentMessage = { role: "user", content: "hi", timestamp: 1 };
  expect(withPromptSection([user], "TOLD")).toEqual([
    { role: "system", content: "", sections: { conduct: "TOLD" }, timestamp: 0 },
    user,
  ]);
  expect(withPromptAfter("FORCED", "TOLD")).toBe("FORCED\n\nTOLD");
  expect(withPromptAfter("FORCED", "")).toBe("FORCED");
});

it("PET-4 any text is found in a payload at any depth", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), fc.string(), (value, text, around) => {
      expect(carries({ body: [{ value }, { at: [{ text: `${around}${text}` }] }] }, text)).toBe(true);
    }),
  );
});

it.each(["interactive", "rpc"] as const)(
  "PET-6 a message that arrives by %s has the session's own sender",
  (source) => {
    expect(messageOf({ text: "KEEP: x", source })).toEqual({ text: "KEEP: x" });
  },
);

it("PET-6 a message sent by an extension has at most a user's rights", () => {
  expect(messageOf({ text: "KEEP: x", source: "extension" })).toEqual({ text: "KEEP: x", sender: { role: "user" } });
});

it("PET-7 a refused stop continues the run and keeps the entries of other extensions", () => {
  const other = { type: "custom", customType: "theirs" };
  expect(goOn([other], "not yet")).toEqual({
    continue: true,
    entries: [other, { type: "custom_message", customType: "conduct", content: "not yet", display: true }],
  });
});
