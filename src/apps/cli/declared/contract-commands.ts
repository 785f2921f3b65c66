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
  valued,
  web,
} from "../line/command.ts";

const show = () => import("../commands/behavior/show.ts");
const history = () => import("../commands/behavior/history.ts");
const stats = () => import("../commands/behavior/stats.ts");
const reviewList = () => import("../commands/review/list.ts");
const review = () => import("../commands/review/show.ts");
const reviewRun = () => import("../commands/review/run.ts");
const rulesList = () => import("../commands/rules/list.ts");
const rules = () => import("../commands/rules/rules.ts");
const journal = () => import("../commands/journal/journal.ts");
const repair = () => import("../commands/journal/repair.ts");

const viewArgs = {
  agent: valued("agent", option("Show the contract of this agent")),
  channel: option("Show the contract on this channel"),
  user: option("Show the contract for this user"),
  ...web,
};
export type ViewArgs = ArgsOf<typeof viewArgs>;
const directive = {
  directive: positional('The directive, such as "STOP: long status reports"; read from stdin if missing'),
  text: option("Same as the argument; with --type, the text alone"),
  type: valued(["keep", "more", "less", "stop", "start"], option("keep, more, less, stop or start")),
};
const scope = valued(
  ["global", "agent:", "channel:", "user:"],
  option("global, agent:NAME, channel:NAME or user:NAME"),
);
const expires = option("When it expires: 7d, 12h or 2026-12-31T18:00Z");
const check = option('How to measure it: "length: at most 120 words", "order: test before deploy"');
const id = valued("directive", positional("The id, from the list"));
const reason = option("The reason, for the history");
const note = option("What happened, for the history");
const dryRun = { "dry-run": flag("Show the result without writing anything") };

/** The arguments of all changes; each change takes some of them. */
const changeArgs = {
  ...directive,
  ...{ id, scope, expires, check, reason, note },
  until: positional("A duration or a time: 3d, 2026-12-31T18:00Z"),
  none: flag("Remove the check"),
  ...dryRun,
};
export type ChangeArgs = ArgsOf<typeof changeArgs>;

function change(name: ChangeName, description: string, args: ArgsDef, example: string): Command {
  const load = async () => (await import("../commands/behavior/change.ts")).changeCommand(name);
  return { description, args: { ...args, ...dryRun }, example, load };
}

const showArgs = {
  id,
  at: option("The contract at this time, such as 2026-11-15T08:00Z"),
  version: option("The contract of this version"),
  hash: option("The contract with this hash, from the record of a run"),
  ...viewArgs,
};
export type BehaviorShowArgs = ArgsOf<typeof showArgs>;
const diffArgs = {
  from: positional("The older version"),
  to: positional("The newer version (default: the current one)"),
  ...viewArgs,
};
export type BehaviorDiffArgs = ArgsOf<typeof diffArgs>;
const historyArgs = {
  search: option("Only changes that contain this text"),
  before: option("Only changes before this version"),
  limit: option("How many changes to show (default: 20)"),
};
export type BehaviorHistoryArgs = ArgsOf<typeof historyArgs>;
const statsArgs = { since: option("How far back to look, in whole days of UTC (default: 30d)") };
export type BehaviorStatsArgs = ArgsOf<typeof statsArgs>;

export const BEHAVIOR: Group = {
  description: "The contract: standing directives that your agents read at every turn",
  commands: {
    add: change(
      "add",
      "Add a directive, from the next turn on",
      { ...directive, scope, expires, check },
      'behavior add "STOP: long status reports"',
    ),
    list: command(
      "Show the directives in force, and the block that agents read",
      viewArgs,
      show,
      "behaviorList",
      "behavior list --agent assistant",
    ),
    show: command(
      "Show a directive, a candidate, or the contract as it was",
      showArgs,
      show,
      "behaviorShow",
      "behavior show d_03",
    ),
    promote: change(
      "promote",
      "Accept a candidate, as it is or reworded",
      { id, ...directive },
      "behavior promote c_07",
    ),
    reject: change("reject", "Reject a candidate", { id, reason }, 'behavior reject c_07 --reason "was a one-off"'),
    edit: change(
      "edit",
      "Reword a candidate; it stays a candidate",
      { id, ...directive },
      'behavior edit c_07 "LESS: status reports"',
    ),
    snooze: change("snooze", "Decide on a candidate later", { id, until: changeArgs.until }, "behavior snooze c_07 3d"),
    helpful: change("helpful", "Record that a directive helped", { id, note }, "behavior helpful d_03"),
    harmful: change(
      "harmful",
      "Record that a directive did harm; the review may propose to drop it",
      { id, note },
      'behavior harmful d_03 --note "hid a failure"',
    ),
    check: change(
      "check",
      "Set how to measure whether a directive is followed",
      {
        id,
        check: positional(
          '"length: at most 120 words", "cadence: …", "order: test before deploy", "reply: EXPRESSION"',
        ),
        none: changeArgs.none,
      },
      'behavior check d_03 "length: at most 120 words"',
    ),
    remove: change("remove", "Remove a directive from the contract", { id, reason }, "behavior remove d_03"),
    replace: change(
      "replace",
      "Replace a directive with another",
      { id, ...directive, scope, expires, check },
      'behavior replace d_03 "STOP: status handoffs"',
    ),
    apply: change(
      "apply",
      "Check the stored contract again: expiry, duplicates, conflicts, limits",
      {},
      "behavior apply --dry-run",
    ),
    undo: change(
      "undo",
      "Undo the newest change",
      { scope: option("The newest change in this scope") },
      "behavior undo",
    ),
    diff: command(
      "Show what was added and removed between two versions",
      diffArgs,
      history,
      "behaviorDiff",
      "behavior diff 6 7",
    ),
    history: command(
      "Show what changed, when and by whom, newest first",
      historyArgs,
      history,
      "behaviorHistory",
      "behavior history --limit 5",
    ),
    stats: command(
      "Show figures on the contract, and how well it is followed",
      statsArgs,
      stats,
      "behaviorStats",
      "behavior stats --since 7d",
    ),
  },
};

