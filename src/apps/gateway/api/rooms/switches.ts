import { z } from "zod";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { GovernanceDraft, GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { LONGEST_PAUSE_MS, readPause } from "../../../../edge/host/daemon/paused.ts";
import { endPause, writePause } from "../../../../edge/host/daemon/paused-write.ts";
import { journalDraft } from "../../../../edge/host/opening/journal-draft.ts";
import { readSwitches } from "../../../daemon/hook-guard/switches.ts";
import { type Caller, Problem, type RouteHandlers, type RouteTable } from "../route.ts";

const DAY_MS = 24 * 3_600_000;

const pause = z.object({ until: z.number(), at: z.number(), by: z.string(), proof: z.string() });
const runtime = z.object({
  runtime: z.string(),
  enforcement: z.enum(["enforce", "shadow"]),
  missing: z.array(z.object({ path: z.string(), why: z.string() })).readonly(),
});
const noticed = z.object({ at: z.number(), kind: z.string(), message: z.string() });
const switches = z.object({
  paused: pause.nullable(),
  forgedPause: z.string().optional(),
  runtimes: z.array(runtime).readonly(),
  noticed: z.array(noticed).readonly(),
});

export const switchRoutes = {
  "GET /api/switches": {
    summary: "Whether Conduct is in force on this machine: a pause, runtimes whose hooks are missing, what was noticed",
    tag: "system",
    roles: ["operator", "viewer"],
    response: switches,
  },
  "POST /api/switches/pause": {
    summary: "Enforce nothing for a while, here and in the runtimes of this account; everything is still recorded",
    tag: "system",
    roles: ["operator"],
    body: z.object({ time: z.string().max(20) }),
    response: pause,
    status: 201,
  },
  "DELETE /api/switches/pause": {
    summary: "End a pause: enforce everything again",
    tag: "system",
    roles: ["operator"],
    response: z.object({ paused: z.literal(false) }),
  },
} satisfies RouteTable;

export type SwitchRoomOptions = {
  readonly home: string;
  readonly governance: GovernanceJournal;
  readonly clock: Clock;
  readonly report: (problem: string) => void;
};

/** A person without a terminal pauses here: the sign-in is the proof. */
export function switchHandlers({
  home,
  governance,
  clock,
  report,
}: SwitchRoomOptions): RouteHandlers<typeof switchRoutes> {
  const keep = async (draft: GovernanceDraft) => {
    const open = async () => ({ journal: governance, close: async () => undefined });
    const lost = await journalDraft({ open }, draft);
    if (lost !== undefined) report(`${draft.kind} is not in the journal: ${lost}`);
  };
  return {
    "GET /api/switches": async () => readSwitches(home, clock.now(), clock.now() - DAY_MS, governance),
    async "POST /api/switches/pause"({ body }, caller) {
      const ms = parseDuration(body.time);
      if (ms === undefined || ms <= 0 || ms > LONGEST_PAUSE_MS) {
        const fix = "Send a time such as 10m or 2h.";
        throw new Problem(400, "BAD_TIME", `'${body.time}' is no time for a pause, which lasts at most 24h.`, { fix });
      }
      const at = clock.now();
      const made = { at, until: at + ms, by: byOf(caller), proof: proofOf(caller) };
      writePause(home, made);
      const { until, proof } = made;
      await keep({ at, by: made.by, kind: "conduct.paused", body: { until, proof } });
      return made;
    },
    async "DELETE /api/switches/pause"(_input, caller) {
      const before = readPause(home, clock.now());
      endPause(home);
      if (before !== undefined) {
        const body = { until: before.until };
        await keep({ at: clock.now(), by: byOf(caller), kind: "conduct.resumed", body });
      }
      return { paused: false };
    },
  };
}

function byOf({ user }: Caller): string {
  return `user:${user.id}`;
}

function proofOf({ via }: Caller): string {
  return via === "cookie" ? "signed in to the console" : "an operator's token";
}
