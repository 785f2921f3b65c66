import { homedir } from "node:os";
import { gatePlace, hasGate, NO_GATE_ON_WINDOWS } from "../../../../edge/host/gate/gate-place.ts";
import { launcherPath } from "../../../install/launcher/launcher-files.ts";
import type { Change } from "../../../install/plan.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import { type DiffLine, diffLines } from "../../../shared/diff-lines.ts";
import { clip, hang, plural, printableLine, quoted, wrap } from "../../../shared/printable.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { notJournaled } from "../../line/person.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import type { Binding } from "./init-world.ts";
import type { TrustStep } from "./trust-codex.ts";

const AROUND = 2;
/** The lines shown of a long hunk, without `--full`. */
const MOST = 12;

type DiffLayout = {
  readonly paint: Paint;
  readonly columns: number;
  /** The person's home, to shorten paths. */
  readonly home: string;
  /** Masked everywhere. */
  readonly secret: string;
  readonly full: boolean;
  readonly about: boolean;
};

function renderChange({ file, before, after }: Change, layout: DiffLayout): string {
  const { paint, secret } = layout;
  const [old, fresh] = [before, after].map((text) => (text ?? "").replace(/\n$/, "").replaceAll(secret, "‹token›"));
  const lines = linesOf(old ?? "", fresh ?? "");
  const [come, go] = (["new", "gone"] as const).map((kind) => lines.filter((line) => line.kind === kind).length);
  const what =
    before === undefined
      ? `new file, ${plural(come ?? 0, "line")}`
      : after === undefined
        ? "is removed"
        : `+${come} -${go} lines`;
  const head = `  ${paint("bold", shortPath(file.path, layout.home))}  ${paint("dim", what)}`;
  const about = !layout.about ? [] : wrap(file.about, layout.columns - 6).map((line) => `    ${paint("dim", line)}`);
  const shown = pieces(lines).flatMap((piece) => renderPiece(piece, layout));
  return `${[head, ...about, ...shown].join("\n")}\n`;
}

/** A new or removed file is compared with no lines at all. */
function linesOf(old: string, fresh: string): readonly DiffLine[] {
  if (old !== "" && fresh !== "") return diffLines(old, fresh);
  const [kind, text] = old === "" ? (["new", fresh] as const) : (["gone", old] as const);
  return text === "" ? [] : text.split("\n").map((line) => ({ kind, text: line }));
}

export function shortPath(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The changed lines with a little context, as hunks. */
function pieces(lines: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same"),
  );
  const found: DiffLine[][] = [];
  for (const [at, line] of lines.entries()) {
    if (near[at] !== true) continue;
    if (near[at - 1] !== true) found.push([]);
    found.at(-1)?.push(line);
  }
  return found;
}

function renderPiece(piece: readonly DiffLine[], { paint, columns, full }: DiffLayout): readonly string[] {
  const cut = !full && piece.length > MOST + 2;
  const lines = (cut ? piece.slice(0, MOST) : piece).map(({ kind, text }) => {
    const line = full ? printableLine(text) : clip(printableLine(text), columns - 8);
    if (kind === "same") return `      ${line}`.trimEnd();
    return kind === "new" ? paint("green", `    + ${line}`.trimEnd()) : paint("red", `    - ${line}`.trimEnd());
  });
  const more = cut ? [paint("dim", `      … ${plural(piece.length - MOST, "line")} more; --full shows them`)] : [];
  return [...lines, ...more];
}

type Shown = {
  readonly runtime: InstallableRuntime;
  readonly changes: readonly Change[];
  readonly secret: string;
  readonly full: boolean;
};
type ShownInstall = Shown & { readonly binding: Binding; readonly home: string };

const LABEL = 8;

export function rowsFor({ paint, columns }: Terminal): (label: string, text: string) => readonly string[] {
  return (label, text) => hang(`  ${paint("dim", label.padEnd(LABEL))}  `, text, columns);
}

export function renderPlan({ runtime, binding, ...shown }: ShownInstall, terminal: Terminal): string {
  const { paint } = terminal;
  const { settings, agent } = binding;
  const row = rowsFor(terminal);
  return [
    "",
    `  ${paint("bold", `Conduct in ${runtime.title}`)}`,
    "",
    ...row("agent", `${agent}, from ${shortPath(binding.config, homedir())}`),
    ...(binding.hasNoRules ? row("rules", noRules(binding, paint)) : []),
    ...(settings.enforcement === "shadow"
      ? row("how", "shadow mode: every call is decided and recorded, nothing is changed or blocked")
      : row("how", "enforced, as it was")),
    ...row("also", "paths outside the project and Conduct's own files are denied, whatever the rules say"),
    ...row(
      "you",
      settings.operator
        ? "operator: your messages may set lasting directives, and /elevated on lets the agent leave the project"
        : runtime.whyNoOperator === undefined
          ? "user; with --operator you can send /elevated on, which lets the agent leave the project"
          : "user; give orders with conduct behavior and conduct elevate: messages there are never the operator's",
    ),
    ...row("memory", memoryText(settings.user)),
    ...row(
      "starts",
      `${shortPath(launcherPath(shown.home), homedir())}, which keeps working if this installation moves`,
    ),
    ...row("programs", programsText(shown.home, runtime.neverGated)),
    ...(runtime.unproven === undefined ? [] : row("note", `${paint("amber", "not proven:")} ${runtime.unproven}`)),
    "",
    ...changesText({ ...shown, about: true }, terminal),
  ].join("\n");
}

