import type { Level, RuleSet } from "../../../../base/words/rule.ts";
import { loadRules, readCases } from "../../../../edge/host/opening/load-rules.ts";
import type { ConfigFault } from "../../../../engine/agent/config/config-source.ts";
import { describeRule } from "../../../../engine/agent/rules/write-rule.ts";
import type { CaseFailure } from "../../../policy/policy-expect.ts";
import { hang, oneLine, plural, quoted } from "../../../shared/printable.ts";
import type { PolicyCheckArgs, PolicySchemaArgs, RuleFileArgs } from "../../declared/develop-commands.ts";
import { LEVELS } from "../../line/command.ts";
import { faultsFound, renderFaults } from "../../line/file-faults.ts";
import { badArgument, done, type Failure, failed, type NextAction, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";

type Tested = Exclude<Awaited<ReturnType<typeof testRules>>, Failure>;

/** `conduct policy test FILE…` */
export async function policyTest(args: RuleFileArgs, { cwd, paint, columns }: Terminal): Promise<Outcome> {
  const files = [...new Set(args.file)];
  const names = files.map(quoted).join(" ");
  const loaded = await loadAll(files, cwd);
  if ("ok" in loaded) return loaded;
  const again = { command: `conduct policy test ${names}`, description: "Run them again" };
  const tested: Tested[] = [];
  for (const rules of loaded) {
    const one = await testRules(rules, paint, again.command);
    if ("ok" in one) return one;
    tested.push(one);
  }
  const failures = tested.reduce((sum, one) => sum + one.failures.length, 0);
  const result = {
    files: tested.map(({ cases, failures, ...rest }) => ({
      ...rest,
      cases,
      passed: cases - failures.length,
      failed: failures.length,
      failures,
    })),
  };
  const text = `\n${tested.map((one) => renderTested(one, columns, paint)).join("\n")}\n`;
  if (failures === 0)
    return done(result, text, [{ command: `conduct policy check ${names}`, description: "See what each rule does" }]);
  const message = `${plural(failures, "case")} failed`;
  return failed("CASES_FAILED", message, "correct the rule or the case", { result, text, next: [again] });
}

async function testRules(rules: UsableRules, paint: Paint, again: string) {
  const { shown, text, parsed } = rules;
  const texts = new Map([[shown, text]]);
  if ("faults" in parsed) return ruleFaults("RULES_INVALID", parsed.faults, texts, paint, again);
  const found = await readCases(rules);
  if ("error" in found) return { ok: false as const, ...found.error, next: [SCHEMA] };
  const { parseCases } = await import("../../../../engine/agent/rules/parse-cases.ts");
  const { checkCase } = await import("../../../policy/policy-expect.ts");
  const { runCalls } = await import("../../../policy/policy-run.ts");
  const read = parseCases(found.text, found.shown, parsed.ruleSet);
  texts.set(found.shown, found.text);
  if ("faults" in read) return ruleFaults("CASES_INVALID", read.faults, texts, paint, again);
  const { parseRules } = await import("../../../../engine/agent/rules/parse-rules.ts");
  const sets = new Map<Level, RuleSet>();
  for (const level of new Set(read.cases.flatMap((one) => one.level ?? []))) {
    const chosen = parseRules(text, shown, { level });
    if ("faults" in chosen) return ruleFaults("RULES_INVALID", chosen.faults, texts, paint, again);
    sets.set(level, chosen.ruleSet);
  }
  const failures: CaseFailure[] = [];
  const spoken = new Set<string>();
  for (const one of read.cases) {
    const ran = await runCalls((one.level && sets.get(one.level)) ?? parsed.ruleSet, one);
    for (const { id, verdict } of ran.flatMap((call) => call.rules)) if (verdict === "violated") spoken.add(id);
    const failure = checkCase(one, ran);
    if (failure !== undefined) failures.push(failure);
  }
  const ids = parsed.ruleSet.rules
    .filter((rule) => rule.require ?? rule.atMost ?? rule.set === undefined)
    .map(({ id }) => id);
  return {
    file: shown,
    casesFile: found.shown,
    rules: parsed.ruleSet.rules.length,
    cases: read.cases.length,
    failures,
    /** Rules that fired in no case, and so are untested. */
    silent: ids.filter((id) => !spoken.has(id)),
  };
}

function renderTested(
  { file, casesFile, rules, cases, failures, silent }: Tested,
  columns: number,
  paint: Paint,
): string {
  const passed = paint("green", `✓ ${cases - failures.length}`);
  const tally = failures.length === 0 ? passed : `${passed}    ${paint("red", `✗ ${failures.length}`)}`;
  const note = (label: string, text: string) => hang(`     ${paint("dim", label.padEnd(8))} `, text, columns);
  const lines = failures.flatMap((failure) => [
    ` ${paint("red", "✗")} ${paint("bold", failure.rule)} › ${oneLine(failure.case)}`,
    `     expected ${failure.expected}        got ${failure.got}`,
    ...failure.because.flatMap((text, at) => note(at === 0 ? "because" : "", text)),
    ...note("at", `${casesFile}:${failure.line}, call ${failure.call}`),
  ]);
  const quiet = silent.length === 0 ? [] : [` ${paint("amber", "!")} no case in which it fires: ${silent.join(", ")}`];
  return `${[` ${paint("bold", file)}   ${plural(rules, "rule")} · ${plural(cases, "case")}`, ` ${tally}`, ...quiet, ...lines].join("\n")}\n`;
}

/** `conduct policy schema`: prints `docs/schema/rules.schema.json`; with `--cases`, `cases.schema.json`. */
export async function policySchema(args: PolicySchemaArgs): Promise<Outcome> {
  const schema =
    args.cases === true
      ? (await import("../../../../engine/agent/rules/parse-cases.ts")).caseJsonSchema()
      : (await import("../../../../engine/agent/rules/rule-file-schema.ts")).ruleJsonSchema();
  return done(schema, `${JSON.stringify(schema, null, 2)}\n`, [
    { command: "conduct policy check", description: "Check rules.yaml in this folder" },
  ]);
}

/** `conduct policy check FILE…` */
export async function policyCheck(args: PolicyCheckArgs, { cwd, paint, columns }: Terminal): Promise<Outcome> {
  const files = [...new Set(args.file)];
  const loaded = await loadAll(files, cwd, args.level);
  const names = files.map(quoted).join(" ");
  if ("ok" in loaded) return loaded;
  const texts = new Map(loaded.map(({ shown, text }) => [shown, text]));
  const faults = loaded.flatMap(({ parsed }) => ("faults" in parsed ? parsed.faults : []));
  if (faults.length > 0) return ruleFaults("RULES_INVALID", faults, texts, paint, `conduct policy check ${names}`);
  const warnings = loaded.flatMap(({ parsed }) => parsed.warnings);
  const told = warnings.length === 0 ? "" : `${renderFaults(warnings, texts, "warning", paint)}\n`;
  return done(
    { files: loaded.map(summarise), warnings },
    `\n${told}${loaded.map((one) => renderChecked(one, columns, paint)).join("\n")}\n`,
    [{ command: `conduct policy test ${names}`, description: "Run the cases next to them" }],
  );
}

function summarise({ shown, parsed }: UsableRules) {
  const { rules, actions, off = [] } = "ruleSet" in parsed ? parsed.ruleSet : { rules: [], actions: {} };
  return {
    file: shown,
    off: off.map(({ id }) => id),
    actions: Object.keys(actions),
    rules: rules.map((rule) => ({
      id: rule.id,
      line: rule.place?.line,
      effect: rule.effect,
      does: describeRule(rule),
      why: rule.why,
    })),
  };
}

function renderChecked(one: UsableRules, columns: number, paint: Paint): string {
  const { file, rules, actions, off } = summarise(one);
  const { length } = one.parsed.warnings;
  const also = length === 0 ? "" : ` · ${plural(length, "warning")}`;
  const head = `  ${paint("green", `✓ ${file}`)}   ${plural(rules.length, "rule")} · ${plural(actions.length, "action")}${also}\n`;
  const width = Math.min(32, Math.max(0, ...rules.map(({ id }) => id.length)));
  const rows = rules.flatMap(({ id, does, why }) => [
    ...hang(`    ${paint("bold", oneLine(id).padEnd(width))}   `, does, columns),
    ...(why === undefined ? [] : hang(`    ${" ".repeat(width)}   `, why, columns).map((line) => paint("dim", line))),
  ]);
  const gone = off.length === 0 ? [] : hang("    not at this level: ", off.join(", "), columns);
  return [head, ...rows, ...gone, ""].join("\n");
}

export type UsableRules = Extract<Awaited<ReturnType<typeof loadRules>>, { readonly text: string }>;

const SCHEMA: NextAction = { command: "conduct policy schema", description: "Show the format of rule files" };

/** Loads every named file; a missing one becomes a failure. */
export async function loadAll(
  files: readonly string[],
  cwd: string,
  level?: string,
): Promise<readonly UsableRules[] | Failure> {
  const chosen = LEVELS.find((one) => one === level) as Level | undefined;
  if (level !== undefined && chosen === undefined)
    return badArgument(`there is no level '${level}'; there are ${LEVELS.join(", ")}`, "--level gentle");
  const loaded: UsableRules[] = [];
  for (const file of files) {
    const one = await loadRules(file, cwd, chosen);
    if ("error" in one) return { ok: false, ...one.error, next: [SCHEMA] };
    loaded.push(one);
  }
  return loaded;
}

/** Reports faults of rule files or cases; `again` is the command to run after correcting them. */
export function ruleFaults(
  code: "RULES_INVALID" | "CASES_INVALID" | "CALL_INVALID",
  faults: readonly ConfigFault[],
  texts: ReadonlyMap<string, string>,
  paint: Paint,
  again: string,
): Failure {
  return faultsFound(code, faults, texts, paint, [{ command: again, description: "Check again" }, SCHEMA]);
}
