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

/** Channels declared in addition to Conduct's own. */
export type DeclaredChannels = { readonly [name: string]: Partial<Omit<ChannelProfile, "name">> };

export type SharedPorts = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly results: Results;
  /** Loaded on first use: the tokenizer's tables are large. */
  readonly counter: () => Promise<TokenCounter>;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  /** Used when the runtime cannot ask a person itself. */
  readonly approver?: Approver;
  readonly models?: Models;
  /** The operators' decisions; without a journal there is no contract. */
  readonly governance?: GovernanceJournal;
  /** Detects a changed contract without a round trip. */
  readonly hot?: HotContract;
  readonly instructions?: InstructionsStore;
  readonly memory?: MemoryStore;
  readonly workspacePrompts?: WorkspacePrompts;
  /** Stores the sections of a prompt with its event. Called during the turn: must be cheap, must not block or throw. */
  readonly keepSections?: (session: string, at: number, sections: readonly SectionText[]) => void;
  readonly channels?: DeclaredChannels;
  /** Whether the operator has paused Conduct. Called at every moment, so it must be cheap. */
  readonly paused?: () => boolean;
};

export type SessionPorts = SharedPorts & {
  readonly bus: Bus;
  readonly pluginsReady: Promise<void>;
  readonly contracts?: ContractService;
};
