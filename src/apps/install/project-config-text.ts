import { resolve } from "node:path";
import { type Document, isMap, isScalar, isSeq, parseDocument, visit } from "yaml";
import { asList } from "../../base/kernel/json.ts";
import { lineEffects } from "../../behavior/commands/line-effects.ts";
import { oneLine } from "../shared/printable.ts";
import { type CommandKind, type ProjectCommand, testCommand } from "./project-commands.ts";
import { readSettings } from "./settings-file.ts";

type ProjectConfig = {
  readonly folder: string;
  readonly home: string;
  /** The text of `CONDUCT_HOME/conduct.yaml`, whose agents stay in force in this folder; `undefined` if there is none. */
  readonly base: string | undefined;
  /** The agents that play in the runtimes of this machine. */
  readonly agents: readonly string[];
  readonly commands: readonly ProjectCommand[];
  /** No test can be run here, so nothing may depend on one. */
  readonly untested: boolean;
};

const BASE = "agents:\n  coding:\n    rules:\n      - packs/coding\n";

/** The conduct.yaml of one project: the agents of this machine, with the project's commands as actions. */
export function projectConfigText({ folder, home, base, agents, commands, untested }: ProjectConfig): string {
  const document = parseDocument(base ?? BASE);
  // Paths in the file would otherwise be read relative to its new folder.
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && /^\.\.?\//.test(node.value)) node.value = resolve(home, node.value);
    },
  });
  for (const agent of agents) {
    addCommands(document, agent, commands);
    if (untested) turnTestRulesOff(document, agent);
  }
  const head = [
    `# The rules of coding agents in ${oneLine(folder)}, used there instead of CONDUCT_HOME/conduct.yaml.`,
    base === undefined
      ? "# How strict: write { pack: packs/coding, level: gentle }, with gentle (only warns), standard or strict."
      : "# It began as a copy of that file. Later changes there have no effect here.",
    "# Written by `conduct init`. It is yours to edit: changes count from the next call on.",
    "",
  ].join("\n");
  return `${head}${document.toString({ lineWidth: 0 })}`;
}

/** The effects that prove each kind of command. */
const EFFECTS: { readonly [kind in CommandKind]: string } = {
  test: "tests.run",
  build: "builds.run",
  lint: "lints.run",
  types: "types.check",
};

function addCommands(document: Document, agent: string, commands: readonly ProjectCommand[]): void {
  const at = ["agents", agent];
  const flow = (value: unknown) => document.createNode(value, { flow: true });
  if (!isMap(document.getIn(at))) document.setIn(at, document.createNode({}));
  for (const { kind, command, from } of commands) {
    if (lineEffects(command).some(({ name, proven }) => proven && name === EFFECTS[kind])) continue;
    if (!isMap(document.getIn([...at, "actions"]))) document.setIn([...at, "actions"], document.createNode({}));
    const name = document.createNode(`project-${kind}`);
    name.commentBefore = ` from ${oneLine(from)}`;
    const actions = document.getIn([...at, "actions"]);
    const action = flow({ tool: "shell", command: `${command} *`, implies: [EFFECTS[kind]] });
    if (isMap(actions)) actions.set(name, action);
  }
  const checks = commands.filter(({ kind }) => kind === "lint" || kind === "types");
  if (checks.length === 0 || codingPacks(document, agent).length === 0) return;
  // Like the pack's own rule on tests: checked after the last change.
  const all = checks.map(({ kind }) => flow({ call: EFFECTS[kind], since: "workspace.change" }));
  const say = `Run ${checks.map(({ command }) => command).join(" and ")} after your last change. Commit or push once ${checks.length === 1 ? "it succeeds" : "both succeed"}.`;
  const rule = { id: "commit-needs-checks", on: flow(["git.commit", "git.push"]), require: { all }, say };
  document.addIn([...at, "rules"], document.createNode(rule));
}

/** Rules of the coding pack that a project without tests can never satisfy. */
export const TEST_RULES = ["commit-needs-tests", "push-needs-tests"];
const NO_TESTS = "No test command was found in this folder, so commits and pushes need no test run.";

function turnTestRulesOff(document: Document, agent: string): void {
  for (const { items, at } of codingPacks(document, agent)) {
    const rule = items[at];
    const entry = isMap(rule) ? rule : document.createNode({ pack: "packs/coding" }, { flow: true });
    const off = asList(isMap(rule) ? rule.toJSON().off : []);
    entry.set("off", document.createNode([...new Set([...off, ...TEST_RULES])], { flow: true }));
    entry.commentBefore = ` ${NO_TESTS}\n Once there are tests, delete these two rules from \`off\`.`;
    items[at] = entry;
  }
}

/** The entries of the agent's rules that name the coding pack. */
function codingPacks(document: Document, agent: string): readonly { readonly items: unknown[]; readonly at: number }[] {
  const rules = document.getIn(["agents", agent, "rules"]);
  if (!isSeq(rules)) return [];
  const { items } = rules;
  return items.flatMap((rule, at) => {
    const pack = isScalar(rule) ? rule.value : isMap(rule) ? rule.get("pack") : undefined;
    return pack === "packs/coding" ? [{ items, at }] : [];
  });
}

/** Are the rules that need tests off in this file? */
export function hasTestRulesOff(text: string): boolean {
  return TEST_RULES.some((id) => new RegExp(`^[^#\\n]*\\b${id}\\b`, "m").test(text));
}

/** Tells a person that the rules which `init` turned off can be satisfied now; `undefined` if there is nothing to tell. */
export async function testsAppeared(file: string, folder: string): Promise<string | undefined> {
  const text = (await readSettings(file)) ?? "";
  const found = text.includes(NO_TESTS) && hasTestRulesOff(text) ? testCommand(folder) : undefined;
  if (found === undefined) return undefined;
  return `this project has tests now (${oneLine(found.command)}, from ${oneLine(found.from)}), but ${TEST_RULES.join(" and ")} are off`;
}
