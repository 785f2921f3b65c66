import type { AdherenceStore } from "../../base/ports/stores/adherence.ts";
import type { AgentsStore } from "../../base/ports/stores/agents.ts";
import type { ConversationsStore } from "../../base/ports/stores/conversations.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { QuestionsStore } from "../../base/ports/stores/hosting/questions.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { NotesStore } from "../../base/ports/stores/memory.ts";
import type { RepliesStore } from "../../base/ports/stores/replies.ts";
import type { SchedulesStore } from "../../base/ports/stores/schedules.ts";
import type { SessionsStore } from "../../base/ports/stores/sessions.ts";
import type { UsersStore } from "../../base/ports/stores/users.ts";
import type { StoreKeys } from "../../edge/stores/seal/store-keys.ts";

export type GatewayStores = {
  readonly users: UsersStore;
  readonly conversations: ConversationsStore;
  readonly questions: QuestionsStore;
  readonly replies: RepliesStore;
  readonly sessions: SessionsStore;
  readonly agents: AgentsStore;
  readonly events: EventJournal;
  readonly adherence: AdherenceStore;
  readonly governance: GovernanceJournal;
  readonly instructions: InstructionsStore;
  readonly memory: NotesStore;
  readonly schedules: SchedulesStore;
  readonly keys: Pick<StoreKeys, "seal" | "journal">;
};
