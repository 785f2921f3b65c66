import { allExcept } from "../shared/capability-rows.ts";

/** Enforced in OpenClaw 2026.9, verified with the real gateway. */
export const openclawCapabilities = allExcept({
  verbose:
    "OpenClaw's own chat shows an answer as the model streams it; what a plugin adds (reply_payload_sending) reaches channels only",
});
