import { adherenceRoutes } from "./rooms/adherence.ts";
import { agentRoutes } from "./rooms/agents.ts";
import { approvalRoutes } from "./rooms/approvals.ts";
import { contractRoutes } from "./rooms/contract.ts";
import { conversationRoutes } from "./rooms/conversations.ts";
import { journalRoutes } from "./rooms/journal.ts";
import { loginRoutes } from "./rooms/login.ts";
import { ownRoutes } from "./rooms/own.ts";
import { promptRoutes } from "./rooms/prompt.ts";
import { replayRoutes } from "./rooms/replay.ts";
import { resultRoutes } from "./rooms/results.ts";
import { reviewRoutes } from "./rooms/review.ts";
import { ruleRoutes } from "./rooms/rules.ts";
import { scheduleRoutes } from "./rooms/schedules.ts";
import { standingRoutes } from "./rooms/standing.ts";
import { switchRoutes } from "./rooms/switches.ts";
import { systemRoutes } from "./rooms/system.ts";
import { userRoutes } from "./rooms/users.ts";

/** Every route of the API. */
export const ROUTES = {
  ...loginRoutes,
  ...conversationRoutes,
  ...resultRoutes,
  ...approvalRoutes,
  ...agentRoutes,
  ...userRoutes,
  ...contractRoutes,
  ...ownRoutes,
  ...promptRoutes,
  ...ruleRoutes,
  ...replayRoutes,
  ...standingRoutes,
  ...adherenceRoutes,
  ...reviewRoutes,
  ...scheduleRoutes,
  ...journalRoutes,
  ...switchRoutes,
  ...systemRoutes,
};

export type Routes = typeof ROUTES;
