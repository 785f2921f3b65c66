import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { Totals } from "./observe.ts";
import { Scopes } from "./scopes.ts";
import { Told } from "./told.ts";

/** What the queries of one session have in common. */
export class QueryScopes extends Scopes {
  readonly session: SessionMoments;
  readonly totals: Totals = new Map();
  readonly told = new Told();

  constructor(session: SessionMoments) {
    super(session, (id) => session.child(id));
    this.session = session;
  }
}

const ofSessions = new WeakMap<SessionMoments, QueryScopes>();

/** The same for every query of a session: a subagent that an earlier query started can go on in a later one. */
export function scopesOf(session: SessionMoments): QueryScopes {
  const scopes = ofSessions.get(session) ?? new QueryScopes(session);
  ofSessions.set(session, scopes);
  return scopes;
}
