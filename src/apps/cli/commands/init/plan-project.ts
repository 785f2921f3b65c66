import { homedir } from "node:os";
import { join } from "node:path";
import { loadConfigText } from "../../../../edge/host/opening/load-config.ts";
import { findConfig } from "../../../../edge/host/workspace/find-config.ts";
import { projectConfigPath } from "../../../../edge/host/workspace/project-config.ts";
import { withLevel } from "../../../install/pack-level.ts";
import type { Change } from "../../../install/plan.ts";
import { isUntested, type ProjectCommand, projectCommands } from "../../../install/project-commands.ts";
import { hasTestRulesOff, projectConfigText, TEST_RULES } from "../../../install/project-config-text.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import { readSettings } from "../../../install/settings-file.ts";
import { oneLine } from "../../../shared/printable.ts";
import type { Outcome } from "../../line/outcome.ts";
import { requirePerson } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import type { InitWorld } from "./init-world.ts";
import { rowsFor, shortPath } from "./render.ts";
import type { Prepared } from "./set-up.ts";

/** A runtime on this machine, and what setting it up changes; or why it is left alone. */
export type Found = { readonly runtime: InstallableRuntime } & (
  | { readonly prepared: Prepared }
  | { readonly why: string }
);

/** The configuration of the project in this folder. Its commands are the project's word, so a person confirms them. */
export type Project = {
  readonly commands: readonly ProjectCommand[];
  readonly file: string;
  /** The new file, which a person has to see; absent if the folder has its own file already. */
  readonly change?: Change;
  /** The project has no test command. `off`: its file turns the rules off that need one. */
  readonly untested?: "off" | "on";
};

/** `undefined` for a folder without known commands; a text is the reason why no valid file can be made. */
export async function planProject(
  found: readonly Found[],
  cwd: string,
  { home }: InitWorld,
  level: string | undefined,
): Promise<Project | string | undefined> {
  const commands = cwd === homedir() ? [] : projectCommands(cwd);
  const untested = isUntested(cwd);
  const { base } = findConfig({ home, folder: cwd });
  if (base?.from === "project") {
    const isOff = hasTestRulesOff((await readSettings(base.file)) ?? "");
    if (commands.length === 0 && !untested) return undefined;
    return { commands, file: base.file, untested: untested ? (isOff ? "off" : "on") : undefined };
  }
  if (commands.length === 0 && !untested) return undefined;
  const file = projectConfigPath(home, cwd);
  const agents = new Set(found.flatMap((one) => ("prepared" in one ? [one.prepared.binding.agent] : [])));
  if (agents.size === 0) return undefined;
  const common = await readSettings(join(home, "conduct.yaml"));
  const plain = projectConfigText({ folder: cwd, home, base: common, agents: [...agents], commands, untested });
  // The agents of this machine have no rule that needs tests.
  if (commands.length === 0 && !hasTestRulesOff(plain)) return undefined;
  const after = level === undefined ? plain : withLevel(plain, level);
  const { parsed } = await loadConfigText(after, file);
  if ("faults" in parsed) return `no conduct.yaml can be made for this project: ${parsed.faults[0]?.message}`;
  const about = "the rules of your agents in this folder; it is yours to edit, and undo keeps it";
  const settings = {
    path: file,
    about,
    add: () => ({ text: after }),
    remove: () => ({ text: after }),
    faults: () => [],
  };
  return {
    commands,
    file,
    change: { file: settings, before: undefined, after },
    untested: hasTestRulesOff(after) ? "off" : undefined,
  };
}

/** Only a person turns rules off that are enforced. */
export function refusedTurningOff(
  project: Project | undefined,
  found: readonly Found[],
  { person }: InitWorld,
  again: string,
): Outcome | undefined {
  const enforced = found.some((one) => "prepared" in one && one.prepared.binding.settings.enforcement === "enforce");
  if (project?.change === undefined || project.untested !== "off" || !enforced) return undefined;
  const proof = requirePerson(person, "can turn enforced rules off", `run it in your own terminal: ${again}`);
  return "ok" in proof ? proof : undefined;
}

/** The commands that the project names, for a person to check; or that it has no tests. */
export function projectRows({ commands, file, untested }: Project, terminal: Terminal): readonly string[] {
  const row = rowsFor(terminal);
  const folder = shortPath(terminal.cwd, homedir());
  const wide = Math.max(0, ...commands.map(({ command }) => command.length));
  const without = {
    off: `no test command was found in ${folder}, so commits and pushes there need no test run`,
    on: `no test command was found in ${folder}; to commit without tests, add off: [${TEST_RULES.join(", ")}] to packs/coding in ${shortPath(file, homedir())}`,
  };
  return [
    ...(commands.length === 0
      ? []
      : row("project", `${folder} says that these are its commands. Check them: Conduct takes them as proof.`)),
    ...commands.map(
      ({ kind, command, from }) =>
        `            ${kind.padEnd(5)}  ${oneLine(command).padEnd(wide)}  ${terminal.paint("dim", oneLine(from))}`,
    ),
    ...(untested === undefined ? [] : row("tests", without[untested])),
  ];
}