const runArgs = { "dry-run": flag("Show the proposals without writing anything") };
export type ReviewRunArgs = ArgsOf<typeof runArgs>;
const listArgs = { all: flag("Include candidates that were decided on or have expired"), ...web };
export type ReviewListArgs = ArgsOf<typeof listArgs>;
const candidateArgs = { id, ...web };
export type ReviewShowArgs = ArgsOf<typeof candidateArgs>;
const digestArgs = { file: valued("file", option("Write it to this file instead of stdout")) };
export type ReviewDigestArgs = ArgsOf<typeof digestArgs>;

export const REVIEW: Group = {
  description: "The daily review: directives that your sessions suggest, for you to decide on",
  commands: {
    run: command(
      "Review what happened since the last time; it only proposes",
      runArgs,
      reviewRun,
      "reviewRun",
      "review run --dry-run",
    ),
    list: command(
      "Show the candidates that wait for a decision",
      listArgs,
      reviewList,
      "reviewList",
      "review list --all",
    ),
    show: command(
      "Show a candidate: evidence, effect and history",
      candidateArgs,
      review,
      "reviewShow",
      "review show c_07",
    ),
    digest: command(
      "Print everything that waits for a decision, as Markdown",
      digestArgs,
      review,
      "reviewDigest",
      "review digest --file digest.md",
    ),
  },
};

const rulesListArgs = { full: flag("Every rule, with its effect and why it exists"), ...web };
export type RulesListArgs = ArgsOf<typeof rulesListArgs>;
const ruleId = valued("rule", positional("The rule's id, from the list"));
const addArgs = {
  id: valued("directive", positional("The id of the candidate or directive")),
  first: option("The tool or action that must come first, if the text does not name it"),
  before: option("The tool or action that may only come after it"),
  file: valued("file", option("A file with one rule, instead of generating one")),
  shadow: option("How long to keep the rule in shadow mode (default: 7d)"),
  scope,
  yes: flag("Do not ask"),
  ...dryRun,
};
export type RulesAddArgs = ArgsOf<typeof addArgs>;
const shadowArgs = { id: ruleId, for: option("How long: 7d"), ...dryRun };
const removeArgs = { id: ruleId, reason, ...dryRun };
export type RulesChangeArgs = ArgsOf<typeof shadowArgs & typeof removeArgs>;

export const RULES: Group = {
  description: "Shared rules: directives turned into rules, in shadow mode until you enforce them",
  commands: {
    list: command(
      "Show the rules in force here and the shared rules, with what each blocked",
      rulesListArgs,
      rulesList,
      "rulesList",
      "rules list --full",
    ),
    add: command(
      "Turn a directive or candidate about the order of tools into a rule",
      addArgs,
      rules,
      "rulesAdd",
      "rules add d_03 --first test --before deploy",
    ),
    enforce: command(
      "Enforce a rule, from the next turn on",
      { id: ruleId, ...dryRun },
      rules,
      "rulesEnforce",
      "rules enforce deploy-needs-proof",
    ),
    shadow: command(
      "Put a rule back into shadow mode: it only records",
      shadowArgs,
      rules,
      "rulesShadow",
      "rules shadow deploy-needs-proof --for 7d",
    ),
    remove: command("Remove a rule", removeArgs, rules, "rulesRemove", "rules remove deploy-needs-proof"),
  },
};

const verifyArgs = { head: option("A head that you stored, SEQ:HASH: check that nothing before it is missing") };
export type JournalVerifyArgs = ArgsOf<typeof verifyArgs>;
const repairArgs = {
  accept: option("Unverified entries to accept as they are: 3,5-7 or all"),
  ...dryRun,
  yes: flag("Do not ask"),
};
export type JournalRepairArgs = ArgsOf<typeof repairArgs>;
const exportArgs = {
  out: valued("file", option("Write to this file (default: stdout)")),
  from: option("The first entry"),
  to: option("The last entry"),
};
export type JournalExportArgs = ArgsOf<typeof exportArgs>;

export const JOURNAL: Group = {
  description: "The governance journal: verify, repair, rebuild, export",
  commands: {
    verify: command(
      "Verify the journal, and print its head to store elsewhere",
      verifyArgs,
      journal,
      "journalVerify",
      "journal verify",
    ),
    repair: command(
      "Repair a damaged journal; asks first",
      repairArgs,
      repair,
      "journalRepair",
      "journal repair --dry-run",
    ),
    rebuild: command(
      "Rebuild the indexes, and compare the contract with the journal",
      {},
      journal,
      "journalRebuild",
      "journal rebuild",
    ),
    export: command(
      "Write the entries as JSON lines",
      exportArgs,
      journal,
      "journalExport",
      "journal export --out journal.jsonl",
    ),
  },
};
