import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Conversation } from "../../../base/words/hosting/conversation.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import type { Conduct } from "../../../engine/moments/conduct.ts";
import type { Approvals } from "../agents/approvals.ts";
import type { HostedRuntime } from "../runtimes/hosted.ts";
import type { HostedCommands } from "../sandbox/hosted-commands.ts";
import type { SessionStates } from "./states.ts";

/** What conversations need of the world. */
export type ConversationsOptions = {
  readonly conduct: Conduct;
  readonly store: ConversationsStore;
  readonly states: SessionStates;
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The runtime of an agent. */
  readonly runtimeOf: (agent: string) => HostedRuntime;
  /** The folder that a conversation's tools work in; made when it is missing. */
  readonly workspaceOf: (conversation: Conversation) => Promise<string>;
  /** Runs the agents' commands, and says who may use an agent that has some. */
  readonly commands: Pick<HostedCommands, "check" | "of">;
  /** All events of a session that are known: what is left of one whose state was damaged. */
  readonly historyOf?: (session: string) => Promise<readonly ConductEvent[]>;
  /** Takes a line for the operator. */
  readonly report?: (line: string) => void;
  readonly userOf: (id: string) => Promise<User | undefined>;
};
