import type { Approver } from "../../base/ports/approver.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Commands } from "../../base/ports/commands.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { Results } from "../../base/ports/results.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Bus } from "../journal/bus.ts";

/** The world as one session reaches it. */
export type SessionPorts = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: Bus;
  readonly results: Results;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  readonly approver?: Approver;
  /** Loaded when first needed: the tokenizer's tables are large. */
  readonly counter: () => Promise<TokenCounter>;
};
