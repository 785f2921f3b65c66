import { afterAll, beforeAll, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

/** A whole number that JavaScript rounds to 12345678901234567000. */
const ID = "12345678901234567890";

const machine = new Machine();
const CONFIG = `
agents:
  clerk:
    trustedTools: [{ server: desk, tool: fetch }]
    actions: { approve: { tool: desk/approve } }
    rules:
      - { id: first-page, on: desk/fetch, set: { page: 1 } }
`;

beforeAll(async () => {
  machine.write({ ".conduct/conduct.yaml": CONFIG });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  for (const runtime of ["claude-code", "codex"]) {
    const { code, out, err } = await machine.conduct(["init", runtime, "--yes"]);
    expect(code, out + err).toBe(0);
    await machine.conduct(["enforce", runtime, "--yes"]);
  }
});
afterAll(() => machine.close());

/** An event as the runtime writes it: `ID` stands for the number, which no object of JavaScript can hold. */
const written = (event: object) => JSON.stringify({ cwd: machine.work, ...event }).replaceAll('"ID"', ID);

async function codex(event: object): Promise<string> {
  const input = written({ session_id: "codex-1", turn_id: "t1", ...event });
  const { out, err } = await machine.conduct(["hook", "codex"], { input });
  return out + err;
}

/** Posts to the address in Claude Code's settings. */
async function claude(event: { readonly hook_event_name: string; readonly tool_response?: unknown }): Promise<string> {
  const { hooks } = JSON.parse(machine.read(".claude/settings.json"));
  const { url, headers } = hooks[event.hook_event_name][0].hooks[0];
  const known = {
    "content-type": "application/json",
    ...headers,
    "X-Conduct-Entrypoint": "cli",
    "X-Conduct-Inside": "",
  };
  const body = written({ session_id: "claude-1", ...event });
  return (await fetch(url, { method: "POST", headers: known, body })).text();
}

const call = (id: string) => ({
  tool_name: "mcp__desk__fetch",
  tool_use_id: id,
  tool_input: { order: "ID", page: 7, nested: { order: "ID" } },
});
const structured = { order: "ID", lines: [{ order: "ID" }], __directives: { requiredNextActions: ["approve"] } };

describe("large numbers in hooks", () => {
  wired([], "WIR-511 a rewritten call of Codex keeps the digits of the arguments that no rule changed", async () => {
    const answer = await codex({ hook_event_name: "PreToolUse", ...call("c1") });
    expect(answer).toContain(`"updatedInput":{"order":${ID},"page":1,"nested":{"order":${ID}}}`);
  });

  wired([], "WIR-512 a structured result in Codex loses its directives and no digit", async () => {
    await codex({ hook_event_name: "PreToolUse", ...call("c2") });
    const tool_response = { content: [], structuredContent: structured };
    const answer = await codex({ hook_event_name: "PostToolUse", ...call("c2"), tool_response });
    expect(JSON.parse(answer).reason).toBe(`{"order":${ID},"lines":[{"order":${ID}}]}`);
  });

  wired(
    [],
    "WIR-513 a rewritten call of Claude Code keeps the digits of the arguments that no rule changed",
    async () => {
      const answer = await claude({ hook_event_name: "PreToolUse", ...call("c3") });
      expect(answer).toContain(`"updatedInput":{"order":${ID},"page":1,"nested":{"order":${ID}}}`);
    },
  );

  wired([], "WIR-514 a structured result in Claude Code loses its directives and no digit", async () => {
    // Structured content arrives as text from real servers, and as an object from the runtime's own ones.
    const exact = JSON.stringify(structured).replaceAll('"ID"', ID);
    for (const [id, tool_response] of Object.entries({ text: exact, object: structured })) {
      await claude({ hook_event_name: "PreToolUse", ...call(id) });
      const answer = await claude({ hook_event_name: "PostToolUse", ...call(id), tool_response });
      expect(answer, id).not.toContain("__directives");
      expect(answer.match(new RegExp(ID, "g")), id).toHaveLength(2);
    }
  });
});
