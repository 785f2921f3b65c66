import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import type { AgentAround } from "../../../../edge/host/trust/inside-agent.ts";
import { oneLine } from "../../../shared/printable.ts";
import type { RulesChangeArgs } from "../../declared/contract-commands.ts";
import { done, type Outcome, refuseAgent } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceWorld, onThisMachine, withContract } from "../../stores/with-contract.ts";
import { refusal } from "../behavior/change.ts";
import { readExpiry } from "../behavior/change-request.ts";
import { spoken, stamp } from "../behavior/render.ts";

type RuleChange = "enforce-rule" | "shadow-rule" | "remove-rule";
type Accepted = Extract<ChangeDecision, { readonly kind: "accepted" }>;

/** `conduct rules enforce | shadow | remove ID` */
export function rulesChange(kind: RuleChange) {
  return onThisMachine<RulesChangeArgs>((args, terminal, world) => runRulesChange(kind, args, terminal, world));
}

export async function runRulesChange(
  kind: RuleChange,
  args: RulesChangeArgs,
  terminal: Terminal,
  world: GovernanceWorld,
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return rulesRefused(around, kind.split("-")[0] ?? kind);
  const { id = "", reason } = args;
  const until = readExpiry(args.for, world.clock.now());
  const request =
    kind === "remove-rule" ? { kind, id, reason } : kind === "shadow-rule" ? { kind, id, until } : { kind, id };
  const dryRun = args["dry-run"] === true;
  return withContract(world, "write", async ({ service }) => {
    const decision = await service.change(request, await world.by(), { dryRun });
    if (!dryRun) await world.tell(decision);
    if (decision.kind === "refused") return refusal(decision, terminal);
    const text = `\n${renderRuleChange(decision, dryRun, terminal)}`;
    return done({ dryRun, rule: decision.rule }, text, dryRun ? [] : decision.next);
  });
}

/** The rule's new state, since when it applies and what to do next. */
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

export function rulesRefused(around: AgentAround, name: string): Outcome {
  return refuseAgent(around, "rules are a person's to change", `conduct rules ${name}`);
}
