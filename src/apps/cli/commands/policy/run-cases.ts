import { readCases } from "../../../../edge/host/opening/load-rules.ts";
import type { TextFileError } from "../../../../edge/host/workspace/read-text-file.ts";
import type { ConfigFault } from "../../../../engine/agent/config/config-source.ts";
import { parseCases } from "../../../../engine/agent/rules/parse-cases.ts";
import { type CaseFailure, checkCase } from "../../../policy/policy-expect.ts";
import { runCalls } from "../../../policy/policy-run.ts";
import { oneLine, plural, quoted, wrap } from "../../../shared/printable.ts";
import type { RuleFileArgs } from "../../declared/develop-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { faultyOutcome, loadAll, type UsableRules } from "./rule-files.ts";

type Tested = {
  readonly file: string;
  readonly casesFile: string;
  readonly rules: number;
  readonly cases: number;
  readonly failures: readonly CaseFailure[];
  /** Rules that fired in no case, and so are untested. */
  readonly silent: readonly string[];
};

/** `conduct policy test FILE…` */
export async function policyTest(args: RuleFileArgs, { cwd, paint, columns }: Terminal): Promise<Outcome> {
  const files = [...new Set(args.file)];
  const names = files.map(quoted).join(" ");
  const read = await loadAll(files, cwd);
  if ("error" in read) return { ok: false, ...read.error, next: [CHECK] };
  const tested: Tested[] = [];
  for (const rules of read.loaded) {
    const one = await testRules(rules);
    if ("error" in one) return { ok: false, ...one.error, next: [CHECK] };
    if ("faults" in one) {
      const again = `conduct policy test ${names}`;
      return faultyOutcome({ code: one.code, files: [one.file], again }, one.faults, one.texts, paint);
    }
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
  const text = `\n${tested.map((one) => render(one, columns, paint)).join("\n")}\n`;
  if (failures === 0)
    return done(result, text, [{ command: `conduct policy check ${names}`, description: "See what each rule does" }]);
  const message = `${plural(failures, "case")} failed`;
  const next = [{ command: `conduct policy test ${names}`, description: "Run them again" }];
  return failed("CASES_FAILED", message, "put the rule or the case right", { result, text, next });
}

const CHECK = { command: "conduct policy check --help", description: "How rule files are named" };

type Untested =
  | { readonly error: TextFileError }
  | {
      readonly code: "RULES_INVALID" | "CASES_INVALID";
      readonly file: string;
      readonly faults: readonly ConfigFault[];
      readonly texts: ReadonlyMap<string, string>;
    };

async function testRules(rules: UsableRules): Promise<Tested | Untested> {
  const { shown, text, parsed } = rules;
  const texts = new Map([[shown, text]]);
  if ("faults" in parsed) return { code: "RULES_INVALID", file: shown, faults: parsed.faults, texts };
  const found = await readCases(rules);
  if ("error" in found) return found;
  const read = parseCases(found.text, found.shown, parsed.ruleSet);
  if ("faults" in read) {
    return { code: "CASES_INVALID", file: found.shown, faults: read.faults, texts: texts.set(found.shown, found.text) };
  }
  const failures: CaseFailure[] = [];
  const spoken = new Set<string>();
  for (const one of read.cases) {
    const ran = await runCalls(parsed.ruleSet, one);
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
    silent: ids.filter((id) => !spoken.has(id)),
  };
}

function render({ file, casesFile, rules, cases, failures, silent }: Tested, columns: number, paint: Paint): string {
  const passed = paint("green", `✓ ${cases - failures.length}`);
  const tally = failures.length === 0 ? passed : `${passed}    ${paint("red", `✗ ${failures.length}`)}`;
  const note = (label: string, text: string) => {
    const [first = "", ...more] = wrap(text, columns - 15);
    return [`     ${paint("dim", label.padEnd(8))} ${first}`, ...more.map((line) => `${" ".repeat(14)}${line}`)];
  };
  const lines = failures.flatMap((failure) => [
    ` ${paint("red", "✗")} ${paint("bold", failure.rule)} › ${oneLine(failure.case)}`,
    `     expected ${failure.expected}        got ${failure.got}`,
    ...failure.because.flatMap((text, at) => note(at === 0 ? "because" : "", text)),
    ...note("at", `${casesFile}:${failure.line}, call ${failure.call}`),
  ]);
  const quiet =
    silent.length === 0 ? [] : [` ${paint("amber", "!")} no case in which it objects: ${silent.join(", ")}`];
  return `${[` ${paint("bold", file)}   ${plural(rules, "rule")} · ${plural(cases, "case")}`, ` ${tally}`, ...quiet, ...lines].join("\n")}\n`;
}
