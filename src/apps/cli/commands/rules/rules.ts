import type { StandingRule } from "../../../../base/words/contract.ts";
import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import type { AgentAround } from "../../../../edge/host/trust/inside-agent.ts";
import { countRules, type RuleCount } from "../../../learning/harden/rule-counts.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { NextAction, Outcome } from "../../line/outcome.ts";
import { oneLine, plural, printableLine } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { damaged, type GovernanceCommand, type GovernanceWorld, onThisMachine, textOf, withContract } from "../../stores/with-contract.ts";
import { readExpiry } from "../behavior/draft.ts";
import { spoken, stamp } from "../behavior/render.ts";
import { renderRefusal } from "../behavior/render-change.ts";

type Shown = StandingRule & { readonly count?: RuleCount };

/** `conduct rules list` */
export const rulesList = onThisMachine((args, terminal, world) => runRulesList(args, terminal, world));

export const runRulesList: GovernanceCommand = (_args, terminal, world) =>
  withContract(world, "write", async ({ service, events }) => {
    const { rules, fault } = await service.state();
    const all = [...rules].map(([, rule]) => rule).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const counts = events === undefined ? [] : await countRules(events, all);
    const shown = all.map((rule): Shown => {
      const count = counts.find((one) => one.rule === rule.id);
      return { ...rule, ...(count === undefined ? {} : { count }) };
    });
    if (fault !== undefined) return damaged(fault, { rules: shown });
    const next: readonly NextAction[] = shown
      .filter(({ status }) => status === "shadow")
      .map(({ id }) => ({ command: `conduct rules enforce ${id}`, description: `Let ${id} bind` }));
    return { ok: true, result: { rules: shown }, text: renderRules(shown, terminal, world.clock.now()), next };
  });

function renderRules(rules: readonly Shown[], terminal: Terminal, now: number): string {
  const { paint, invocation } = terminal;
  if (rules.length === 0) {
    return [
      "\n  no standing rules\n\n",
      "  A directive asks; a rule binds. Make one of a candidate or directive that names an order of tools:\n",
      `    ${spoken('conduct behavior add "START: the tests before deploying"', invocation)}\n`,
      `    ${spoken("conduct rules add ID", invocation)}\n\n`,
    ].join("");
  }
  const rows = rules.map((rule) => renderRule(rule, terminal, now)).join("\n");
  return `\n  ${paint("bold", plural(rules.length, "standing rule"))}\n\n${rows}\n`;
}

function renderRule(rule: Shown, { paint, invocation }: Terminal, now: number): string {
  const { id, scope, from, text, count } = rule;
  const over = rule.status === "shadow" && rule.until !== undefined && Date.parse(rule.until) <= now;
  const state =
    rule.status === "enforced"
      ? `${paint("green", "enforced")} since ${stamp(rule.since)}`
      : `${paint("amber", "in shadow")}${rule.until === undefined ? "" : over ? `, its time was over ${stamp(rule.until)}` : ` until ${stamp(rule.until)}`}`;
  const origin = from === undefined ? "" : `   from ${from}`;
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const ask = over
    ? `    decide: ${spoken(`conduct rules enforce ${id}`, invocation)}  or  ${spoken(`conduct rules remove ${id}`, invocation)}\n`
    : "";
  return [
    `  ${paint("bold", oneLine(id))}   ${state}   ${oneLine(scope)}${origin}\n`,
    count === undefined ? "" : `    ${countText(count, { invocation })}\n`,
    ...lines.map((line) => `    ${paint("dim", printableLine(line))}\n`),
    ask,
  ].join("");
}

function countText(
  { wouldHaveBlocked, blocked, sessions, examples, partial }: RuleCount,
  { invocation }: Pick<Terminal, "invocation">,
): string {
  if (wouldHaveBlocked + blocked === 0) return "has held no call back so far";
  const parts = [
    ...(wouldHaveBlocked === 0 ? [] : [`would have blocked ${plural(wouldHaveBlocked, "call")}`]),
    ...(blocked === 0 ? [] : [`has blocked ${plural(blocked, "call")}`]),
  ];
  const last =
    examples[0] === undefined ? "" : ` · newest: ${spoken(`conduct why ${examples[0].decision}`, invocation)}`;
  return `${parts.join(", ")} in ${plural(sessions, "session")}${partial ? ", counting the newest only" : ""}${last}`;
}

type RuleChange = "enforce-rule" | "shadow-rule" | "remove-rule";
type Accepted = Extract<ChangeDecision, { readonly kind: "accepted" }>;

/** `conduct rules enforce | shadow | remove ID` */
export function rulesChange(kind: RuleChange): CommandBody {
  return onThisMachine((args, terminal, world) => runRulesChange(kind, args, terminal, world));
}

export async function runRulesChange(
  kind: RuleChange,
  args: Arguments,
  terminal: Terminal,
  world: GovernanceWorld,
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return insideAgent(around, kind.split("-")[0] ?? kind);
  const id = textOf(args.id) ?? "";
  const reason = textOf(args.reason);
  const { expiresAt: until } = readExpiry(args.for, world.clock.now());
  const request =
    kind === "remove-rule" ? { kind, id, reason } : kind === "shadow-rule" ? { kind, id, until } : { kind, id };
  const dryRun = args["dry-run"] === true;
  return withContract(world, "write", async ({ service }) => {
    const decision = await service.change(request, await world.by(), { dryRun });
    if (!dryRun) await world.tell(decision);
    if (decision.kind === "refused") {
      const { code, message, fix, next } = decision;
      return { ok: false, code, message, fix, next, text: renderRefusal(decision, terminal) };
    }
    const text = `\n${renderRuleChange(decision, dryRun, terminal)}`;
    return { ok: true, result: { dryRun, rule: decision.rule }, text, next: dryRun ? [] : decision.next };
  });
}

/** What became of a rule, since when it counts and what to do next. */
export function renderRuleChange(
  { rule, outcome }: Accepted,
  dryRun: boolean,
  { paint, invocation }: Terminal,
): string {
  if (rule === undefined) return "";
  const mark = dryRun ? `${paint("amber", "○")} dry run: ` : `${paint("green", "✓")} `;
  const name = `rule ${paint("bold", oneLine(rule.id))} (${oneLine(rule.scope)})`;
  const until = rule.status === "shadow" && rule.until !== undefined ? ` until ${stamp(rule.until)}` : "";
  const enforce = spoken(`conduct rules enforce ${rule.id}`, invocation);
  switch (outcome) {
    case "enforced":
      return `  ${mark}${name} binds from the next turn of every session\n    back to watching: ${spoken(`conduct rules shadow ${rule.id}`, invocation)}\n\n`;
    case "removed":
      return `  ${mark}${name} is removed\n\n`;
    default:
      return `  ${mark}${name} is in shadow${until}: it blocks nothing and counts what it would have blocked\n    see it: ${spoken("conduct rules list", invocation)}   let it bind: ${enforce}\n\n`;
  }
}

export function insideAgent({ agent, sign }: AgentAround, name: string): Outcome {
  return {
    ok: false,
    code: "INSIDE_AGENT",
    message: `this is run by ${agent} (${sign}), and rules are a person's to change`,
    fix: `run it yourself, in a terminal of your own: conduct rules ${name}`,
    next: [],
  };
}
