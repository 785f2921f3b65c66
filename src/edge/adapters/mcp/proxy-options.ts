import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";

export type ProxyOptions = {
  /** What rules call the server. */
  readonly server: string;
  readonly session: SessionMoments;
  /** Makes ids that nobody can guess. */
  readonly newId: () => string;
  readonly now: () => number;
  /** How long a question waits for Conduct's approver where the client cannot ask a person. */
  readonly waitMs: number;
  /** For the person who runs it. */
  readonly log: (line: string) => void;
};

/** Both sides, as what stands between them sees them. */
export type Sides = { toClient(message: string | Buffer): void; toServer(message: string | Buffer): void };

/** The server's answer to a request, with its bytes. */
export type Response = { readonly body: JsonObject; readonly raw: string | Buffer };
