import { resolve } from "node:path";
import { type Document, isMap, isScalar, isSeq, parseDocument, visit } from "yaml";
import { lineEffects } from "../../behavior/commands/line-effects.ts";
import { oneLine } from "../shared/printable.ts";
import type { CommandKind, ProjectCommand } from "./project-commands.ts";

type ProjectConfig = {
  readonly folder: string;
  readonly home: string;
  /** The text of `CONDUCT_HOME/conduct.yaml`, whose agents stay in force in this folder; `undefined` if there is none. */
  readonly base: string | undefined;
  /** The agents that play in the runtimes of this machine. */
  readonly agents: readonly string[];
  readonly commands: readonly ProjectCommand[];
};

const BASE = "agents:\n  coding:\n    rules:\n      - packs/coding\n";

/** The conduct.yaml of one project: the agents of this machine, with the project's commands as actions. */
export function projectConfigText({ folder, home, base, agents, commands }: ProjectConfig): string {
  const document = parseDocument(base ?? BASE);
  // Paths in the file would otherwise be read relative to its new folder.
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && /^\.\.?\//.test(node.value)) node.value = resolve(home, node.value);
    },
  });
  for (const agent of agents) addCommands(document, agent, commands);
  const head = [
    `# The rules of coding agents in ${oneLine(folder)}, used there instead of CONDUCT_HOME/conduct.yaml.`,
    ...(base === undefined ? [] : ["# It began as a copy of that file. Later changes there have no effect here."]),
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
  const rules = document.getIn([...at, "rules"]);
  if (
    checks.length === 0 ||
    !isSeq(rules) ||
    !rules.items.some((rule) => (isScalar(rule) ? rule.value : isMap(rule) ? rule.get("pack") : "") === "packs/coding")
  ) {
    return;
  }
  // Like the pack's own rule on tests: checked after the last change.
  const all = checks.map(({ kind }) => flow({ call: EFFECTS[kind], since: "workspace.change" }));
  const say = `Run ${checks.map(({ command }) => command).join(" and ")} after your last change. Commit or push once ${checks.length === 1 ? "it succeeds" : "both succeed"}.`;
  const rule = { id: "commit-needs-checks", on: flow(["git.commit", "git.push"]), require: { all }, say };
  document.addIn([...at, "rules"], document.createNode(rule));
}
