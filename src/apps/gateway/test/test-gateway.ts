import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "../../../base/ports/clock.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { ConductPlugin } from "../../../base/words/hosting/plugin.ts";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../../edge/host/node/node-ids.ts";
import { demoAgent } from "../../../edge/host/opening/demo-agent.ts";
import { openConductFromEnv } from "../../../edge/host/opening/open-conduct.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import type { SessionSaves } from "../../../engine/session/persistent-session.ts";
import { Approvals } from "../agents/approvals.ts";
import { type GatewayModels, gatewayModels } from "../agents/models.ts";
import { Conversations } from "../conversations/conversations.ts";
import type { Update } from "../conversations/updates.ts";
import { DEMO_FILES } from "../demo/demo-tools.ts";
import type { AgentServers } from "../mcp/hosted-servers.ts";
import type { HostedRuntime } from "../runtimes/hosted.ts";
import { piRuntime } from "../runtimes/pi-runtime.ts";
import { HostedCommands } from "../sandbox/hosted-commands.ts";

/** Conversations on the demo model in a home of their own, for tests of what is around them. */
export function testConversations({
  agents = [demoAgent()],
  models = gatewayModels(),
  waitMs = 500,
  stores,
  toolMs,
  servers = { tools: async () => ({ tools: [], missing: [] }) },
  plugins = [],
  runtime,
  clock = nodeClock(),
}: {
  readonly agents?: readonly Agent[];
  readonly models?: GatewayModels;
  /** How long a call waits for an approval. */
  readonly waitMs?: number;
  /** Where they are kept; in memory unless told. */
  readonly stores?: { readonly conversations: ConversationsStore; readonly sessions: SessionSaves["store"] };
  /** How long a tool is waited for. */
  readonly toolMs?: number;
  readonly plugins?: readonly ConductPlugin[];
  /** The tools of MCP servers; none by default. */
  readonly servers?: AgentServers;
  /** Pi on the models unless told. */
  readonly runtime?: HostedRuntime;
  readonly clock?: Clock;
} = {}) {
  const root = mkdtempSync(join(tmpdir(), "conduct-gateway-"));
  const home = join(root, "home");
  mkdirSync(home);
  const store = stores?.conversations ?? memoryStores().conversations;
  const { sessions: kept, questions } = memoryStores();
  const pi = piRuntime({ modelOf: (agent) => models.of(agent), toolMs });

  function open() {
    const conduct = openConductFromEnv({ agents, workspace: root, home, journal: false, plugins });
    const events: ConductEvent[] = [];
    conduct.subscribe((event) => events.push(event));
    const approvals = new Approvals({ store: questions, clock, waitMs });
    const commands = new HostedCommands({
      sandbox: { kind: "none", why: "it is a test", fix: "nothing to do" },
      env: process.env,
      useOf: () => "sandboxed",
      networkOf: () => [],
      roleOf: async () => "operator",
    });
    const conversations = new Conversations({
      conduct,
      commands,
      servers: { of: () => servers, leave: async () => undefined },
      store,
      sessions: stores?.sessions ?? kept,
      approvals,
      clock,
      ids: nodeIds(),
      runtimeOf: () => runtime ?? pi,
      async workspaceOf({ id }) {
        const folder = join(root, "work", id);
        for (const [path, text] of Object.entries(DEMO_FILES)) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), text);
        }
        return folder;
      },
      userOf: async (id) => ({ id, name: id, role: "operator", zone: "Europe/London", at: 0 }),
      historyOf: async () => [],
      report: () => undefined,
    });
    const updates: Update[] = [];
    conversations.updates.subscribe(undefined, (update) => updates.push(update));
    return { conduct, conversations, approvals, events, updates };
  }

  return { root, home, store, open, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** One message, to the end of its turn. */
export async function say(
  conversations: Conversations,
  conversation: Parameters<Conversations["submit"]>[0],
  text: string,
): Promise<TurnRecord> {
  const turn = await conversations.submit(conversation, { text, sender: { id: "ann", role: "operator", user: "ann" } });
  return conversations.ended(turn);
}
