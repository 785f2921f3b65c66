import { conversationRoutes } from "./rooms/conversations.ts";
import { loginRoutes } from "./rooms/login.ts";

/** Every route of the API. */
export const ROUTES = { ...loginRoutes, ...conversationRoutes };

export type Routes = typeof ROUTES;
