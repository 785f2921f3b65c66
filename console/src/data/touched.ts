/** Other route groups whose reads change after a write to a group. */
const ALSO: { readonly [room: string]: readonly string[] } = {
  contract: ["candidates", "adherence", "prompt", "rules"],
  candidates: ["contract", "adherence", "prompt", "review", "rules"],
  review: ["candidates"],
  sessions: ["overview", "figures", "journal", "events"],
  approvals: ["sessions", "events", "journal"],
  agents: ["prompt", "rules", "replay"],
  rules: ["agents", "replay", "prompt", "contract", "candidates"],
  instructions: ["prompt"],
  memory: ["prompt"],
};

/** Returns the route group: `contract` for `GET /api/contract/history`. */
export function roomOf(route: string): string {
  return route.split("/api/")[1]?.split(/[/?]/)[0] ?? "";
}

/** Returns the route groups whose responses are stale after this write. */
export function touchedBy(route: string): ReadonlySet<string> {
  const room = roomOf(route);
  return new Set([room, ...(ALSO[room] ?? [])]);
}
