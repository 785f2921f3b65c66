import type { NextAction } from "../../../line/outcome.ts";
import { damaged, HISTORY } from "../answers.ts";
import { renderContracts } from "../render/render-contracts.ts";
import { type GovernanceCommand, onThisMachine, withContract } from "../world.ts";
import { contractsOf, type ShownContracts } from "./contracts.ts";
import { readView } from "./view.ts";

export const runList: GovernanceCommand = async (args, terminal, world) => {
  const view = readView(args);
  if ("ok" in view) return view;
  return withContract(world, "read", async ({ service, told }) => {
    const state = await service.state();
    const contracts = contractsOf(state, view, world.clock.now());
    const { limits, note } = await world.cap();
    const cap = { directives: limits.items, note };
    const use = await told?.use(contracts.hash);
    const result = { ...contracts, cap, ...(use === undefined ? {} : { told: use }) };
    const text = renderContracts(result, terminal, state.fault?.message);
    if (state.fault !== undefined) return { ...damaged(state.fault, result), text };
    return { ok: true, result, text, next: nextOf(contracts) };
  });
};

/** `conduct behavior list` */
export const behaviorList = onThisMachine(runList);

function nextOf({ directives, candidates }: ShownContracts): readonly NextAction[] {
  const [directive] = directives;
  const [candidate] = candidates;
  return [
    {
      command: 'conduct behavior add "STOP: long status reports"',
      description: "Say what you want of your agents",
      params: { directive: { description: "KEEP, MORE, LESS, STOP or START, a colon and a text" } },
    },
    ...(directive === undefined
      ? []
      : [{ command: `conduct behavior show ${directive.id}`, description: "All about one of them" }]),
    ...(candidate === undefined
      ? []
      : [{ command: `conduct behavior promote ${candidate.id}`, description: "Put what was proposed into force" }]),
    HISTORY,
  ];
}
