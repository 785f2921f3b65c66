import type { Approver } from "../../base/ports/approver.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Commands } from "../../base/ports/commands.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { Models } from "../../base/ports/models.ts";
import type { SectionText } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { HotContract } from "../../base/ports/stores/hot-contract.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type { Results } from "../../base/ports/stores/results.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { WorkspacePrompts } from "../../base/ports/workspace-prompts.ts";
import type { ChannelProfile } from "../../base/words/hosting/channel.ts";
import type { ContractService } from "../governance/contract-service.ts";
import type { Bus } from "../journal/bus.ts";

/** Channels that are declared besides Conduct's own. */
export type DeclaredChannels = { readonly [name: string]: Partial<Omit<ChannelProfile, "name">> };

/** The world as Conduct reaches it, shared by all sessions. */
export type SharedPorts = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly results: Results;
  /** Loaded when first needed: the tokenizer's tables are large. */
  readonly counter: () => Promise<TokenCounter>;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  /** Who is asked where the runtime itself asks nobody. */
  readonly approver?: Approver;
  readonly models?: Models;
  /** What operators have decided; without it there is no contract. */
  readonly governance?: GovernanceJournal;
  /** Tells without a round trip whether the contract has changed. */
  readonly hot?: HotContract;
  readonly instructions?: InstructionsStore;
  readonly memory?: MemoryStore;
  readonly workspacePrompts?: WorkspacePrompts;
  /** Keeps what a prompt told, beside its event. Called in the turn: it must be cheap, and neither wait nor throw. */
  readonly keepSections?: (session: string, at: number, sections: readonly SectionText[]) => void;
  readonly channels?: DeclaredChannels;
  /** Has the operator paused Conduct? Asked at every moment, so it must be cheap. */
  readonly paused?: () => boolean;
};

/** The world as one session reaches it. */
export type SessionPorts = SharedPorts & {
  readonly bus: Bus;
  readonly pluginsReady: Promise<void>;
  readonly contracts?: ContractService;
};
