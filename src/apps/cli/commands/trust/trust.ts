import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import type { ContributorContext, PromptContributor } from "../../../../base/words/prompt.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { TrustError, type TrustStore, trustStore } from "../../../../edge/host/trust/trust.ts";
import { type TrustCandidate, trustCandidates } from "../../../../edge/host/trust/trust-candidates.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { readTextFile } from "../../../../edge/host/workspace/read-text-file.ts";
import { resolvePath } from "../../../../edge/host/workspace/resolve-path.ts";
import { clip, count, oneLine, plural, quoted } from "../../../shared/printable.ts";
import type { TrustArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { askFirst, confirm, type PersonCheck, personCheck, requirePerson } from "../../line/person.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";

const FIRST_LINES = 6;
const WIDEST = 90;
/** Characters that a model reads but a person cannot see. Joiners of emoji are allowed. */
const UNSEEN = /(?![\t\n\r\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

type Usable = Extract<TrustCandidate, { readonly kind: "usable" }>;

export function summariseCandidate(one: TrustCandidate) {
  if (one.kind === "unusable") return { name: one.name, state: "unusable", problems: one.problems };
  const { name, path, state, sha256, text, contributor } = one;
  const { id, tags = [], priority = 100 } = contributor ?? {};
  return {
    name,
    path,
    state,
    sha256,
    characters: text.length,
    contributor: contributor === undefined ? undefined : { id, tags, priority },
    firstLines: firstLines(one),
    unseen: unseenIn(text),
  };
}

/** Each file with its state, its purpose and its first lines, shown before the question. */
export function renderCandidates(folder: string, candidates: readonly TrustCandidate[], paint: Paint): string {
  const blocks = candidates.map((one) => `${renderCandidate(one, paint)}\n`);
  return `\n  ${paint("bold", oneLine(folder))}\n\n${blocks.join("")}${blocks.length === 0 ? "" : "\n"}`;
}

export function renderEntries(
  folder: string,
  entries: readonly TrustedState[],
  elsewhere: number,
  paint: Paint,
): string {
  const rows = entries.map(({ path, state }) => {
    const style = state === "trusted" ? "green" : "amber";
    return `    ${paint(style, state.padEnd(7))}  ${oneLine(path)}\n`;
  });
  const also = elsewhere === 0 ? "" : `  ${plural(elsewhere, "file")} elsewhere\n`;
  const none = entries.length === 0 ? "    nothing here is trusted\n" : "";
  return `\n  ${paint("bold", oneLine(folder))}\n\n${rows.join("")}${none}${also}\n`;
}

function renderCandidate(one: TrustCandidate, paint: Paint): string {
  if (one.kind === "unusable") {
    const lines = one.problems.map(({ line, message, hint }) => {
      const why = hint === undefined ? message : `${message} (${hint})`;
      return `  ${paint("red", "✗")} ${paint("bold", oneLine(`${one.name}:${line}`))}  ${oneLine(why)}`;
    });
    return lines.join("\n");
  }
  const { name, state, text, contributor } = one;
  if (state === "trusted") return `  ${paint("green", "✓")} ${paint("bold", oneLine(name))}  trusted`;
  const mark = paint("amber", state === "new" ? "+" : "~");
  const lines = firstLines(one);
  const rest = linesOf(one).length - lines.length;
  const unseen = unseenIn(text);
  return [
    `  ${mark} ${paint("bold", oneLine(name))}  ${state} · ${plural(text.length, "character")}`,
    ...(contributor === undefined ? [] : [`      ${oneLine(contributorText(contributor))}`]),
    ...(unseen === 0 ? [] : [`      ${paint("amber", "!")} ${plural(unseen, "character")} in it are invisible`]),
    ...lines.map((line) => `      ${paint("dim", "│")} ${line}`.trimEnd()),
    ...(rest <= 0 ? [] : [`      ${paint("dim", "│")} … ${count(rest)} more ${rest === 1 ? "line" : "lines"}`]),
  ].join("\n");
}

/** `security: domain:security · priority 50` */
function contributorText({ id, tags = [], priority = 100 }: PromptContributor): string {
  const when =
    tags.length === 0 ? "every session" : tags.map(({ dimension, value }) => `${dimension}:${value}`).join(", ");
  return `${id}: ${when} · priority ${priority}`;
}

function firstLines(one: Usable): readonly string[] {
  return linesOf(one)
    .slice(0, FIRST_LINES)
    .map((line) => clip(`${" ".repeat(line.length - line.trimStart().length)}${oneLine(line)}`, WIDEST));
}

/** For a prompt file, the text for the agent; its front matter is shown as its meaning. */
function linesOf({ text, contributor }: Usable): readonly string[] {
  const told = contributor?.contribute({} as ContributorContext)?.content ?? text;
  return told
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split(/\r?\n/);
}

function unseenIn(text: string): number {
  return text.replace(/^\uFEFF/, "").match(UNSEEN)?.length ?? 0;
}

export type TrustWorld = {
  readonly home: string;
  inside(): AgentAround | undefined;
  ask(question: string): Promise<boolean | undefined>;
  readonly person: Pick<PersonCheck, "look">;
};

/** Shows the files, asks, and records the contents that were shown. */
export async function trust(
  args: TrustArgs,
  terminal: Terminal,
  world: TrustWorld = { home: conductHome(), inside: insideAgent, ask: confirm, person: personCheck },
): Promise<Outcome> {
  const { folder: given } = args;
  const folder = resolve(terminal.cwd, given);
  const store = trustStore(world.home);
  try {
    if (args.list && args.revoke) return badArgument("--list and --revoke cannot be combined", "conduct trust --help");
    if (args.list === true) return await listTrusted(store, folder, terminal);
    const around = world.inside();
    if (around !== undefined)
      return refuseAgent(around, "only a person can trust files", `conduct trust ${quoted(given)}`);
    if (args.revoke === true) return await revoke(store, folder, given, terminal);
    if (!(await isFolder(folder))) {
      const message = `there is no folder ${given}`;
      return failed("FOLDER_NOT_FOUND", message, "give the workspace's folder");
    }
    return await trustFolder(store, { folder, given, yes: args.yes === true }, terminal, world);
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    const { code, message, fix } = error;
    return failed(code, message, fix);
  }
}

async function trustFolder(
  store: TrustStore,
  { folder, given, yes }: { readonly folder: string; readonly given: string; readonly yes: boolean },
  terminal: Terminal,
  { ask, person, home }: TrustWorld,
): Promise<Outcome> {
  const { paint } = terminal;
  const candidates = await trustCandidates(folder, store);
  const wanted = candidates.filter(isWanted);
  const files = candidates.map(summariseCandidate);
  const shown = renderCandidates(folder, candidates, paint);
  const next = [{ command: `conduct trust ${quoted(given)} --list`, description: "Show what is trusted" }];
  if (wanted.length === 0) {
    const broken = candidates.filter(({ kind }) => kind === "unusable").length;
    const text = `${shown}  ${summaryOf(candidates)}\n\n`;
    if (broken === 0) return done({ folder, files, trusted: [] }, text, next);
    const message = `${plural(broken, "file")} cannot be used`;
    return failed("PROMPTS_INVALID", message, "correct these lines", { result: { folder, files }, text, next });
  }
  if (yes) {
    const fix = `run it in a terminal; a script puts its rules into ${join(home, "conduct.yaml")} instead`;
    const there = requirePerson(person, "can trust files of a repository", fix);
    if ("ok" in there) return there;
  }
  const again = `conduct trust ${quoted(given)} --yes`;
  // The files are shown before the question, so that only those are trusted.
  const question = `Trust ${plural(wanted.length, "file")}? Your agents will read ${wanted.length === 1 ? "it" : "them"}.`;
  const unconfirmed = await askFirst({ yes, shown, question }, again, { folder, files }, terminal, ask);
  if (unconfirmed !== undefined) return unconfirmed;
  await store.trust(wanted);
  const sum = `  ${paint("green", `✓ ${plural(wanted.length, "file")} trusted`)}, until ${wanted.length === 1 ? "it changes" : "they change"}\n\n`;
  return done({ folder, files, trusted: wanted.map(({ name }) => name) }, yes ? `${shown}${sum}` : `\n${sum}`, [
    ...next,
    { command: `conduct trust ${quoted(given)} --revoke`, description: "Undo it" },
  ]);
}

function isWanted(one: TrustCandidate): one is Extract<TrustCandidate, { readonly kind: "usable" }> {
  return one.kind === "usable" && one.state !== "trusted";
}

function summaryOf(candidates: readonly TrustCandidate[]): string {
  const trusted = candidates.filter((one) => one.kind === "usable").length;
  if (candidates.length === 0)
    return "there is nothing to trust: no conduct.yaml, .agents/prompts/*.md, AGENTS.md or skill";
  const rest = candidates.length - trusted;
  const also = rest === 0 ? "" : `; ${plural(rest, "file")} cannot be used`;
  return trusted === 0 ? `nothing can be trusted${also}` : `nothing is new: ${plural(trusted, "file")} trusted${also}`;
}

async function listTrusted(store: TrustStore, folder: string, { paint }: Terminal): Promise<Outcome> {
  const { entries, elsewhere } = await trustedStates(store, folder);
  return done(
    { folder, entries, elsewhere },
    renderEntries(folder, entries, elsewhere, paint),
    elsewhere === 0 ? [] : [{ command: "conduct trust / --list", description: "Show all of them" }],
  );
}

async function revoke(store: TrustStore, folder: string, given: string, { paint }: Terminal): Promise<Outcome> {
  const revoked = await store.revoke(folder);
  const lines = revoked.map((path) => `  - ${path}\n`).join("");
  const sum =
    revoked.length === 0 ? "nothing in it was trusted" : `${plural(revoked.length, "file")} no longer trusted`;
  return done({ folder, revoked }, `\n${lines}  ${paint("green", `✓ ${sum}`)}\n\n`, [
    { command: `conduct trust ${quoted(given)}`, description: "Review and trust them again" },
  ]);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

export type TrustedState = {
  readonly path: string;
  readonly at: string;
  readonly state: "trusted" | "changed" | "gone";
};

/** The trusted files at or below a folder, and the number of others. */
export async function trustedStates(
  store: TrustStore,
  folder: string,
): Promise<{ readonly entries: readonly TrustedState[]; readonly elsewhere: number }> {
  const all = await store.list();
  const real = await resolvePath(folder);
  const below = real.endsWith("/") ? real : `${real}/`;
  const here = all.filter(({ path }) => path === real || path.startsWith(below));
  const entries: TrustedState[] = [];
  for (const { path, at, sha256: trusted } of here) {
    const read = await readTextFile(path, path, "TEXT");
    const state = "error" in read ? "gone" : sha256(read.text) === trusted ? "trusted" : "changed";
    entries.push({ path, at, state });
  }
  return { entries, elsewhere: all.length - here.length };
}
