import { join } from "node:path";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Agent } from "../../../base/words/agent.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { workspaceTools } from "../../../edge/adapters/shared/workspace-tools.ts";
import { nodeClock } from "../../../edge/host/node-clock.ts";
import { sequentialIds } from "../../../edge/host/node-ids.ts";
import { openConduct } from "../../../edge/host/open-conduct.ts";
import { type LoopEnd, runScriptedLoop } from "../../../testing/loop/scripted-loop.ts";
import { hastyAgent } from "./story.ts";

export type PlayOptions = {
  readonly agent: Agent;
  readonly root: string;
  readonly clock?: Clock;
  readonly onEvent: (event: ConductEvent) => void;
  readonly onSpeech: (text: string) => void;
  /** Between two replies, so that a person can read along. */
  readonly pause: () => Promise<void>;
};

/** The scripted agent with real tools in the sandbox, every moment decided by Conduct. */
export async function play(options: PlayOptions): Promise<LoopEnd["status"]> {
  const { agent, root, clock = nodeClock(), onEvent, onSpeech, pause } = options;
  const conduct = openConduct({
    agents: [agent],
    workspace: root,
    home: join(root, ".conduct-home"),
    ports: { clock, ids: sequentialIds() },
  });
  conduct.subscribe(onEvent);
  const session = conduct.session({ agent: agent.name });
  const own = Object.fromEntries(session.tools().map((tool) => [tool.name, tool.run]));
  const think = hastyAgent();
  const { status } = await runScriptedLoop({
    session,
    message: "deploy it",
    tools: { ...workspaceTools(root), ...own },
    model: async (request) => {
      await pause();
      const reply = await think(request);
      if (reply.text !== undefined) onSpeech(reply.text);
      return reply;
    },
  });
  session.notice({ kind: "ended", reason: status });
  await conduct.close();
  return status;
}
