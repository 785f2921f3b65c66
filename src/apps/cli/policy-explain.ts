import { resolve } from "node:path";
import { readTextFile } from "../../edge/host/read-text-file.ts";
import type { SessionFile } from "../../engine/agent/rules/case-file-schema.ts";
import { parseCaseCall, parseSession } from "../../engine/agent/rules/parse-cases.ts";
import { gotText } from "../policy/policy-expect.ts";
import { runCalls } from "../policy/policy-run.ts";
import type { CommandBody } from "./command.ts";
import type { Outcome } from "./outcome.ts";
import { faultyOutcome, loadAll } from "./policy-files.ts";
import { renderExplanation } from "./policy-render-explanation.ts";
import { quoted } from "./quoted.ts";
import type { Terminal } from "./terminal.ts";

const EXAMPLE = `conduct policy explain packs/coding --call '{"shell": "git push"}'`;

/** `conduct policy explain FILE --call JSON [--session FILE]` */
export const policyExplain: CommandBody = async (args, terminal) => {
  const { cwd, paint } = terminal;
  const file = String(args.file);
  const read = await loadAll([file], cwd);
  if ("error" in read) return { ok: false, ...read.error, next: [] };
  const [rules] = read.loaded;
  if (rules === undefined) throw new Error("a file was loaded and is not there");
  const again = `conduct policy check ${quoted(file)}`;
  const { shown, text, parsed } = rules;
  if ("faults" in parsed) {
    return faultyOutcome(
      { code: "RULES_INVALID", files: [shown], again },
      parsed.faults,
      new Map([[shown, text]]),
      paint,
    );
  }
  if (typeof args.call !== "string" || args.call.trim() === "") {
    const message = "which call? --call is missing";
    return { ok: false, code: "CALL_MISSING", message, fix: EXAMPLE, next: [], exitCode: 2 };
  }
  const asked = parseCaseCall(args.call, "--call");
  if ("faults" in asked) {
    const what = { code: "CALL_INVALID", files: ["--call"], again: "conduct policy explain --help" };
    return faultyOutcome(what, asked.faults, new Map([["--call", args.call]]), paint);
  }
  const before = await sessionOf(args.session, terminal);
  if ("outcome" in before) return before.outcome;
  const { session } = before;
  const ran = await runCalls(parsed.ruleSet, { ...session, calls: [...session.calls, asked.call] });
  const last = ran.at(-1);
  if (last === undefined) throw new Error("the call was not made");
  return {
    ok: true,
    result: {
      file: shown,
      call: { tool: last.tool, args: last.args, actions: last.seen?.actions ?? [], proves: last.seen?.proves ?? [] },
      decision: last.decision,
      shadows: last.shadows,
      rules: last.rules.map((rule) => ({ ...rule, ...truths(rule) })),
      before: ran
        .slice(0, -1)
        .map((one) => ({ tool: one.tool, args: one.args, decision: gotText(one), outcome: one.outcome ?? null })),
    },
    text: renderExplanation(last, ran.slice(0, -1), terminal),
    next: [{ command: again, description: "See what each rule does" }],
  };
};

async function sessionOf(
  given: unknown,
  { cwd, paint }: Terminal,
): Promise<{ readonly session: SessionFile } | { readonly outcome: Outcome }> {
  if (typeof given !== "string") return { session: { calls: [] } };
  const read = await readTextFile(resolve(cwd, given), given, "CASES");
  if ("error" in read) return { outcome: { ok: false, ...read.error, next: [] } };
  const parsed = parseSession(read.text, given);
  if ("session" in parsed) return parsed;
  const what = { code: "CASES_INVALID", files: [given], again: "conduct policy explain --help" };
  return { outcome: faultyOutcome(what, parsed.faults, new Map([[given, read.text]]), paint) };
}

/** JSON has no word for unknown. */
function truths({
  unless,
  when,
  require,
}: {
  readonly unless?: unknown;
  readonly when?: unknown;
  readonly require?: unknown;
}) {
  return JSON.parse(
    JSON.stringify({ unless, when, require }, (key, value) => (key === "truth" ? (value ?? "unknown") : value)),
  );
}
