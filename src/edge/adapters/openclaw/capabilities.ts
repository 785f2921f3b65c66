import { allExcept } from "../shared/capability-rows.ts";

/** What Conduct enforces in OpenClaw 2026.9, proven with the real gateway. */
export const openclawCapabilities = allExcept({
  verbose:
    "OpenClaw's own chat shows an answer as the model streams it; what a plugin adds (reply_payload_sending) reaches channels only",
});
