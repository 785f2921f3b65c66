import type { Delivery, DeliveryState } from "../../../../base/ports/stores/hosting/deliveries.ts";
import { insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { hang, oneLine } from "../../../shared/printable.ts";
import type { WebhookLogArgs, WebhookRetryArgs } from "../../declared/observe-commands.ts";
import { badArgument, done, type Outcome, refuseAgent } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { withHomeStores } from "../../stores/with-contract.ts";
import { momentIn, processWorld } from "../../stores/with-store.ts";

const [USUAL, MOST] = [20, 200];
const STATES: readonly string[] = ["waiting", "delivered", "failed"] satisfies readonly DeliveryState[];
const COLOURS = { delivered: "green", failed: "red", waiting: "amber" } as const;

/** `conduct webhooks log [--webhook NAME] [--state STATE] [--limit N]` */
export async function webhooksLog(args: WebhookLogArgs, terminal: Terminal): Promise<Outcome> {
  const { webhook, state } = args;
  const limit = args.limit === undefined ? USUAL : Number(args.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    return badArgument(`--limit must be a whole number from 1 to ${MOST}`, "conduct webhooks log --limit 50");
  if (state !== undefined && !STATES.includes(state))
    return badArgument(`--state must be ${STATES.join(", ")}`, "conduct webhooks log --state failed");
  const wanted = { limit, webhook, state: state as DeliveryState | undefined };
  return withHomeStores(process.env, async ({ deliveries }) => {
    const found = await deliveries.list(wanted);
    const failed = found.find((one) => one.state === "failed");
    const next =
      failed === undefined ? [] : [{ command: `conduct webhooks retry ${failed.id}`, description: "Send it again" }];
    return done({ deliveries: found }, renderLog(found, terminal), next);
  });
}

function renderLog(found: readonly Delivery[], { paint, columns }: Terminal): string {
  if (found.length === 0) return "\n  No deliveries. Webhooks are set up in gateway.webhooks of conduct.yaml.\n\n";
  const { now, zone } = processWorld();
  const timeOf = momentIn(zone, now());
  const rows = found.flatMap(({ id, webhook, type, at, state, attempts, nextAt, result }) => {
    const again = state === "waiting" ? `, next at ${timeOf(nextAt)}` : "";
    const why = result === undefined ? "" : `: ${oneLine(result)}`;
    const head = `  ${paint("bold", id)}  ${webhook}  ${type}  ${paint("dim", timeOf(at))}`;
    const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
    return [head, ...hang(`    ${paint(COLOURS[state], state)} `, `${times}${again}${why}`, columns)];
  });
  return `\n${rows.join("\n")}\n\n`;
}

/** `conduct webhooks retry ID` */
export async function webhooksRetry({ id }: WebhookRetryArgs, { paint }: Terminal): Promise<Outcome> {
  const around = insideAgent();
  if (around !== undefined) return refuseAgent(around, "only a person can send a delivery again");
  const list = "list the ids with: conduct webhooks log";
  if (id === "") return badArgument("no delivery given", list);
  return withHomeStores(process.env, async ({ deliveries }) => {
    if (!(await deliveries.retry(id, Date.now())))
      return badArgument(`there is no delivery '${id}'`, list, "NOT_FOUND");
    const text = `\n  ${paint("green", "✓")} ${id} is sent again by the running gateway\n\n`;
    return done({ id }, text, [{ command: "conduct webhooks log", description: "Show the result" }]);
  });
}
