import {
  answerSideRequest,
  type ModelRequest,
  type ModelServer,
  type ScriptedCall,
  type ScriptedMessage,
  type ScriptedReply,
  startModelServer,
} from "../src/testing/test/model-server/index.ts";

/** The same turn again and again: so many calls, one after the other, then a word. */
export type SteadyScript = {
  reply(request: ModelRequest): ScriptedMessage;
  /** Milliseconds from the first model request of the last turn to its last: its calls, and nothing of what is before and after them. */
  spentMs(): number;
};

/** `call` gets the number of the call in its turn. A call that was refused is no measure of one that ran, and is an error. */
export function steadyScript(calls: number, call: (at: number) => Omit<ScriptedCall, "id">): SteadyScript {
  let replies = 0;
  let begun = 0;
  let spent = Number.NaN;
  let refused: string | undefined;
  return {
    reply({ results }) {
      const at = replies++ % (calls + 1);
      if (at === 0) begun = performance.now();
      else if (/Denied|Conduct/.test(results.at(-1)?.text ?? "")) refused = results.at(-1)?.text;
      if (at < calls) return { calls: [{ ...call(at), id: `call_${replies}` }] };
      spent = performance.now() - begun;
      return { text: "Done." };
    },
    spentMs() {
      if (refused !== undefined) throw new Error(`a call was refused: ${refused.slice(0, 500)}`);
      if (replies % (calls + 1) !== 0) throw new Error(`the turn ended after ${replies % (calls + 1)} model requests`);
      return spent;
    },
  };
}

/** A model that plays it and keeps nothing; requests that offer no tools are the runtime's own. */
export async function startSteadyModel(script: SteadyScript): Promise<ModelServer> {
  const server = await startModelServer({
    ignore: ignoreSide,
    script(request) {
      (server.requests as ModelRequest[]).length = 0;
      (server.sideRequests as ModelRequest[]).length = 0;
      return script.reply(request);
    },
  });
  return server;
}

function ignoreSide(request: ModelRequest): ScriptedReply | undefined {
  return request.toolNames.length === 0 ? { text: "A title" } : answerSideRequest(request);
}
