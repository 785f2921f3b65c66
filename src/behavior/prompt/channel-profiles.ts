import type { ChannelProfile } from "../../base/words/hosting/channel.ts";

/** A channel that the operator declares; overrides the built-in one. */
export type DeclaredChannel = { readonly guidance?: string; readonly interactive?: boolean };

const BUILT_IN: Readonly<Record<string, Required<DeclaredChannel>>> = {
  web: {
    interactive: true,
    guidance: "The user is in the web app. Markdown is shown as such: use it where it makes the answer easier to read.",
  },

  telegram: {
    interactive: true,
    guidance: "The user is in Telegram, often on a phone. Keep it short, with no tables, headings or nested lists.",
  },

  slack: {
    interactive: true,
    guidance:
      "The user is in Slack, and sees plain text without formatting. Keep it short, with no tables or headings.",
  },

  scheduled: {
    interactive: false,
    guidance: "This is an automated run that was set up earlier. Nobody is waiting for it.",
  },

  cli: {
    interactive: true,
    guidance: "The user is at a terminal. Write plain text that reads well there, and keep it short.",
  },
};

/** Nothing is assumed about an undeclared channel. */
const UNKNOWN: Required<DeclaredChannel> = {
  interactive: false,
  guidance: "Nothing more is known about this channel. Write plain text without formatting.",
};

const NOBODY_ANSWERS =
  "Do not count on an answer: ask nothing, do the work thoroughly, and report what you did, what you found and what is left.";

/** How to answer on a channel. Names ignore case; declared channels override built-in ones. */
export function channelProfile(name: string, declared: Readonly<Record<string, DeclaredChannel>> = {}): ChannelProfile {
  const own = named(declared, name);
  const base = named(BUILT_IN, name) ?? UNKNOWN;
  const interactive = own?.interactive ?? base.interactive;
  const guidance = own?.guidance?.trim() || base.guidance;
  return {
    name: name.trim() || "unknown",
    interactive,
    guidance: interactive ? guidance : `${guidance}\n${NOBODY_ANSWERS}`,
  };
}

/** Prefers an exact match to one that differs in case. */
function named<T>(channels: Readonly<Record<string, T>>, name: string): T | undefined {
  const wanted = name.trim();
  if (Object.hasOwn(channels, wanted)) return channels[wanted];
  const key = Object.keys(channels).find((one) => one.toLowerCase() === wanted.toLowerCase());
  return key === undefined ? undefined : channels[key];
}
