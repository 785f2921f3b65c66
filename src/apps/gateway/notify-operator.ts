import { errorText } from "../../base/kernel/error-text.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Conduct } from "../../engine/session/conduct.ts";
import type { Listeners } from "./listeners.ts";
import { describeChange, type ToolChange } from "./mcp/known-tools.ts";

/** How long the operator's own server may take to accept a notification. */
const WEBHOOK_MS = 10_000;

export type NotifyOptions = {
  /** Send a text to every operator there. */
  readonly chats: {
    readonly telegram: ((text: string) => Promise<void>) | undefined;
    readonly slack: ((text: string) => Promise<void>) | undefined;
  };
  /** Receives each notification as JSON. */
  readonly webhook?: string | undefined;
  /** Changed tool lists of MCP servers. */
  readonly changes: Pick<Listeners<ToolChange>, "subscribe">;
  /** The console's page of a session. */
  readonly linkTo: (session: string) => string;
  readonly report: (line: string) => void;
};

/**
 * Tells the operator when a trusted tool's result asks for a review (`escalateToOwner`), and when an MCP server has
 * changed its tools. A notification that cannot be delivered is reported and never delays the turn. Returns a function
 * that ends it.
 */
export function notifyOperator(conduct: Conduct, options: NotifyOptions): () => void {
  const { chats, webhook, linkTo, report, changes } = options;
  const send = (text: string, body: object, what: string) => {
    const failed = (way: string) => (error: unknown) =>
      report(`The operator was not told by ${way} that ${what}: ${errorText(error)}`);
    chats.telegram?.(text).catch(failed("Telegram"));
    chats.slack?.(text).catch(failed("Slack"));
    if (webhook !== undefined) post(webhook, body).catch(failed(`the webhook ${webhook}`));
  };
  const ends = [
    conduct.subscribe((event) => {
      if (event.type !== "requirement" || !event.escalateToOwner) return;
      const link = linkTo(event.session);
      const text = `${escalationText(event)}\n${link}`;
      report(text.replace("\n", ": "));
      send(text, { ...bodyOf(event), link }, `${event.tool} asks for a review`);
    }),
    changes.subscribe(undefined, (change) => {
      send(describeChange(change), { event: "tools-changed", ...change }, `${change.server} has changed its tools`);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

type Requirement = Extract<ConductEvent, { type: "requirement" }>;

function escalationText({ tool, session, requireBeforeNext }: Requirement): string {
  const first = requireBeforeNext.length === 0 ? "" : ` The agent must first call ${requireBeforeNext.join(", ")}.`;
  return `${tool} asks the operator to review session ${session}.${first}`;
}

function bodyOf({ session, agent, tool, call, at, requireBeforeNext }: Requirement) {
  return { event: "escalation", session, agent, tool, call, at: new Date(at).toISOString(), requireBeforeNext };
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(WEBHOOK_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`it answered ${response.status}`);
}
