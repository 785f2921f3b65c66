import { Agent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/compat";
import { conductPi } from "../../src/edge/adapters/pi/adapter.ts";
import { openSteadyPlace, SMALL_FILE, type Steady, type SteadyOptions } from "../steady.ts";
import { agentTools } from "./agent-tools.ts";
import { modelAt } from "./driver.ts";

/** An agent of pi-agent-core with the same turn again and again; `renew` begins another conversation. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const place = await openSteadyPlace(calls, () => ({ name: "read", input: { path: SMALL_FILE } }));
  const begin = (): ((text: string) => Promise<unknown>) => {
    const agent = new Agent({
      streamFn: (model, context, more) => streamSimple(model, context, { ...more, maxRetries: 0 }),
      getApiKey: () => "none",
      initialState: {
        model: modelAt(place.url, "anthropic-messages", 200_000),
        tools: agentTools(place.workspace),
      },
    });
    if (under === "nothing") return (text) => agent.prompt(text);
    const session = place.open();
    const pi = conductPi(agent, session);
    return (text) => pi.prompt(text);
  };
  let say = begin();
  return {
    processes: [],
    async turn() {
      await say("go");
      return place.spentMs();
    },
    renew() {
      say = begin();
    },
    close: () => place.close(),
  };
}
