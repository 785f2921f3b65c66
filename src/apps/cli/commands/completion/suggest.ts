import { existsSync } from "node:fs";
import { join } from "node:path";
import { clip, oneLine } from "../../../shared/printable.ts";
import { COMMANDS } from "../../declared/command-tree.ts";
import type { ArgDef, Command, Group, Values } from "../../line/command.ts";
import { COMMON_ARGS, opened } from "../../line/command-line.ts";

export type Suggestion = { readonly value: string; readonly about: string };

/** Asks the shell for names of files. */
export const FILES = ":files";
/** Anything else could mean something to a shell that puts it on the command line. */
const PLAIN = /^[\w.:/@%+=-]+$/;
const MOST = 30;

/** Suggestions for the last word. Bash replaces only the part after the last `:` or `=`, the others the whole word. */
export async function suggest(
  given: readonly string[],
  shell: "bash" | "zsh" | "fish",
  cwd: string,
): Promise<readonly Suggestion[]> {
  const { words, done } = shell === "bash" ? glued(given) : { words: given, done: 0 };
  const word = words.at(-1) ?? "";
  const [, name, value = word] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
  const lead = name === undefined ? "" : `--${name}=`;
  const all = await offered(words.slice(0, -1), value, name, cwd);
  if (all === "file") return [{ value: FILES, about: "" }];
  return all
    .filter((one) => one.value.startsWith(value) && PLAIN.test(one.value))
    .map((one) => ({ value: `${lead}${one.value}`.slice(done), about: clip(oneLine(one.about), 70) }));
}

/** Bash splits words at `:` and `=`. `done` is the length of the last word before its last part. */
function glued(given: readonly string[]): { readonly words: readonly string[]; readonly done: number } {
  const words: string[] = [];
  let [done, isOpen] = [0, false];
  for (const part of given) {
    const isBreak = /^[:=]+$/.test(part);
    const last = words.at(-1);
    if (last !== undefined && (isBreak || isOpen)) {
      done = last.length + (isBreak ? part.length : 0);
      words[words.length - 1] = `${last}${part}`;
    } else {
      done = 0;
      words.push(part);
    }
    isOpen = isBreak;
  }
  return { words, done };
}

/** Everything that may stand at the cursor. `name` is the option of `--name=value`. */
async function offered(
  before: readonly string[],
  word: string,
  name: string | undefined,
  cwd: string,
): Promise<readonly Suggestion[] | "file"> {
  let node: Command | Group = COMMANDS;
  let [places, option]: [number, ArgDef | undefined] = [0, undefined];
  for (const one of before) {
    if (one === "--") return [];
    if (option !== undefined) option = undefined;
    else if (one.startsWith("-")) option = takesValue(node, one.slice(2)) ? argOf(node, one.slice(2)) : undefined;
    else if (!("commands" in node)) places += 1;
    else if (Object.hasOwn(node.commands, one)) node = await opened(node.commands[one] ?? node);
    else return [];
  }
  if (name !== undefined) option = argOf(node, name);
  if (option !== undefined) return valuesOf(option.values, cwd);
  if (word.startsWith("-")) return optionsOf(node);
  if ("commands" in node) return commandsOf(node);
  const args = Object.values(node.args).filter(({ type }) => type === "positional" || type === "words");
  const at = args[places] ?? args.find(({ type, values }) => type === "words" && values === "file");
  return valuesOf(at?.values, cwd);
}

function argOf(node: Command | Group, name: string): ArgDef | undefined {
  return "commands" in node || !Object.hasOwn(node.args, name) ? undefined : node.args[name];
}

function takesValue(node: Command | Group, name: string): boolean {
  return argOf(node, name)?.type === "string";
}

async function commandsOf(group: Group): Promise<readonly Suggestion[]> {
  const names = Object.keys(group.commands).filter((name) => !group.hidden?.includes(name));
  const short = Object.assign({}, ...Object.values(group.sections ?? {})) as Record<string, string>;
  const about = async (name: string) => {
    const words = Object.entries(short).find(([listed]) => listed.split(", ").includes(name))?.[1];
    const below = group.commands[name];
    return words ?? (below === undefined ? "" : (await opened(below)).description);
  };
  return Promise.all(names.map(async (value) => ({ value, about: await about(value) })));
}

