import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import type { ChangeRequest } from "../../../../behavior/contract/decide/change-request.ts";
import { readStandingRule } from "../../../../engine/governance/standing-rules.ts";
import { orderRule } from "../../../learning/harden/order-rule.ts";
import { knownNames, ownRule } from "../../../learning/harden/rule-counts.ts";
import { oneLine } from "../../../shared/printable.ts";
import type { RulesAddArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, type Failure, failed, type NextAction, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  type GovernanceWorld,
  LIST,
  type OpenContract,
  thisMachine,
  withContract,
} from "../../stores/with-contract.ts";
import { refusal } from "../behavior/change.ts";
import { readExpiry } from "../behavior/change-request.ts";
import { renderRuleChange, rulesRefused } from "./change.ts";

type Harden = Extract<ChangeRequest, { readonly kind: "harden" }>;

export type RulesWorld = GovernanceWorld & {
  agents(): Promise<readonly Agent[]>;
  /** Returns `undefined` if nobody can answer. */
  confirm(question: string): Promise<boolean | undefined>;
};

const LIST_RULES: NextAction = { command: "conduct rules list", description: "Show the rules that are there" };

/** `conduct rules add ID [--shadow 7d] [--first A --before B] | --file F` */
export const rulesAdd = (args: RulesAddArgs, terminal: Terminal) =>
  runRulesAdd(args, terminal, {
    ...thisMachine(),
    agents: async () => (await import("./agents.ts")).configuredAgents(),
    confirm: async (question) => (await import("../../line/person.ts")).confirm(question),
  });

export async function runRulesAdd(args: RulesAddArgs, terminal: Terminal, world: RulesWorld): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return rulesRefused(around, "add");
  return withContract(world, "write", async (open) => {
    const request = await hardenRequest(args, terminal, world, open);
    if ("ok" in request) return request;
    const taken = ownRule(await world.agents(), request.rule);
    if (taken !== undefined) {
      const fix = `write it with another id: conduct rules add --file=F${request.from === undefined ? "" : ` ${request.from}`}`;
      return failed("RULE_EXISTS", taken, fix, { result: { rule: request }, next: [LIST_RULES] });
    }
    const dryRun = args["dry-run"] === true;
    const shown = `\n${request.text.replace(/^/gm, "    ").trimEnd()}\n\n`;
    if (!dryRun && args.yes !== true) {
      if (!terminal.json) terminal.out(shown);
      const yes = await world.confirm("  put it in force, in shadow? [y/N] ");
      if (yes !== true) {
        const fix = "look at the rule, then say yes: add --yes";
        const message = yes === false ? "nothing was written" : "nobody is there to say yes, and nothing was written";
        return failed("NOT_CONFIRMED", message, fix, { result: { rule: request }, next: [LIST] });
      }
    }
    const decision = await open.service.change(request, await world.by(), { dryRun });
    if (!dryRun) await world.tell(decision);
    if (decision.kind === "refused") return refusal(decision, terminal);
    const text = `${args.yes === true || dryRun ? shown : "\n"}${renderRuleChange(decision, dryRun, terminal)}`;
    return done({ dryRun, rule: decision.rule }, text, dryRun ? [] : decision.next);
  });
}

async function hardenRequest(
  args: RulesAddArgs,
  terminal: Terminal,
  world: RulesWorld,
  { service, events }: OpenContract,
): Promise<Harden | Failure> {
  const { scope, id: from, file, first, before: later } = args;
  const until = readExpiry(args.shadow ?? "7d", world.clock.now());
  const shared = { kind: "harden", scope, until } as const;
  if (file !== undefined) {
    const read = await readRuleFile(resolve(terminal.cwd, file));
    return "ok" in read ? read : { ...shared, ...read, from };
  }
  if (from === undefined) {
    const fix = "give the id of a candidate or directive: conduct behavior list; or --file with a rule";
    return badArgument("nothing is named that could become a rule", fix, "MISSING_DIRECTIVE_ID");
  }
  const state = await service.state();
  const source = allDirectives(state).find((one) => one.id === from) ?? state.candidates.get(from);
  if (source === undefined) {
    const message = `no directive or candidate has the id '${oneLine(from).slice(0, 80)}'`;
    return failed("DIRECTIVE_NOT_FOUND", message, "take an id from the list", { next: [LIST] });
  }
  const known = await knownNames(await world.agents(), events);
  const made = orderRule(source, known, { first, later });
  if ("why" in made) {
    const names = known.length === 0 ? "no tools or actions are known yet" : `known: ${known.slice(0, 30).join(", ")}`;
    const fix = `name them: conduct rules add ${from} --first=TOOL --before=TOOL (${names}); or write the rule yourself: --file`;
    return failed("NO_TOOL_ORDER", `'${from}' cannot become a rule: ${made.why}`, fix, { next: [LIST] });
  }
  return { ...shared, rule: made.rule, text: made.text, from };
}

async function readRuleFile(path: string): Promise<{ readonly rule: string; readonly text: string } | Failure> {
  try {
    const text = await readFile(path, "utf8");
    const read = readStandingRule(text);
    if ("rule" in read) return { rule: read.rule.id, text };
    const fix = `put it right and check it: conduct policy check ${path}`;
    return badArgument(`${path}: ${read.faults.join("; ")}`, fix, "INVALID_RULE");
  } catch (error) {
    const message = `${path} cannot be read: ${errorText(error)}`;
    return badArgument(message, "name a file with one rule in it", "RULES_NOT_FOUND");
  }
}
