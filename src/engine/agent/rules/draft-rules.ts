import { asList, asObject } from "../../../base/kernel/json.ts";
import type { ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { Complaint, ConfigFault } from "../config/config-fault.ts";
import { ConfigSource } from "../config/config-source.ts";
import type { Placed } from "../config/merge-defaults.ts";
import { readForm, validKeys } from "../config/schema-faults.ts";
import {
  actionSchema,
  type RuleActionConfig,
  type RuleConfig,
  ruleFileSchema,
  ruleSchema,
  toolSchema,
} from "./rule-file-schema.ts";

/** The valid parts of one file and their places. */
export type RuleDraft = {
  readonly file: string;
  readonly tools: readonly Placed<ToolSpec>[];
  readonly actions: readonly (Placed<RuleActionConfig> & { readonly name: string })[];
  /** Names of all actions in the file, invalid ones too. */
  readonly written: readonly string[];
  readonly rules: readonly Placed<RuleConfig>[];
  /** Valid keys of invalid rules, enough to check ids and expressions. */
  readonly partial: readonly Placed<RuleConfig>[];
  /** The agent's own file: its actions override those of rule files. */
  readonly own: boolean;
  /** Schema faults. */
  readonly faults: readonly ConfigFault[];
  /** The text could not be parsed completely, so missing parts may only be unread. */
  readonly broken: boolean;
  locate(complaint: Complaint): ConfigFault;
};

/** Parses a rule file; `file` is its name in faults. */
export function draftRules(text: string, file: string): RuleDraft {
  const source = new ConfigSource(text, file);
  const { locate } = source;
  const read = readForm(source, { schema: ruleFileSchema });
  const nothing = { own: false, tools: [], actions: [], written: [], rules: [], partial: [] };
  if ("faults" in read) return { file, ...nothing, faults: read.faults, broken: true, locate };
  const says = asObject(source.value);
  const actions = Object.entries(asObject(says.actions));
  const empty =
    read.data !== undefined && says.actions === undefined && says.rules === undefined && says.tools === undefined;
  return {
    file,
    tools: asList(says.tools).flatMap((item, at) => sound(toolSchema.safeParse(item), ["tools", at])),
    actions: actions.flatMap(([name, action]) =>
      sound(actionSchema.safeParse(action), ["actions", name]).map((placed) => ({ ...placed, name })),
    ),
    written: actions.map(([name]) => name),
    rules: asList(says.rules).flatMap((item, at) => sound(ruleSchema.safeParse(item), ["rules", at])),
    partial: asList(says.rules).flatMap((item, at) =>
      ruleSchema.safeParse(item).success ? [] : [{ value: validKeys(ruleSchema.shape, item), path: ["rules", at] }],
    ),
    faults: [...read.complaints, ...(empty ? [EMPTY] : [])].map(locate),
    own: false,
    broken: false,
    locate,
  };
}

const EMPTY: Complaint = {
  path: [],
  message: "the file says nothing",
  hint: "begin with rules: and one rule under it: - id: NAME, on: TOOL, require: ACTION",
};

function sound<T>(
  read: { readonly success: true; readonly data: T } | { readonly success: false },
  path: Placed<T>["path"],
): readonly Placed<T>[] {
  return read.success ? [{ value: read.data, path }] : [];
}