function optionsOf(node: Command | Group): readonly Suggestion[] {
  const own = "commands" in node ? [] : Object.entries(node.args);
  const { pager, ...common } = COMMON_ARGS;
  return [...own, ...Object.entries(common), ["no-pager", pager] as const]
    .filter(([, { type }]) => type === "boolean" || type === "string")
    .map(([name, { description }]) => ({ value: `--${name}`, about: description }));
}

async function valuesOf(values: Values | undefined, cwd: string): Promise<readonly Suggestion[] | "file"> {
  if (values === undefined) return [];
  if (values === "file") return values;
  if (typeof values !== "string") return values.map((value) => ({ value, about: "" }));
  const { storePlace } = await import("../../../../edge/host/workspace/store-place.ts");
  const { processWorld } = await import("../../stores/with-store.ts");
  const world = processWorld();
  const place = storePlace(world.env, world.home);
  // A database on another machine could make the shell wait.
  const isHere = place.kind === "sqlite" && existsSync(place.file);
  const stored = isHere ? await storedIds(values) : [];
  return values === "agent" ? unique([...(await configuredAgents(cwd)), ...stored]) : stored;
}

async function storedIds(kind: Exclude<Values, readonly string[] | "file">): Promise<readonly Suggestion[]> {
  const { processWorld, sessionName, withStore } = await import("../../stores/with-store.ts");
  const { done } = await import("../../line/outcome.ts");
  let found: readonly Suggestion[] = [];
  const keep = (all: readonly Suggestion[]) => {
    found = all;
    return done({}, "");
  };
  if (kind === "directive" || kind === "rule") {
    const { thisMachine, withContract } = await import("../../stores/with-contract.ts");
    const { allDirectives } = await import("../../../../behavior/contract/contract-state.ts");
    await withContract(thisMachine(), "read", async ({ service }) => {
      const state = await service.state();
      if (kind === "rule") return keep([...state.rules].map(([value, { status }]) => ({ value, about: status })));
      const lines = allDirectives(state).map(({ id, type, text }) => ({
        value: String(id),
        about: `${type}: ${text}`,
      }));
      const open = [...state.candidates].map(([value]) => ({ value, about: "candidate" }));
      return keep([...lines, ...open]);
    });
    return found;
  }
  const world = processWorld();
  await withStore(
    world,
    async (store) => {
      const { events } = store;
      switch (kind) {
        case "agent":
          return keep((await events.agents()).map(({ agent }) => ({ value: agent, about: "seen" })));
        case "session":
          return keep(
            (await events.sessions({ limit: MOST })).sessions.map((one) => ({
              value: one.session,
              about: [sessionName(one), one.label ?? ""].join(" "),
            })),
          );
        case "approval": {
          const { openApprovals } = await import("../../../shared/open-approvals.ts");
          const open = await openApprovals(store, world.now());
          return keep(open.map(({ approval, question }) => ({ value: approval, about: question })));
        }
        case "decision": {
          const { showCall } = await import("../../../shared/event-words.ts");
          const page = await events.read({ objected: true, limit: MOST });
          return keep(
            page.events.flatMap(({ event }) =>
              event.type === "call" ? [{ value: event.decision.id, about: showCall(event.call) }] : [],
            ),
          );
        }
      }
    },
    () => done({}, ""),
  );
  return found;
}

async function configuredAgents(cwd: string): Promise<readonly Suggestion[]> {
  const file = join(cwd, "conduct.yaml");
  if (!existsSync(file)) return [];
  const { loadConfigFile } = await import("../../../../edge/host/opening/load-config.ts");
  const loaded = await loadConfigFile(file, file);
  if ("error" in loaded || "faults" in loaded.parsed) return [];
  return loaded.parsed.agents.map(({ name }) => ({ value: name, about: "conduct.yaml" }));
}

function unique(all: readonly Suggestion[]): readonly Suggestion[] {
  return all.filter(({ value }, at) => all.findIndex((one) => one.value === value) === at);
}
