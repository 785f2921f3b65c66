import { agentRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { conversationRoutes } from "./conversations.ts";
import { adherenceRoutes } from "./governance/adherence.ts";
import { contractRoutes } from "./governance/contract.ts";
import { replayRoutes } from "./governance/replay.ts";
import { reviewRoutes } from "./governance/review.ts";
import { ruleRoutes } from "./governance/rules.ts";
import { standingRoutes } from "./governance/standing-rules.ts";
import { ownRoutes } from "./instructions.ts";
import { journalRoutes } from "./journal.ts";
import { promptRoutes } from "./prompts.ts";
import { resultRoutes } from "./results.ts";
import { scheduleRoutes } from "./schedules.ts";
import { switchRoutes, systemRoutes } from "./system.ts";
import { loginRoutes, userRoutes } from "./users.ts";

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