export function memoryText(user: string | undefined): string {
  if (user === undefined) return "none: the account has no name; --user NAME gives it one";
  return `the agent reads and saves the instructions and notes of the user ${user}; the time is in your time zone`;
}

/** The exec gate. `why` says why the runtime's shell does not use it. */
export function programsText(home: string, why?: string, platform: NodeJS.Platform = process.platform): string {
  const without = hasGate(platform) ? why : NO_GATE_ON_WINDOWS;
  if (without !== undefined) return `${without}: what a script starts is not checked, only the command itself`;
  const bin = shortPath(gatePlace(home).bin, homedir());
  return `git, test runners and publishing tools are also checked when a script starts them: ${bin} comes first on the PATH of the agent's shell`;
}

/** An agent without rules, for example one made for the gateway. */
function noRules({ agent, config }: Pick<Binding, "agent" | "config">, paint: Paint): string {
  const add = `add rules: [packs/coding] to agents.${agent} in ${shortPath(config, homedir())}`;
  return `${paint("amber", "none:")} ${agent} has no rules, so nothing is ever blocked; ${add}`;
}

/** The same command again, with every option that was given. */
export function sameInit(
  { runtime, operator, project, agent, user, level, trust }: InitArgs,
  ...more: readonly string[]
): string {
  const flags = { operator, project, trust };
  const given = Object.entries(flags).flatMap(([name, value]) => (value === true ? [`--${name}`] : []));
  const named = Object.entries({ agent, user, level }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoted(value)],
  );
  return ["conduct init", ...(runtime === undefined ? [] : [runtime]), ...given, ...named, ...more].join(" ");
}

export function renderDone(
  { runtime, binding, changes }: ShownInstall,
  terminal: Terminal,
  after: { readonly journaled: string | undefined; readonly trusted: TrustStep | undefined },
): string {
  const { name, title, start } = runtime;
  const { paint, invocation } = terminal;
  const watched = binding.settings.enforcement === "shadow";
  const row = rowsFor(terminal);
  const conduct = (words: string) => `${invocation} ${words}`;
  return [
    "",
    // Hooks have no effect until they are trusted.
    `  ${paint("green", after.trusted?.kind === "open" ? "✓" : `✓ ${title} is ${watched ? "in shadow mode" : binding.hasNoRules ? "set up, without rules" : "enforced"}:`)} ${writtenText(changes.length)}`,
    ...(after.trusted === undefined ? [] : [after.trusted.text.trimEnd()]),
    ...notJournaled(after.journaled, paint),
    "",
    ...row("first", start),
    ...row("then", `work as usual; in another terminal: ${conduct("watch")}`),
    ...(watched
      ? row("later", `${conduct(`enforce ${name}`)} shows what would have been blocked, and enforces it`)
      : []),
    ...row("check", conduct(`doctor ${name}`)),
    ...row("undo", conduct(`init ${name} --undo`)),
    "",
    "",
  ].join("\n");
}

/** The hooks may be right already, while the settings of the runtime change. */
export function writtenText(files: number): string {
  return files === 0 ? "its files were right already" : `${plural(files, "file")} written; existing content is kept`;
}

export function renderThere(
  { title, name }: InstallableRuntime,
  binding: Binding,
  { paint, invocation }: Terminal,
  { trusted, repaired }: { readonly trusted: string | undefined; readonly repaired: boolean },
): string {
  const { settings } = binding;
  const how = settings.enforcement === "shadow" ? `in shadow mode since ${sinceText(settings.since)}` : "enforced";
  const lines = [
    "",
    `  ${paint("green", "✓")} ${title} is set up already: ${how}`,
    ...(binding.hasNoRules ? [`  ${paint("amber", "!")} rules ${noRules(binding, paint)}`] : []),
    ...(repaired ? [`  ${paint("green", "✓")} its settings now start this Conduct`] : []),
    ...(trusted === undefined ? [] : [trusted.trimEnd()]),
    `  ${paint("dim", "look:")} ${invocation} doctor ${name}`,
    "",
    "",
  ];
  return lines.join("\n");
}

export function renderUndo(shown: Shown, terminal: Terminal): string {
  const head = ["", `  ${terminal.paint("bold", `Removing Conduct from ${shown.runtime.title}`)}`, ""];
  const none = shown.changes.length === 0 ? ["  Its files no longer contain anything of Conduct.", "", ""] : [];
  return [...head, ...changesText({ ...shown, about: false }, terminal), ...none].join("\n");
}

export function renderUndone(
  { title, start }: InstallableRuntime,
  config: string,
  journaled: string | undefined,
  { paint }: Terminal,
): string {
  const lines = [
    "",
    `  ${paint("green", `✓ ${title} works without Conduct again`)}; ${start}`,
    `  ${paint("dim", `${shortPath(config, homedir())} and the journal are kept`)}`,
    ...notJournaled(journaled, paint),
    "",
    "",
  ];
  return lines.join("\n");
}

export function changesText(
  { changes, secret, full, about }: Omit<Shown, "runtime"> & { readonly about: boolean },
  { paint, columns }: Terminal,
): readonly string[] {
  const home = homedir();
  return changes.map((change) => renderChange(change, { paint, columns, home, secret, full, about }));
}

/** `2026-11-15 11:00`, in local time. */
function sinceText(since: string): string {
  const at = new Date(since);
  if (Number.isNaN(at.getTime())) return "setup";
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" }).format(at);
}
