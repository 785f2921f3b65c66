/** Rooms of the API whose reads a write of another room changes too. */
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

/** `GET /api/contract/history` is of the room `contract`. */
export function roomOf(route: string): string {
  return route.split("/api/")[1]?.split(/[/?]/)[0] ?? "";
}

/** The rooms whose answers are stale after this write. */
export function touchedBy(route: string): ReadonlySet<string> {
  const room = roomOf(route);
  return new Set([room, ...(ALSO[room] ?? [])]);
}
