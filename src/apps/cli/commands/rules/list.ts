import { asObject } from "../../../../base/kernel/json.ts";
import type { StandingRule } from "../../../../base/words/contract.ts";
import { countRules, type RuleCount } from "../../../learning/harden/rule-counts.ts";
import { hang, oneLine, plural, printableLine } from "../../../shared/printable.ts";
import type { RulesListArgs } from "../../declared/contract-commands.ts";
import { done, type NextAction } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  damaged,
  type GovernanceCommand,
  type GovernanceWorld,
  thisMachine,
  withContract,
} from "../../stores/with-contract.ts";
import { spoken, stamp } from "../behavior/render.ts";

type Shown = StandingRule & { readonly count?: RuleCount };

/** The rules of the configuration here, and the shared ones. */
export const rulesList: GovernanceCommand<RulesListArgs> = async (args, terminal, world = thisMachine()) => {
  const here = await world.rulesHere?.(terminal, args.full === true);
  const shared = await sharedRules(args, terminal, world);
  if (here === undefined || !shared.ok) return shared;
  const text = `${here.text}${shared.text}`;
  return { ...shared, result: { ...asObject(shared.result), here: here.agents }, text };
};

/** Figures of the rules need the whole store; without rules, reading the journal is enough and creates no file. */
const sharedRules: GovernanceCommand = (_args, terminal, world = thisMachine()) =>
  withContract(world, "read", async ({ service }) => {
    const { rules, fault } = await service.state();
    if (rules.size > 0 || fault !== undefined) return listRules(terminal, world);
    return done({ rules: [] }, renderRules([], terminal, world.clock.now()));
  });

const listRules = (terminal: Terminal, world: GovernanceWorld) =>
  withContract(world, "write", async ({ service, events }) => {
    const { rules, fault } = await service.state();
    const all = [...rules].map(([, rule]) => rule).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const counts = events === undefined ? [] : await countRules(events, all);
    const shown = all.map((rule): Shown => ({ ...rule, count: counts.find((one) => one.rule === rule.id) }));
    if (fault !== undefined) return damaged(fault, { rules: shown });
    const next: readonly NextAction[] = shown
      .filter(({ status }) => status === "shadow")
      .map(({ id }) => ({ command: `conduct rules enforce ${id}`, description: `Enforce ${id}` }));
    return done({ rules: shown }, renderRules(shown, terminal, world.clock.now()), next);
  });

function renderRules(rules: readonly Shown[], terminal: Terminal, now: number): string {
  const { paint, invocation } = terminal;
  if (rules.length === 0) {
    const about = "A directive asks, a rule enforces. Turn a directive about the order of tools into a rule:";
    return `\n  No shared rules yet

${hang("  ", about, terminal.columns).join("\n")}
    ${spoken('conduct behavior add "START: the tests before deploying"', invocation)}
    ${spoken("conduct rules add ID", invocation)}\n\n`;
  }
  const rows = rules.map((rule) => renderRule(rule, terminal, now)).join("\n");
  return `\n  ${paint("bold", plural(rules.length, "shared rule"))}\n\n${rows}\n`;
}

function renderRule(rule: Shown, { paint, invocation }: Terminal, now: number): string {
  const { id, scope, from, text, count } = rule;
  const over = rule.status === "shadow" && rule.until !== undefined && Date.parse(rule.until) <= now;
  const state =
    rule.status === "enforced"
      ? `${paint("green", "enforced")} since ${stamp(rule.since)}`
      : `${paint("amber", "in shadow mode")}${rule.until === undefined ? "" : over ? `, overdue since ${stamp(rule.until)}` : ` until ${stamp(rule.until)}`}`;
  const origin = from === undefined ? "" : `   from ${from}`;
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const ask = over
    ? `    decide: ${spoken(`conduct rules enforce ${id}`, invocation)}  or  ${spoken(`conduct rules remove ${id}`, invocation)}\n`
    : "";
  return [
    `  ${paint("bold", oneLine(id))}   ${state}   ${oneLine(scope)}${origin}\n`,
    count === undefined ? "" : `    ${countText(count, invocation)}\n`,
    ...lines.map((line) => `    ${paint("dim", printableLine(line))}\n`),
    ask,
  ].join("");
}

function countText(count: RuleCount, invocation: string): string {
  const { wouldHaveBlocked, blocked, asked, sessions, examples, partial } = count;
  if (wouldHaveBlocked + blocked + asked === 0) return "has blocked no call yet";
  const parts = [
    wouldHaveBlocked > 0 && `would have blocked ${plural(wouldHaveBlocked, "call")}`,
    blocked > 0 && `has blocked ${plural(blocked, "call")}`,
    asked > 0 && `has asked about ${plural(asked, "call")}`,
  ].filter(Boolean);
  const last =
    examples[0] === undefined ? "" : ` · newest: ${spoken(`conduct why ${examples[0].decision}`, invocation)}`;
  return `${parts.join(", ")} in ${plural(sessions, "session")}${partial ? ", newest events only" : ""}${last}`;
}
