/** Channels that every gateway knows, by their real names. Other runtimes may add their own. */
export const CHANNELS: readonly string[] = ["web", "telegram", "slack", "scheduled", "cli"];
