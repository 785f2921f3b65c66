import type { ChangeName } from "../commands/behavior/change-request.ts";
import {
  type ArgsDef,
  type ArgsOf,
  type Command,
  command,
  flag,
  type Group,
  option,
  positional,
} from "../line/command.ts";

const viewArgs = {
  agent: option("As this agent is told"),
  channel: option("As it is told on this channel"),
  user: option("As it is told with this user"),
};
export type ViewArgs = ArgsOf<typeof viewArgs>;
const directive = {
  directive: positional('"STOP: long status reports"; from stdin where there is none'),
  text: option("The same as --text=…; with --type the text alone"),
  type: option("keep, more, less, stop or start"),
};
const scope = option("global, agent:NAME, channel:NAME or user:NAME");
const expires = option("When it ends: 7d, 12h or 2026-12-31T18:00Z");
const check = option('How to tell whether it is followed: "length: at most 120 words", "order: test before deploy"');
const id = positional("Its id, as the list has it");
const reason = option("Why, for the history");
const note = option("How, for the history");
const dryRun = { "dry-run": flag("Show the block and the difference; write nothing") };

/** The arguments of all changes; each change takes some of them. */
const changeArgs = {
  ...directive,
  ...{ id, scope, expires, check, reason, note },
  until: positional("For how long, or until when: 3d, 2026-12-31T18:00Z"),
  none: flag("It cannot be told any more"),
  ...dryRun,
};
export type ChangeArgs = ArgsOf<typeof changeArgs>;

function change(name: ChangeName, description: string, args: ArgsDef): Command {
  return command(description, { ...args, ...dryRun }, async () =>
    (await import("../commands/behavior/change.ts")).changeCommand(name),
  );
}

const behaviorShowArgs = {
  id,
  at: option("The contract at this time, as 2026-11-15T08:00Z"),
  version: option("The contract of this version"),
  hash: option("The contract with this hash, as a run's record has it"),
  ...viewArgs,
};
export type BehaviorShowArgs = ArgsOf<typeof behaviorShowArgs>;
const behaviorDiffArgs = {
  from: positional("The older version"),
  to: positional("The newer one; as it is now unless told"),
  ...viewArgs,
};
export type BehaviorDiffArgs = ArgsOf<typeof behaviorDiffArgs>;
const behaviorHistoryArgs = {
  search: option("Only what has this text in it"),
  before: option("Only what came before this version"),
  limit: option("How many (20 unless told)"),
};
export type BehaviorHistoryArgs = ArgsOf<typeof behaviorHistoryArgs>;
const behaviorStatsArgs = { since: option("How far back it is looked: 30d unless told") };
export type BehaviorStatsArgs = ArgsOf<typeof behaviorStatsArgs>;

export const BEHAVIOR: Group = {
  description: "The contract: what you want of your agents, told at every turn",
  commands: {
    add: change("add", "Say what you want from the next turn on", { ...directive, scope, expires, check }),
    list: command(
      "Show what is in force, with the block as it is told",
      viewArgs,
      async () => (await import("../commands/behavior/list.ts")).behaviorList,
    ),
    show: command(
      "Show one directive or candidate, or the contract as it was",
      behaviorShowArgs,
      async () => (await import("../commands/behavior/show.ts")).behaviorShow,
    ),
    promote: change("promote", "Put what was proposed into force, as it is or in other words", { id, ...directive }),
    reject: change("reject", "Decide against what was proposed", { id, reason }),
    edit: change("edit", "Say what was proposed in other words; it stays proposed", { id, ...directive }),
    snooze: change("snooze", "Put off what was proposed", { id, until: changeArgs.until }),
    helpful: change("helpful", "Say that a directive has helped", { id, note }),
    harmful: change("harmful", "Say that a directive does harm; where that outweighs, the review proposes to drop it", {
      id,
      note,
    }),
    check: change("check", "Declare how to tell whether a directive is followed; it is measured from then on", {
      id,
      check: positional('"length: at most 120 words", "cadence: …", "order: test before deploy", "reply: EXPRESSION"'),
      none: changeArgs.none,
    }),
    remove: change("remove", "Take a directive out of the contract", { id, reason }),
    replace: change("replace", "Put a directive in the place of another", {
      id,
      ...directive,
      scope,
      expires,
      check,
    }),
    apply: change("apply", "Check the stored contract again: expiry, repeats, conflicts, cap", {}),
    undo: change("undo", "Take the newest change back", { scope: option("The newest change in this scope") }),
    diff: command(
      "What is told more and no longer between two versions",
      behaviorDiffArgs,
      async () => (await import("../commands/behavior/diff.ts")).behaviorDiff,
    ),
    history: command(
      "What was changed, when and by whom, the newest first",
      behaviorHistoryArgs,
      async () => (await import("../commands/behavior/history.ts")).behaviorHistory,
    ),
    stats: command(
      "The contract in figures, and how far it is followed",
      behaviorStatsArgs,
      async () => (await import("../commands/behavior/stats.ts")).behaviorStats,
    ),
  },
};

