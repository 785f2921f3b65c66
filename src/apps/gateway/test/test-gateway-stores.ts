import { memoryAgents } from "../../../edge/stores/agents-memory.ts";
import { memoryConversations } from "../../../edge/stores/conversations-memory.ts";
import { memoryEvents } from "../../../edge/stores/events-memory.ts";
import { memoryGovernance } from "../../../edge/stores/governance-memory.ts";
import { memoryInstructions } from "../../../edge/stores/instructions-memory.ts";
import { memoryNotes } from "../../../edge/stores/notes-memory.ts";
import { memoryReplies } from "../../../edge/stores/replies-memory.ts";
import { memorySchedules } from "../../../edge/stores/schedules-memory.ts";
import { testKeys } from "../../../edge/stores/seal/test-keys.ts";
import { memorySessions } from "../../../edge/stores/sessions-memory.ts";
import { memoryUsers } from "../../../edge/stores/users-memory.ts";
import type { GatewayStores } from "../stores.ts";

/** Everything in memory. */
export function memoryGatewayStores(): GatewayStores {
  return {
    users: memoryUsers(),
    conversations: memoryConversations(),
    replies: memoryReplies(),
    sessions: memorySessions(),
    agents: memoryAgents(),
    events: memoryEvents(),
    governance: memoryGovernance(),
    instructions: memoryInstructions(),
    memory: memoryNotes(),
    schedules: memorySchedules(),
    keys: testKeys(),
  };
}
