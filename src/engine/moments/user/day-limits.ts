import type { UserDay } from "../../../base/ports/stores/day-usage.ts";
import { dayText } from "../../../behavior/prompt/time-text.ts";
import { NOTHING } from "../../../behavior/session/budget.ts";
import { identitySlice } from "../../../behavior/session/session-identity.ts";
import { agentName, countsDay, reportFault, type SessionContext } from "../../session/session-context.ts";
import { GATHER_MS, type GatherFault, withinLimit } from "../gather.ts";

/**
 * Takes one call from the day of this session and its ancestors, before the call is decided on. `release` gives it back
 * once the decision has counted the call itself. With `fault` the day cannot be read, and the call must be denied.
 */
export async function takeCallOfDay(
  context: SessionContext,
): Promise<{ readonly release: () => void; readonly fault?: GatherFault }> {
  const releases: (() => void)[] = [];
  const release = () => {
    for (const one of releases) one();
  };
  for (let at: SessionContext | undefined = context; at !== undefined; at = at.parent) {
    const taken = await take(at, 1);
    if (taken === undefined) continue;
    if ("fault" in taken) return { release, fault: taken.fault };
    releases.push(taken.value);
  }
  return { release };
}

/** Whether the day of this session, or of an ancestor, has a limit. */
export function hasDayLimits(context: SessionContext): boolean {
  for (let at: SessionContext | undefined = context; at !== undefined; at = at.parent)
    if (at.today !== undefined && countsDay(at)) return true;
  return false;
}

/** Reads the day before a turn. A failure is reported; calls are then denied until it can be read. */
export async function readDay(context: SessionContext): Promise<void> {
  const read = await take(context, 0);
  if (read !== undefined && "fault" in read) reportFault(context, { where: "limits.day", ...read.fault });
}

async function take(context: SessionContext, calls: number) {
  const { today, compiled } = context;
  if (today === undefined || !countsDay(context)) return undefined;
  const limit = compiled.agent.limits.gatherMs ?? GATHER_MS;
  return withinLimit(limit, async (signal) => {
    const release = await today.take(dayOf(context), { ...NOTHING, calls });
    // Too late: nobody else would give it back.
    if (signal.aborted) release();
    return release;
  });
}

function dayOf(context: SessionContext): UserDay {
  const { user = "", zone } = context.slices.get(identitySlice);
  return { agent: agentName(context), user, day: dayText(context.clock.now(), zone) };
}
