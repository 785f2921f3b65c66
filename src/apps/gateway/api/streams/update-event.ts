import type { Update } from "../../conversations/updates.ts";
import { sharedEvents } from "./stream-frame.ts";

/** What a conversation's listeners are sent of an update; the same event for all of them. */
export const updateEvent = sharedEvents(({ kind, ...data }: Update) => ({ name: kind, data }));
