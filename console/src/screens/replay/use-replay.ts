import { useCallback, useEffect, useRef, useState } from "react";
import type { ReplayRun } from "../../../../src/apps/gateway/http/routes/governance/replay-runs.ts";
import { asGatewayError, ask, client, GatewayError, type Given, newKey } from "../../data/client.ts";
import { useStore } from "../../data/store.tsx";
import type { Replayed } from "./report-view.tsx";

type Progress = { readonly done: number; readonly of: number };

/** State of a replay. `other`: somebody else's running replay, which must end first. */
export type Replaying =
  | { readonly state: "idle" | "called-off" }
  | ({ readonly state: "running" } & Progress)
  | { readonly state: "failed"; readonly error: GatewayError; readonly other?: string }
  | { readonly state: "done"; readonly replayed: Replayed };

const AGAIN_MS = 1_000;
/** Maximum reconnects in a row. */
const TRIES = 10;

/** The followed replay. `own`: it was started here. */
type Under = { readonly id: string; readonly own: boolean; readonly ending: AbortController };

/** Starts a replay and follows it to its end. Leaving the screen cancels the user's own replay. */
export function useReplay() {
  const { signOut } = useStore();
  const [now, setNow] = useState<Replaying>({ state: "idle" });
  const gone = useRef(false);
  const under = useRef<Under | undefined>(undefined);

  const leave = useCallback(() => {
    under.current?.ending.abort();
    under.current = undefined;
  }, []);

  const callOff = useCallback(async (id = under.current?.id) => {
    if (id !== undefined) await ask("DELETE /api/replay/{id}", { params: { id } });
  }, []);

  const follow = useCallback(
    async (id: string, own = false) => {
      leave();
      const ending = new AbortController();
      under.current = { id, own, ending };
      setNow({ state: "running", done: 0, of: 0 });
      const tell = (next: Replaying) => void (ending.signal.aborted || setNow(next));
      const end = await followed(id, ending.signal, (progress) => tell({ state: "running", ...progress }));
      if (under.current?.id === id) under.current = undefined;
      tell(end);
    },
    [leave],
  );

  const run = useCallback(
    async (body: Given<"POST /api/replay">["body"]) => {
      setNow({ state: "running", done: 0, of: 0 });
      const begun = await ask("POST /api/replay", { body }, { idempotencyKey: newKey() });
      if (begun.ok && gone.current) return void (await callOff(begun.value.id));
      if (begun.ok) return follow(begun.value.id, true);
      const { error } = begun;
      if (error.status === 401) signOut();
      const { id } = error.problem;
      setNow({
        state: "failed",
        error,
        other: error.code === "REPLAY_RUNNING" && typeof id === "string" ? id : undefined,
      });
    },
    [follow, callOff, signOut],
  );

  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      if (under.current?.own === true) void callOff();
      leave();
    };
  }, [callOff, leave]);
  return { now, run, follow, callOff };
}

/** Reconnects after a lost connection, because the replay continues meanwhile. */
async function followed(id: string, signal: AbortSignal, progress: (told: Progress) => void): Promise<Replaying> {
  let error = asGatewayError(undefined);
  for (let tries = 0; tries < TRIES && !signal.aborted; tries++) {
    try {
      for await (const { event, data } of client.stream("GET /api/replay/{id}/stream", { params: { id } }, signal)) {
        tries = 0;
        if (event === "progress") progress(data);
        else return endOf(data);
      }
    } catch (broken) {
      error = asGatewayError(broken);
      // The gateway has restarted and does not know the replay any more.
      if (error.status >= 400 && error.status < 500) break;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  return { state: "failed", error };
}

function endOf(end: ReplayRun): Replaying {
  if (end.state === "done") return { state: "done", replayed: end };
  return end.state === "failed" ? { state: "failed", error: new GatewayError(0, end) } : { state: "called-off" };
}
