import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256 } from "../../base/kernel/canonical-json.ts";
import type { Conversation } from "../../base/words/conversation.ts";
import { DEMO_AGENT, DEMO_FILES } from "./demo/demo-tools.ts";

/**
 * The folder of a conversation's tools: one for each agent and user, so that what was made stays there. Beside Conduct's own
 * folder and not in it, because no agent may touch what is in there.
 */
export async function workspaceOf(home: string, { agent, user, id }: Conversation): Promise<string> {
  // Each demo starts afresh, so that what it shows can be shown again.
  const folder = join(`${home}-work`, safeName(agent), agent === DEMO_AGENT ? safeName(id) : safeName(user));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (agent === DEMO_AGENT) {
    for (const [path, text] of Object.entries(DEMO_FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      // What the agent has changed stays changed.
      await writeFile(join(folder, path), text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
    }
  }
  return folder;
}

const MOST = 120;

/** A name that is one folder on every system; others get their code points, so that two never share one. */
function safeName(name: string): string {
  const whole = name.replaceAll(/[^A-Za-z0-9_-]/g, (char) => `%${char.codePointAt(0)?.toString(16)}`);
  return whole.length <= MOST ? whole || "%" : `${whole.slice(0, MOST - 33)}%${sha256(name).slice(0, 32)}`;
}
