import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { readState } from "./live-session.ts";
import { message, newFolder, openReplay, recorded } from "./test/replay.ts";

const agent = defineAgent({
  name: "steady",
  actions: { look: { tool: "shell", command: "echo out" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { write_file: ["look"], task: ["write_file"] } })],
});
const events = [...recorded, message("once more"), { ...recorded[2], tool_use_id: "last" }];
const ports = { clock: { now: () => 0, monotonic: () => 0 } };

/** The answers to all events, by a Conduct that is ended and opened again before those at `restarts`. */
async function answers(restarts: ReadonlySet<number>): Promise<readonly string[]> {
  const folder = newFolder();
  const snapshots = new Map<string, string>();
  const open = () =>
    openReplay(
      agent,
      {
        ports,
        session: ({ id }) => {
          const snapshot = snapshots.get(id);
          return snapshot === undefined ? {} : { snapshot };
        },
      },
      folder,
    );
  let replay = open();
  const seen: string[] = [];
  for (const [at, event] of events.entries()) {
    if (restarts.has(at)) {
      const beside = replay.hooks.beside("id-1");
      for (const { session } of replay.events) {
        const found = replay.conduct.find(session);
        if (found !== undefined) snapshots.set(session, found.serialise());
      }
      replay = open();
      if (beside !== undefined) replay.hooks.restore("id-1", JSON.parse(JSON.stringify(beside)));
    }
    // Ids are new each time.
    seen.push(
      JSON.stringify(await replay.play(event))
        .replace(/\b[a-z]_[0-9a-z]{10,}\b/g, "ID")
        .replaceAll(folder, ""),
    );
  }
  return seen;
}

describe("what is kept beside a session", () => {
  it("CC-B1 restarts between hooks change no answer", async () => {
    const without = await answers(new Set());
    const places = fc.uniqueArray(fc.nat({ max: events.length - 1 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(places, async (at) => {
        expect(await answers(new Set(at))).toEqual(without);
      }),
      { numRuns: 15 },
    );
    expect(await answers(new Set(events.keys()))).toEqual(without);
  });

  it("CC-B4 a session without stored adapter state continues, and its new steps are not taken for old ones", async () => {
    const folder = newFolder();
    const first = openReplay(agent, { ports }, folder);
    for (const event of recorded.slice(0, 10)) await first.play(event);
    const snapshot = first.conduct.find("id-1")?.serialise() ?? "";
    const second = openReplay(agent, { ports, session: () => ({ snapshot }) }, folder);
    expect(await second.play({ ...recorded[2], tool_use_id: "next" })).toEqual({});
  });

  it("CC-B5 with very many sessions the oldest are dropped, except those with a running call", async () => {
    const replay = openReplay(agent, { ports });
    const call = { ...recorded[2], session_id: "busy" };
    for (const event of [{ ...message("go"), session_id: "busy" }, call]) await replay.play(event);
    for (let at = 0; at < 210; at++) await replay.play({ ...message("go"), session_id: `idle-${at}` });
    expect(replay.hooks.beside("busy")).toBeDefined();
    expect(replay.hooks.beside("idle-0")).toBeUndefined();
    expect(replay.hooks.beside("idle-209")).toBeDefined();
  });

  it.each([undefined, null, "x", [], {}, { root: 7 }])("CC-B2 stored state %j counts as none", (given) => {
    expect(readState(given)).toBeUndefined();
  });

  it("CC-B3 unreadable parts of the stored state are ignored", () => {
    expect(readState({ root: "/w", prompt: { had: 1 }, planted: 3, scopes: [null] })).toEqual({
      root: "/w",
      interactive: false,
      prompt: {},
      compacting: false,
      planted: [],
      scopes: new Map(),
    });
  });
});
