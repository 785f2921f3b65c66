import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

/**
 * An agent as the SDK makes one, for `acp.test.ts`: it does with the client what the last line of a prompt says (`read PATH`,
 * `write PATH TEXT`, `run COMMAND`, `ask COMMAND`, `wait`), and answers with what it got.
 */
const stream = acp.ndJsonStream(
  Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>,
);
const cancelled = Promise.withResolvers<void>();

acp
  .agent({ name: "kit-agent" })
  .onRequest(acp.methods.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(acp.methods.agent.session.new, () => ({ sessionId: "sdk-1" }))
  .onNotification(acp.methods.agent.session.cancel, () => cancelled.resolve())
  .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const say = (text: string) =>
      client.notify(acp.methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    const texts = prompt.flatMap((block) => (block.type === "text" ? [block.text] : []));
    const last = texts.at(-1) ?? "";
    if (last === "wait") {
      await say(`waiting ${process.pid}`);
      await cancelled.promise;
      return { stopReason: "cancelled" };
    }
    await say(await act(client, sessionId, last).catch((error: unknown) => `failed: ${messageOf(error)}`));
    return { stopReason: "end_turn" };
  })
  .connect(stream);

async function act(client: acp.AgentContext, sessionId: string, said: string): Promise<string> {
  const [, verb = "", path = "", rest = ""] = /^(\w+) (\S+) ?(.*)$/s.exec(said) ?? [];
  switch (verb) {
    case "read":
      return (await client.request(acp.methods.client.fs.readTextFile, { sessionId, path })).content;
    case "write":
      await client.request(acp.methods.client.fs.writeTextFile, { sessionId, path, content: rest });
      return "written";
    case "run": {
      await using terminal = await client.createTerminal({ sessionId, command: "sh", args: ["-c", said.slice(4)] });
      await terminal.waitForExit();
      return (await terminal.currentOutput()).output;
    }
    case "ask": {
      const { outcome } = await client.request(acp.methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: "ask-1", title: said.slice(4), kind: "execute", rawInput: { command: said.slice(4) } },
        options: [
          { optionId: "y", name: "Yes", kind: "allow_once" },
          { optionId: "a", name: "Always", kind: "allow_always" },
          { optionId: "n", name: "No", kind: "reject_once" },
        ],
      });
      return outcome.outcome === "selected" ? outcome.optionId : "cancelled";
    }
    default:
      return `heard: ${said}`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}
