import type { Given } from "../../data/client.ts";

export const PREVIEW_FIELDS = [
  "agent",
  "user",
  "channel",
  "zone",
  "at",
  "mode",
  "think",
  "topic",
  "complexity",
  "domain",
  "flags",
] as const;
export const PAST_FIELDS = ["session", "turn", "event"] as const;

type PreviewBody = Given<"POST /api/prompt/preview">["body"];

/** The selected prompt: one that was sent, or a preview. */
export type PromptSource =
  | { readonly kind: "event"; readonly session: string; readonly event: string }
  | { readonly kind: "turn"; readonly session: string; readonly turn: string }
  | { readonly kind: "newest"; readonly session: string }
  | { readonly kind: "preview"; readonly body: PreviewBody }
  /** No agent is selected yet. */
  | { readonly kind: "none" };

/** Reads the source from the address. A session takes precedence over an agent. */
export function sourceOf(address: URLSearchParams): PromptSource {
  const get = (name: string) => address.get(name)?.trim() ?? "";
  const [session, turn, event] = [get("session"), get("turn"), get("event")];
  if (event !== "") return { kind: "event", session, event };
  if (session !== "") return turn === "" ? { kind: "newest", session } : { kind: "turn", session, turn };
  const agent = get("agent");
  if (agent === "") return { kind: "none" };
  const some = (name: "user" | "channel" | "zone" | "at") => (get(name) === "" ? {} : { [name]: get(name) });
  const mode = get("mode");
  const [topic, complexity] = [get("topic"), get("complexity")];
  const [domain, flags] = [listOf(get("domain"), 3), listOf(get("flags"), 2)];
  const isClassed = topic !== "" || complexity !== "" || domain.length > 0 || flags.length > 0;
  return {
    kind: "preview",
    body: {
      agent,
      ...some("user"),
      ...some("channel"),
      ...some("zone"),
      ...some("at"),
      mode: mode === "full" || mode === "minimal" || mode === "none" ? mode : undefined,
      think: get("think") === "true" || undefined,
      ...(isClassed
        ? { classification: { topic: topic || "other", complexity: complexity || "moderate", domain, flags } }
        : {}),
    },
  };
}

/** Returns the part of the address that selects the prompt, for use inside another address. */
export function sourceText(address: URLSearchParams): string {
  const own = new URLSearchParams();
  for (const name of [...PAST_FIELDS, ...PREVIEW_FIELDS]) {
    const value = address.get(name);
    if (value !== null && value !== "") own.set(name, value);
  }
  return own.toString();
}

/** Returns a short title. */
export function sourceTitle(source: PromptSource): string {
  switch (source.kind) {
    case "event":
      return `prompt ${source.event}`;
    case "turn":
      return `turn ${source.turn} of ${source.session}`;
    case "newest":
      return `the newest of ${source.session}`;
    case "preview": {
      const { agent, user, channel, at, mode, think, classification } = source.body;
      const parts = [
        user,
        channel,
        at,
        mode,
        think === true ? "think" : undefined,
        classification === undefined ? undefined : `${classification.topic}, ${classification.complexity}`,
        ...(classification?.domain ?? []),
        ...(classification?.flags ?? []),
      ].filter((part) => part !== undefined);
      return [`preview for ${agent}`, ...parts].join(" · ");
    }
    case "none":
      return "";
  }
}

function listOf(text: string, most: number): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .slice(0, most);
}
