import type { ViewArgs } from "../../declared/contract-commands.ts";
import { done, type NextAction } from "../../line/outcome.ts";
import { damaged, type GovernanceCommand, HISTORY, onThisMachine, withContract } from "../../stores/with-contract.ts";
import { contractsOf, type ShownContracts } from "./contracts.ts";
import { readView } from "./read-options.ts";
import { renderContracts } from "./render.ts";

export const runList: GovernanceCommand<ViewArgs> = async (args, terminal, world) => {
  const view = readView(args);
  if ("ok" in view) return view;
  return withContract(world, "read", async ({ service, told }) => {
    const state = await service.state();
    const contracts = contractsOf(state, view, world.clock.now());
    const { limits, note } = await world.cap();
    const result = { ...contracts, cap: { directives: limits.items, note }, told: await told?.use(contracts.hash) };
    const text = renderContracts(result, terminal, state.fault?.message);
    if (state.fault !== undefined) return { ...damaged(state.fault, result), text };
    return done(result, text, nextOf(contracts));
  });
};

export const behaviorList = onThisMachine(runList);

function nextOf({ directives: [directive], candidates: [candidate] }: ShownContracts): readonly NextAction[] {
  const next: NextAction[] = [
    {
      command: 'conduct behavior add "STOP: long status reports"',
      description: "Say what you want of your agents",
      params: { directive: { description: "KEEP, MORE, LESS, STOP or START, a colon and a text" } },
    },
  ];
  if (directive !== undefined)
    next.push({ command: `conduct behavior show ${directive.id}`, description: "All about one of them" });
  if (candidate !== undefined)
    next.push({ command: `conduct behavior promote ${candidate.id}`, description: "Put what was proposed into force" });
  return [...next, HISTORY];
}
