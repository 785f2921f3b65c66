import { type ShellAccess, shellAccess } from "../../../behavior/policy/shell/access.ts";
import { parseShellLine } from "../../../behavior/policy/shell/line.ts";
import { baseName } from "../../../behavior/policy/shell/word.ts";
import { patchedFiles } from "./patch.ts";

/** What a command line does to files in Codex, which applies a patch that stands in a heredoc itself, as an edit. */
export function codexShellAccess(command: string): ShellAccess {
  const access = shellAccess(command);
  const patched = hasPatch(command) ? patchedFiles(command) : [];
  if (patched.length === 0) return access;
  const paths = [...new Set(patched.map(({ path }) => path))].map((path) => ({ path, access: "write" as const }));
  return {
    paths: [...access.paths, ...paths],
    actions: [...new Set([...access.actions, "write_file", "edit_file"])],
    unclear: access.unclear,
    proves: access.proves,
  };
}

function hasPatch(command: string): boolean {
  if (!command.includes("*** Begin Patch")) return false;
  const { commands, parsed } = parseShellLine(command);
  return !parsed || commands.some((words) => words.some((word) => /^apply_?patch$/.test(baseName(word))));
}
