import { errorText } from "../../../base/kernel/error-text.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import { findZone, resolveZone, timeText } from "../../../behavior/prompt/time-text.ts";
import { identitySlice } from "../../../behavior/session/session-identity.ts";
import { reportFault, type SessionContext, viewOf } from "../../session/session-context.ts";
import { withinLimit } from "../gather.ts";

const COMMAND = /^\s*\/zone(?:@\w{1,64})?(?:\s+(\S.*?))?\s*$/i;

/** Answers `/zone` and `/zone Europe/London`; `undefined` for any other message. Never rejects. */
export async function answerZoneMessage(
  context: SessionContext,
  text: string,
  sender: Sender | undefined,
): Promise<string | undefined> {
  const command = COMMAND.exec(text);
  if (command === null || context.parent !== undefined) return undefined;
  const { user } = context.slices.get(identitySlice);
  const { zones } = context.ports;
  const [, written] = command;
  if (written === undefined) return `${here(context)} Change it with /zone Europe/London.`;
  if (user === undefined || user.trim() === "" || zones === undefined)
    return `This session has no user, so a time zone cannot be stored. ${here(context)}`;
  if (sender?.role === "viewer" || (sender?.user !== undefined && sender.user !== user))
    return `This conversation belongs to several people or to somebody else. Send /zone in a conversation of your own. ${here(context)}`;
  const found = findZone(written);
  if ("fault" in found) return `${found.fault[0]?.toUpperCase()}${found.fault.slice(1)} ${here(context)}`;
  try {
    await zones.write(user, found.zone);
  } catch (error) {
    return `The time zone could not be stored: ${errorText(error)}. ${here(context)}`;
  }
  useZone(context, found.zone);
  return `${here(context)} It applies to all your conversations from their next turn.`;
}

/** Takes over the zone that the user has set since. A failed read is reported and keeps the last known zone. */
export async function refreshZone(context: SessionContext, limit: number): Promise<void> {
  const { user } = context.slices.get(identitySlice);
  const { zones } = context.ports;
  if (zones === undefined || user === undefined || user.trim() === "") return;
  const read = await withinLimit(limit, () => zones.read(user));
  if ("fault" in read) reportFault(context, { where: "time zone", ...read.fault });
  else if (typeof read.value === "string") useZone(context, read.value);
}

function useZone(context: SessionContext, zone: string): void {
  const identity = context.slices.get(identitySlice);
  if (identity.zone === zone) return;
  context.slices = context.slices.with(identitySlice, { ...identity, zone });
}

function here(context: SessionContext): string {
  const { zone, now } = viewOf(context);
  return `It is ${timeText(now, resolveZone(zone).zone)}.`;
}
