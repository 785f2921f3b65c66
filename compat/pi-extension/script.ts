import type { KitReply, KitRequest, KitRun } from "../../src/testing/kit/driver.ts";
import type {
  ModelRequest,
  ReplyTo,
  ScriptedCall,
  ScriptedMessage,
} from "../../src/testing/test/model-server/index.ts";

const NATIVE_NAMES: { readonly [tool: string]: string } = { read_file: "read", write_file: "write", shell: "bash" };

/** The kit's script in Pi's words; `before` runs before each reply, counted from 0. */
export function nativeScript(script: KitRun["script"], before: (at: number) => Promise<void>): readonly ReplyTo[] {
  return script.map((entry, at) => async (request: ModelRequest) => {
    await before(at);
    return inPi(typeof entry === "function" ? entry(kitRequest(request)) : entry);
  });
}

/** The same calls under Pi's names; paths and commands are called the same there. */
function inPi({ text, calls }: KitReply): ScriptedMessage {
  const native = calls?.map(({ id, tool, args }) => ({
    id,
    name: NATIVE_NAMES[tool] ?? tool,
    input: args as ScriptedCall["input"],
  }));
  return { text, calls: native };
}

export function kitRequest({ raw, system, lastUserText, thinking, results }: ModelRequest): KitRequest {
  return {
    raw,
    system,
    lastUserText,
    thinking,
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}

/** What Pi asks a model for when it compacts; it is no turn of the agent's. */
export function answerSummary({ system }: ModelRequest): ScriptedMessage | undefined {
  return system.startsWith("You are a context summarization assistant") ? { text: "They talked." } : undefined;
}
