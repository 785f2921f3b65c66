import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { type ModelServer, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { setUp } from "./cli.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { newPlace, type Place } from "./place.ts";
import { asking } from "./play.ts";
import { hasTerminal, openTerminal, type Terminal } from "./terminal.ts";

const touch = { calls: [{ id: "call_1", name: "Bash", input: { command: "touch ran.txt" } }] };
let place: Place;
let server: ModelServer;
let daemon: Daemon;
let terminal: Terminal | undefined;

beforeEach(async () => {
  place = newPlace();
  server = await startModelServer({ script: [touch, { text: "Done." }, { text: "Done." }] });
  daemon = await startDaemon(place, {
    agent: defineAgent({ name: "careful", policies: [asking] }),
    // As after `conduct init --operator`: whoever types is one.
    sessionOptions: ({ interactive }) => (interactive === true ? { sender: { role: "operator" } } : {}),
  });
  setUp(place, daemon);
});
afterEach(async () => {
  await terminal?.close();
  await daemon.close();
  await daemon.conduct.close();
  await server.close();
  place.remove();
});

async function say(text: string): Promise<Terminal> {
  const opened = openTerminal(place, server.url, ["--permission-mode", "default"]);
  terminal = opened;
  await opened.until(() => opened.shown().includes("ClaudeCodev"), "the first screen");
  opened.type(text);
  await opened.until(
    () => daemon.seen.includes("UserPromptSubmit"),
    "the message",
    () => opened.type("\r"),
  );
  return opened;
}
const resultsOf = ({ events }: Daemon) =>
  events.flatMap((event) => (event.type === "result" ? [`${event.call} ${event.outcome}`] : []));

describe.runIf(hasTerminal)("a person at the terminal", () => {
  it("CC-I1 Claude Code itself asks the person at the terminal, and a yes runs the call", async () => {
    const { until, shown, type } = await say("go on");
    await until(() => shown().includes("Mayitrunthis?"), "the question");
    await until(
      () => resultsOf(daemon).length > 0,
      "the result",
      () => type("1"),
    );
    expect(resultsOf(daemon)).toEqual(["call_1 ok"]);
    expect(place.files().has("ran.txt")).toBe(true);
  });

  it("CC-I2 a no of the person at the terminal ends the turn, and is recorded with the next message", async () => {
    const { until, shown, type } = await say("go on");
    await until(() => shown().includes("Mayitrunthis?"), "the question");
    await until(
      () => shown().includes("Interrupted"),
      "the end of the turn",
      () => type("2"),
    );
    type("something else");
    await until(
      () => daemon.seen.filter((name) => name === "UserPromptSubmit").length === 2,
      "the next message",
      () => type("\r"),
    );
    await until(() => resultsOf(daemon).length > 0, "the answer on record");
    expect(resultsOf(daemon)).toEqual(["call_1 denied"]);
    expect(place.files().has("ran.txt")).toBe(false);
  });

  it("CC-I3 a person at the terminal may be an operator: a typed directive is applied, and nothing is sent", async () => {
    const { until, shown } = await say("KEEP: short notes");
    await until(() => shown().includes("KEEP:shortnotes:inforcefromnowon"), "the reply");
    expect(server.requests).toHaveLength(0);
  });
});
