import { homedir } from "node:os";
import { join } from "node:path";
import { launcherPath } from "../../../install/launcher/launcher-files.ts";
import type { Change } from "../../../install/plan.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import type { Style } from "../../line/paint.ts";
import { plural, wrap } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import type { Binding } from "./binding.ts";
import { renderChange, shortPath } from "./diff.ts";
import type { TrustStep } from "./trust.ts";

type Shown = {
  readonly runtime: InstallableRuntime;
  readonly changes: readonly Change[];
  readonly secret: string;
  readonly full: boolean;
};
type ShownInstall = Shown & { readonly binding: Binding; readonly home: string };

const LABEL = 8;

/** A label and its text, on as many lines as the terminal needs. */
function rowsFor({ paint, columns }: Terminal): (label: string, text: string, style?: Style) => readonly string[] {
  return (label, text, style) =>
    wrap(text, columns - LABEL - 4).map((line, at) => {
      const shown = style === undefined ? line : paint(style, line);
      return `  ${paint("dim", (at === 0 ? label : "").padEnd(LABEL))}  ${shown}`;
    });
}

/** What would be done, before anybody is asked. */
export function renderPlan({ runtime, binding, ...shown }: ShownInstall, terminal: Terminal): string {
  const { paint } = terminal;
  const { settings, agent } = binding;
  const row = rowsFor(terminal);
  return [
    "",
    `  ${paint("bold", `Conduct in ${runtime.title}`)}`,
    "",
    ...row("agent", `${agent}, as ${shortPath(join(shown.home, "conduct.yaml"), homedir())} has it`),
    ...(settings.enforcement === "shadow"
      ? row("how", "watched only: everything is decided and recorded, nothing is changed or blocked")
      : row("how", "enforced, as it was set up before", "bold")),
    ...row(
      "you",
      settings.operator
        ? "an operator: your messages may direct the agent for good"
        : "a user (--operator makes whoever types there an operator)",
    ),
    ...row(
      "starts",
      `${shortPath(launcherPath(shown.home), homedir())}, which still answers when this Conduct is moved`,
    ),
    "",
    ...changesText({ ...shown, about: true }, terminal),
  ].join("\n");
}

/** What has been done, and what to do now. */
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
    // What is written binds nobody before it is trusted.
    `  ${paint("green", after.trusted?.kind === "open" ? "✓" : `✓ ${title} is ${watched ? "watched" : "bound"}:`)} ${plural(changes.length, "file")} written, what was there is kept`,
    ...(after.trusted === undefined ? [] : [after.trusted.text.trimEnd()]),
    ...(after.journaled === undefined ? [] : [`  ${paint("red", "not in the journal:")} ${after.journaled}`]),
    "",
    ...row("first", start),
    ...row("then", `work as ever; in another terminal: ${conduct("watch")}`),
    ...(watched
      ? row("later", `${conduct(`enforce ${name}`)} shows what would have been blocked, and turns it on`)
      : []),
    ...row("check", conduct(`doctor ${name}`)),
    ...row("undo", conduct(`init ${name} --undo`)),
    "",
    "",
  ].join("\n");
}

/** Nothing had to be changed. */
export function renderThere(
  { title, name }: InstallableRuntime,
  { settings }: Binding,
  { paint, invocation }: Terminal,
  { trusted, repaired }: { readonly trusted: string | undefined; readonly repaired: boolean },
): string {
  const how = settings.enforcement === "shadow" ? `watched since ${sinceText(settings.since)}` : "enforced";
  const lines = [
    "",
    `  ${paint("green", "✓")} ${title} is set up already: ${how}`,
    ...(repaired ? [`  ${paint("green", "✓")} its settings start this Conduct now`] : []),
    ...(trusted === undefined ? [] : [trusted.trimEnd()]),
    `  ${paint("dim", "look:")} ${invocation} doctor ${name}`,
    "",
    "",
  ];
  return lines.join("\n");
}

/** What taking it back would change. */
export function renderUndo(shown: Shown, terminal: Terminal): string {
  const head = ["", `  ${terminal.paint("bold", `Taking Conduct out of ${shown.runtime.title}`)}`, ""];
  const none = shown.changes.length === 0 ? ["  Its files have nothing of Conduct's in them any more.", "", ""] : [];
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
    `  ${paint("dim", `${shortPath(config, homedir())} and the journal stay`)}`,
    ...(journaled === undefined ? [] : [`  ${paint("red", "not in the journal:")} ${journaled}`]),
    "",
    "",
  ];
  return lines.join("\n");
}

function changesText(
  { changes, secret, full, about }: Omit<Shown, "runtime"> & { readonly about: boolean },
  { paint, columns }: Terminal,
): readonly string[] {
  const home = homedir();
  return changes.map((change) => renderChange(change, { paint, columns, home, secret, full, about }));
}

/** `2026-11-15 11:00`, as the clock on the wall has it. */
function sinceText(since: string): string {
  const at = new Date(since);
  if (Number.isNaN(at.getTime())) return "it was set up";
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" }).format(at);
}
