import { agentRoutes } from "./agents.ts";
import { attentionRoutes } from "./attention.ts";
import { conversationRoutes } from "./conversations.ts";
import { figureRoutes } from "./figures.ts";
import { contractRoutes } from "./governance/contract.ts";
import { replayRoutes } from "./governance/replay.ts";
import { reviewRoutes } from "./governance/review.ts";
import { ruleListRoutes } from "./governance/rule-list.ts";
import { ruleRoutes } from "./governance/rules.ts";
import { standingRoutes } from "./governance/standing-rules.ts";
import { ownRoutes } from "./instructions.ts";
import { journalRoutes } from "./journal.ts";
import { measureRoutes } from "./measures.ts";
import { momentRoutes } from "./moments.ts";
import { promptRoutes } from "./prompts.ts";
import { webhookRoutes } from "./reports/webhooks.ts";
import { scheduleRoutes } from "./schedules.ts";
import { systemRoutes } from "./system.ts";
import { loginRoutes, userRoutes } from "./users.ts";

export const ROUTES = [
  ...loginRoutes,
  ...conversationRoutes,
  ...momentRoutes,
  ...agentRoutes,
  ...userRoutes,
  ...contractRoutes,
  ...ownRoutes,
  ...promptRoutes,
  ...ruleRoutes,
  ...ruleListRoutes,
  ...replayRoutes,
  ...standingRoutes,
  ...reviewRoutes,
  ...scheduleRoutes,
  ...figureRoutes,
  ...measureRoutes,
  ...attentionRoutes,
  ...journalRoutes,
  ...webhookRoutes,
  ...systemRoutes,
];

/** The routes by method and path, for the typed client. */
export type Routes = { readonly [R in (typeof ROUTES)[number] as R["key"]]: NonNullable<R["exchange"]> };