const reviewRunArgs = { "dry-run": flag("Show what it would propose; write nothing") };
export type ReviewRunArgs = ArgsOf<typeof reviewRunArgs>;
const reviewListArgs = { all: flag("Those that were decided on, or ran out of time, too") };
export type ReviewListArgs = ArgsOf<typeof reviewListArgs>;
const reviewShowArgs = { id };
export type ReviewShowArgs = ArgsOf<typeof reviewShowArgs>;
const reviewDigestArgs = { file: option("Write it there instead of here") };
export type ReviewDigestArgs = ArgsOf<typeof reviewDigestArgs>;

export const REVIEW: Group = {
  description: "The daily review: what sessions suggest, for you to decide on",
  commands: {
    run: command(
      "Look at what happened since the last review; it proposes, and changes nothing that is told",
      reviewRunArgs,
      async () => (await import("../commands/review/run.ts")).reviewRun,
    ),
    list: command(
      "What waits for a decision, the surest first",
      reviewListArgs,
      async () => (await import("../commands/review/list.ts")).reviewList,
    ),
    show: command(
      "One candidate: its evidence word for word, what it would change, what became of it",
      reviewShowArgs,
      async () => (await import("../commands/review/show.ts")).reviewShow,
    ),
    digest: command(
      "All that waits, as Markdown",
      reviewDigestArgs,
      async () => (await import("../commands/review/show.ts")).reviewDigest,
    ),
  },
};

const ruleId = positional("The rule's id, as the list has it");
const ruleDryRun = { "dry-run": flag("Show what it would come to; write nothing") };
const rulesAddArgs = {
  id: positional("The candidate or directive, as the lists have it"),
  first: option("What must come first, where the words do not say it: a tool or action"),
  before: option("What may only come after it"),
  file: option("A file with one rule, instead of making one"),
  shadow: option("How long to watch before you decide (7d unless told)"),
  scope,
  yes: flag("Do not ask"),
  ...ruleDryRun,
};
export type RulesAddArgs = ArgsOf<typeof rulesAddArgs>;
const rulesChangeArgs = { id: ruleId, for: option("How long to watch: 7d"), reason, ...ruleDryRun };
export type RulesChangeArgs = ArgsOf<typeof rulesChangeArgs>;

export const RULES: Group = {
  description: "Standing rules: directives made hard, in shadow until you enforce them",
  commands: {
    list: command(
      "Show the rules, and what each has blocked or would have",
      {},
      async () => (await import("../commands/rules/list.ts")).rulesList,
    ),
    add: command(
      "Make a candidate or directive that names an order of tools a rule; the rule is shown first",
      rulesAddArgs,
      async () => (await import("../commands/rules/add.ts")).rulesAdd,
    ),
    enforce: command("Let a rule bind, from the next turn of every session", { id: ruleId, ...ruleDryRun }, async () =>
      (await import("../commands/rules/change.ts")).rulesChange("enforce-rule"),
    ),
    shadow: command(
      "Let a rule only record what it would block",
      { id: ruleId, for: rulesChangeArgs.for, ...ruleDryRun },
      async () => (await import("../commands/rules/change.ts")).rulesChange("shadow-rule"),
    ),
    remove: command("Take a rule away", { id: ruleId, reason, ...ruleDryRun }, async () =>
      (await import("../commands/rules/change.ts")).rulesChange("remove-rule"),
    ),
  },
};

const journalVerifyArgs = { head: option("A head that was kept, SEQ:HASH: is all up to it still there?") };
export type JournalVerifyArgs = ArgsOf<typeof journalVerifyArgs>;
const journalRepairArgs = {
  accept: option("Entries to take as they are now although nobody can verify them: 3,5-7 or all"),
  "dry-run": flag("Show what it would come to; write nothing"),
  yes: flag("Do not ask"),
};
export type JournalRepairArgs = ArgsOf<typeof journalRepairArgs>;
const journalExportArgs = {
  out: option("To this file (to stdout unless told)"),
  from: option("From this entry on"),
  to: option("Up to this entry"),
};
export type JournalExportArgs = ArgsOf<typeof journalExportArgs>;

export const JOURNAL: Group = {
  description: "The journal of changes: whole, saved, made into what is in use",
  commands: {
    verify: command(
      "See whether the journal is whole, and get its head to keep elsewhere",
      journalVerifyArgs,
      async () => (await import("../commands/journal/verify.ts")).journalVerify,
    ),
    repair: command(
      "Repair a damaged journal: keep what verifies, set the rest aside as evidence (asks first)",
      journalRepairArgs,
      async () => (await import("../commands/journal/repair.ts")).journalRepair,
    ),
    rebuild: command(
      "Work out anew what is made of the journals, and compare the contract",
      {},
      async () => (await import("../commands/journal/rebuild.ts")).journalRebuild,
    ),
    export: command(
      "Write the entries as JSON lines",
      journalExportArgs,
      async () => (await import("../commands/journal/export.ts")).journalExport,
    ),
  },
};
