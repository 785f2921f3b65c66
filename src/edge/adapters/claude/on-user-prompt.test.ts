import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { Session } from "../../../engine/session/session.ts";
import { openConductFromEnv } from "../../host/opening/open-conduct.ts";
import { toolName } from "../shared/claude/tool-map.ts";
import { scopesOf } from "./adapter.ts";
import { type MessageSettings, onUserPrompt, Shown } from "./hooks.ts";
import { Announcements, announceText } from "./messages.ts";
import { Thinking } from "./thinking.ts";

let workspace: string;
let conduct: Conduct;
let session: Session;
let events: ConductEvent[];

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "conduct-prompt-"));
  conduct = openConductFromEnv({ agents: [defineAgent({ name: "kit" })], workspace, home: join(workspace, ".home") });
  events = [];
  conduct.subscribe((event) => events.push(event));
  session = conduct.session({ agent: "kit", sender: { role: "operator" } });
});
afterEach(async () => {
  await conduct.close();
  rmSync(workspace, { recursive: true, force: true });
});

function hook(more: Partial<MessageSettings> = {}) {
  const given = { scopes: scopesOf(session), shown: new Shown(), thinking: new Thinking({}, () => undefined) };
  const run = onUserPrompt({ ...given, request: { toolName }, ...more });
  return (prompt: string) => run({ hook_event_name: "UserPromptSubmit", cwd: workspace, prompt });
}
function announced(...texts: string[]): Announcements {
  const announcements = new Announcements();
  for (const text of texts) announcements.add(announceText(text));
  return announcements;
}
const contextOf = (answer: object) => String(asObject(asObject(answer).hookSpecificOutput).additionalContext);
const count = (type: ConductEvent["type"]) => events.filter((event) => event.type === type).length;

describe("a message that was announced", () => {
  it("K10: an announced message is processed as written, and the model gets no note about its modes", async () => {
    const answer = await hook({ announcements: announced("/think hello") })("hello");
    expect(session.view.modes.think).toBe(true);
    expect(contextOf(answer)).toContain("Think step-by-step");
    expect(contextOf(answer)).not.toContain("took commands out");
  });

  it("K11: an announced message of modes only is answered with its notes, and no prompt is built", async () => {
    const answer = await hook({ announcements: announced("/think on") })("/think on");
    expect(answer).toMatchObject({ decision: "block", reason: "think: on" });
    expect(count("prompt")).toBe(0);
  });

  it("K11: an announced message of modes only with a picture goes to the model, and its answer to the person", async () => {
    const announcements = new Announcements();
    announcements.add(announceText("/verbose off", {}, { attached: true }));
    const answer = await hook({ announcements })("");
    expect(answer.decision).toBeUndefined();
    expect(answer.systemMessage).toBe("verbose: off");
  });

  it("K11: a message processed before the query is neither processed nor given a prompt again", async () => {
    const first = announceText("/think hello");
    const heard = await session.onMessage(first.message);
    const prompt = await session.onPrompt({ toolName });
    const announcements = new Announcements();
    announcements.add({ ...first, heard });
    const run = hook({ announcements, prepared: { heard, prompt } });
    expect(contextOf(await run("hello"))).toContain("Think step-by-step");
    expect([count("message"), count("prompt")]).toEqual([1, 1]);
  });

  it("K10: announced messages that the runtime joins are processed one by one", async () => {
    await hook({ announcements: announced("one", "/v two") })("one\ntwo");
    expect(events.flatMap((event) => (event.type === "message" ? [event.text] : []))).toEqual(["one", "/v two"]);
    expect(session.view.modes.verbose).toBe(true);
  });

  it("K04: a prompt that was not announced does not elevate", async () => {
    const answer = await hook({ announcements: announced() })("/elevated on go");
    expect(session.view.modes.elevated).toBe(false);
    expect(answer.systemMessage).toContain("only an operator");
  });
});

describe("with a host that runs its query itself", () => {
  it("K10: if the host runs its own query, a note gives the model the message without modes", async () => {
    expect(contextOf(await hook()("/elevated hello"))).toContain("It now reads:\nhello");
    expect(session.view.modes.elevated).toBe(true);
  });

  it("K11: if the host runs its own query, a message of modes only is answered", async () => {
    expect(await hook()("/verbose on")).toMatchObject({ decision: "block", reason: "verbose: on" });
  });
});

it("K17: debug lines are shown to the person, and are not in the model's context", async () => {
  const answer = await hook()("/verbose hello");
  expect(answer.systemMessage).toContain("[DEBUG] Prompt:");
  expect(contextOf(answer)).not.toContain("[DEBUG]");
});

it("K13: a runtime that rejects the level is reported, and the message is sent anyway", async () => {
  const applyFlagSettings = () => Promise.reject(new Error("too old"));
  const faults: unknown[] = [];
  const thinking = new Thinking(
    {},
    () => ({ applyFlagSettings }),
    (error) => faults.push(error),
  );
  const answer = await hook({ thinking })("/think:high hello");
  expect(answer.decision).toBeUndefined();
  expect(faults).toEqual([new Error("too old")]);
});
