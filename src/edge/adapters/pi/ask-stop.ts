import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import type { StopRequest } from "../../../engine/session/session-options.ts";
import type { PiSession } from "./decide.ts";

/** What a session that did not answer at a call is given at a stop: long enough for one that has come back. */
const AGAIN_MS = 10_000;

/** Is it done? A session that could not be asked before may be gone for good, and then the agent may stop: nothing of it runs. */
export async function askStop(
  session: PiSession,
  request: StopRequest,
  { lost, againMs = AGAIN_MS }: { readonly lost: boolean; readonly againMs?: number },
): Promise<StopDecision> {
  const asked = session.onStop(request);
  if (!lost) return asked;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<StopDecision>((resolve) => {
    timer = setTimeout(resolve, againMs, { done: true, status: "bypassed", why: "Conduct does not answer" });
  });
  return Promise.race([asked, silence]).finally(() => clearTimeout(timer));
}
