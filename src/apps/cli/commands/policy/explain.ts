import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { globMatches } from "../../../../base/kernel/glob.ts";
import type { CallEffect } from "../../../../base/words/call.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { OffRule, RuleSet } from "../../../../base/words/rule.ts";
import { namesOf } from "../../../../behavior/policy/rules/call-views.ts";
import { rulesOfAgent } from "../../../../behavior/policy/rules/rules-policy.ts";
import type { ConfigUsed } from "../../../../edge/host/daemon/daemon-agents.ts";
import { readTextFile } from "../../../../edge/host/workspace/read-text-file.ts";
import type { ExplainedPart, ExplainedRule } from "../../../../engine/agent/rules/explain-rules.ts";
import { parseCaseCall, parseSession, type SessionFile } from "../../../../engine/agent/rules/parse-cases.ts";
import { describeRule } from "../../../../engine/agent/rules/write-rule.ts";
import { describeOff } from "../../../policy/describe-off.ts";
import { callText, gotText, nearMiss } from "../../../policy/policy-expect.ts";
import { type RanCall, runCalls } from "../../../policy/policy-run.ts";
import { clip, hang, oneLine, plural, quoted } from "../../../shared/printable.ts";
import type { PolicyExplainArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, type Failure, failed, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { configHere } from "../../stores/config-here.ts";
import { loadAll, ruleFaults } from "./check.ts";

/** Renders the decision first, then every rule for the call with all its conditions. */
export function renderExplanation(
  last: RanCall,
  before: readonly RanCall[],
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
  { off = [] }: { readonly off?: readonly OffRule[] } = {},
): string {
  const row = (label: string, text: string) => hang(` ${paint("dim", label.padEnd(9))} `, text, columns);
  const { decision, seen } = last;
  const names = [last.tool, ...(seen?.actions ?? [])].filter((name, at, all) => all.indexOf(name) === at);
  const lines = [
    ...before.flatMap((one, at) =>
      row(
        at === 0 ? "before" : "",
        `${at + 1}  ${callText(one)}   ${gotText(one)}${one.outcome === undefined ? "" : ` · ${one.outcome}`}`,
      ),
    ),
    ` ${paint("dim", "call".padEnd(9))} ${oneLine(callText(last))}   ${paint(STYLES[decision.kind], gotText(last))}`,
    ...row("is", names.join(", ")),
    ...(seen?.effects ?? []).flatMap((effect, at) => row(at === 0 ? "does" : "", effectText(effect))),
    ...(decision.kind === "deny" ? [...row("because", decision.reason), ...row("next", decision.next)] : []),
    ...(decision.kind === "ask" ? row("question", decision.question) : []),
    ...(decision.kind === "allow" && decision.because !== undefined ? row("because", decision.because) : []),
    ...(decision.kind !== "deny" && decision.input !== undefined ? row("input", JSON.stringify(decision.input)) : []),
    "",
    ...(last.rules.length === 0
      ? [" no rule applies to this call"]
      : last.rules.flatMap((rule) => renderRule(rule, before, paint, columns))),
    ...(off.length === 0 ? [] : ["", ...row("off", off.map(describeOff).join(", "))]),
  ];
  return `\n${lines.join("\n")}\n\n`;
}

/** `git.push  force, remote origin`, and whether the exit status proves it. */
function effectText({ name, args, proven }: CallEffect): string {
  const shown = Object.entries(args).flatMap(([key, value]) => {
    if (key === "program" || value === false || (Array.isArray(value) && value.length === 0)) return [];
    return value === true ? [key] : [`${key} ${Array.isArray(value) ? value.join(" ") : String(value)}`];
  });
  const proof = proven ? "proven if the command exits with 0" : "not proven by the exit status";
  return `${[name, shown.join(", ")].filter((part) => part !== "").join("  ")} (${proof})`;
}

const STYLES = { allow: "green", ask: "amber", deny: "red" } as const;
const MARKS = { violated: "✗", satisfied: "✓", exempt: "·" } as const;

function renderRule(
  { id, effect, level, why, place, on, unless, except, when, require, atMost, verdict, finding }: ExplainedRule,
  before: readonly RanCall[],
  paint: Paint,
  columns: number,
): readonly string[] {
  const style = verdict === "violated" ? "red" : verdict === "satisfied" ? "green" : "dim";
  const where = place === undefined ? "" : `   ${paint("dim", `${place.file}:${place.line}`)}`;
  const at = level === undefined ? "" : ` (level ${level})`;
  const became = verdict === "violated" ? `${effect}${at}` : verdict === "satisfied" ? "satisfied" : "does not apply";
  const limit = finding?.missing.find(({ what }) => what.startsWith("a call left"));
  return [
    ` ${paint(style, MARKS[verdict])} ${paint("bold", id)}   ${became}${where}`,
    ...(why === undefined || verdict !== "violated" ? [] : hang("     why      ", why, columns)),
    `     on       ${on}`,
    ...(unless === undefined ? [] : [`     unless   ${truthText(unless.truth)}   ${clip(oneLine(unless.source), 70)}`]),
    ...(except === undefined ? [] : [`     except   ${truthText(except.truth)}   ${clip(oneLine(except.source), 70)}`]),
    ...(when === undefined ? [] : [`     when     ${truthText(when.truth)}   ${clip(oneLine(when.source), 70)}`]),
    ...(require === undefined ? [] : partLines(require, before, "     require  ")),
    ...(atMost === undefined || verdict === "exempt"
      ? []
      : [
          `     atMost   ${limit === undefined ? truthText(true) : truthText(false)}   ${atMost}${limit === undefined ? "" : `: ${limit.why}`}`,
        ]),
  ];
}

function partLines(part: ExplainedPart, before: readonly RanCall[], lead: string): readonly string[] {
  const { text, truth, why, parts } = part;
  const near = part.call === undefined ? undefined : nearMiss(part, before);
  const reason = truth === true || why === undefined ? "" : `: ${why}${near === undefined ? "" : `; ${near}`}`;
  const below = `${" ".repeat(lead.length)}  `;
  return [
    `${lead}${truthText(truth)}   ${oneLine(text)}${reason}`,
    ...parts.flatMap((one) => partLines(one, before, below)),
  ];
}

function truthText(truth: boolean | undefined): string {
  return (truth === undefined ? "unknown" : String(truth)).padEnd(7);
}

const HELP = "conduct policy explain --help";
const EXAMPLE = `conduct policy explain packs/coding --call '{"shell": "git push"}'`;

/** Rules to explain, and the configuration they come from. */
type Rules = { readonly shown: string; readonly ruleSet: RuleSet } & Pick<Agent, "programs"> & {
    readonly config?: ConfigUsed;
  };

/** `conduct policy explain 'git push -f'`, `conduct policy explain FILE --call JSON [--session FILE]`, or alone. */
export async function policyExplain(args: PolicyExplainArgs, terminal: Terminal): Promise<Outcome> {
  const { cwd, paint } = terminal;
  const isFile = args.what !== undefined && (args.call !== undefined || isRuleFile(args.what, cwd));
  const file = isFile
    ? args.what
    : args.what === undefined && existsSync(join(cwd, "rules.yaml"))
      ? "rules.yaml"
      : undefined;
  const isConfig = file !== undefined && /(^|\/)conduct\.ya?ml$/.test(file);
  const rules =
    file === undefined || isConfig
      ? await rulesHere(file, args.agent, terminal)
      : await rulesOf(file, args.level, terminal);
  if ("ok" in rules) return rules;
  const { shown, ruleSet, programs, config } = rules;
  const again = file === undefined || isConfig ? "conduct config check" : `conduct policy check ${quoted(file)}`;
  const call = args.call ?? (isFile || args.what === undefined ? undefined : JSON.stringify({ shell: args.what }));
  if (call === undefined) {
    if (file !== undefined) return badArgument("--call is missing", EXAMPLE, "CALL_MISSING");
    return listRules(rules, terminal);
  }
  const asked = parseCaseCall(call, "--call");
  if ("faults" in asked) return ruleFaults("CALL_INVALID", asked.faults, new Map([["--call", call]]), paint, HELP);
  const session = await sessionOf(args.session, terminal);
  if ("ok" in session) return session;
  // Earlier calls and given files describe another workspace than this folder.
  const isHere = args.session === undefined && asked.call.files === undefined;
  const folder = isHere ? cwd : undefined;
  const ran = await runCalls(ruleSet, { ...session, calls: [...session.calls, asked.call] }, { programs, folder });
  const last = ran.at(-1);
  if (last === undefined) throw new Error("the call was not made");
  const names = [last.tool, ...(last.seen === undefined ? [] : namesOf(last.seen))];
  const off = (ruleSet.off ?? []).filter(({ on }) => on.some((one) => names.some((name) => globMatches(one, name))));
  return done(
    {
      file: shown,
      folder,
      off,
      call: {
        tool: last.tool,
        args: last.args,
        actions: last.seen?.actions ?? [],
        proves: last.seen?.proves ?? [],
        effects: last.seen?.effects ?? [],
      },
      decision: last.decision,
      shadows: last.shadows,
      rules: last.rules.map((rule) => ({ ...rule, ...truths(rule) })),
      before: ran
        .slice(0, -1)
        .map((one) => ({ tool: one.tool, args: one.args, decision: gotText(one), outcome: one.outcome ?? null })),
    },
    renderExplanation(last, ran.slice(0, -1), terminal, { off }),
    [{ command: again, description: "See what each rule does" }],
    config,
  );
}

/** Command lines are never the name of a file or of a pack. */
/** `git add conduct.yaml` is a command: a name with spaces is a file only if it exists. */
function isRuleFile(what: string, cwd: string): boolean {
  return /^packs\/\S*$|^\S*\.ya?ml$/.test(what) || existsSync(resolve(cwd, what));
}

async function rulesOf(
  file: string,
  level: PolicyExplainArgs["level"],
  { cwd, paint }: Terminal,
): Promise<Rules | Failure> {
  const loaded = await loadAll([file], cwd, level);
  if ("ok" in loaded) return loaded;
  const [rules] = loaded;
  if (rules === undefined) throw new Error("the file was not loaded");
  const { shown, text, parsed } = rules;
  if (!("faults" in parsed)) return { shown, ruleSet: parsed.ruleSet };
  const again = `conduct policy check ${quoted(file)}`;
  return ruleFaults("RULES_INVALID", parsed.faults, new Map([[shown, text]]), paint, again);
}

/** The rules of an agent: the wanted one, the one called `default`, or the first one with rules. */
async function rulesHere(
  file: string | undefined,
  wanted: string | undefined,
  terminal: Terminal,
): Promise<Rules | Failure> {
  const { config, ...here } = await configHere(file, terminal);
  if ("ok" in here) return { ...here, config };
  const agents = here.agents.filter((agent) => rulesOfAgent(agent).length > 0);
  const agent =
    agents.find(({ name }) => name === (wanted ?? "default")) ?? (wanted === undefined ? agents[0] : undefined);
  if (agent === undefined) {
    const names = agents.map(({ name }) => name).join(", ");
    if (names !== "") return badArgument(`no agent '${wanted ?? ""}' with rules`, `--agent ${names}`);
    const fix = "add rules: [packs/coding] to an agent, or name a rule file";
    return { ...failed("NO_RULES", "no agent here has rules", fix), config };
  }
  const sets = rulesOfAgent(agent);
  const ruleSet = {
    actions: { ...agent.actions, ...Object.assign({}, ...sets.map(({ actions }) => actions)) },
    rules: sets.flatMap(({ rules }) => rules),
    off: sets.flatMap(({ off = [] }) => off),
  };
  return { shown: `agent ${agent.name}`, ruleSet, programs: agent.programs, config };
}

function listRules({ shown, ruleSet, config }: Rules, { paint, columns, invocation }: Terminal): Outcome {
  const rules = ruleSet.rules.map((rule) => ({ id: rule.id, text: describeRule(rule), say: rule.say }));
  const lines = rules.flatMap(({ id, text }) => [
    `  ${paint("bold", oneLine(id))}`,
    ...hang("      ", oneLine(text), columns),
  ]);
  const how = `${paint("dim", "try:")} ${invocation} policy explain 'git push -f'`;
  const text = `\n${[`  ${plural(rules.length, "rule")} of ${shown}`, "", ...lines, "", `  ${how}`].join("\n")}\n\n`;
  const next = [{ command: "conduct policy explain 'git push -f'", description: "How they decide on a command" }];
  return done({ file: shown, rules }, text, next, config);
}

async function sessionOf(given: string | undefined, { cwd, paint }: Terminal): Promise<SessionFile | Failure> {
  if (given === undefined) return { calls: [] };
  const read = await readTextFile(resolve(cwd, given), given, "CASES");
  if ("error" in read) return { ok: false, ...read.error, next: [] };
  const parsed = parseSession(read.text, given);
  if ("session" in parsed) return parsed.session;
  return ruleFaults("CASES_INVALID", parsed.faults, new Map([[given, read.text]]), paint, HELP);
}

/** JSON has no value for unknown. */
function truths({ unless, except, when, require }: ExplainedRule) {
  const text = JSON.stringify({ unless, except, when, require }, (key, value) =>
    key === "truth" ? (value ?? "unknown") : value,
  );
  return JSON.parse(text);
}
