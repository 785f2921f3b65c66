import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";

/** One file of an `apply_patch` patch. A move has two: the old path and the new one. */
type PatchedFile = {
  readonly change: "add" | "update" | "delete";
  readonly path: string;
  /** The whole new text; only for an added file. */
  readonly content?: string;
};

const HEADER = /^\s*\*\*\* (Add File|Update File|Delete File|Move to): (.*?)\s*$/;
const CHANGES = { "Add File": "add", "Update File": "update", "Delete File": "delete", "Move to": "add" } as const;

/** The files in a patch, in order; empty if it is no patch. Anything that looks like a header counts as one. */
export function patchedFiles(patch: string): readonly PatchedFile[] {
  const files: { change: PatchedFile["change"]; path: string; lines?: string[] }[] = [];
  for (const line of patch.split("\n")) {
    const [, header, path] = HEADER.exec(line) ?? [];
    if (header !== undefined && path !== undefined && path !== "") {
      const lines = header === "Add File" ? [] : undefined;
      files.push({ change: CHANGES[header as keyof typeof CHANGES], path, lines });
    } else if (line.startsWith("+")) files.at(-1)?.lines?.push(line.slice(1));
  }
  return files.map(({ lines, ...file }) => ({ ...file, content: lines?.map((line) => `${line}\n`).join("") }));
}

/** A patch in Conduct's vocabulary. `name` gives the path that rules see, `locate` the file that is written. */
export function mapPatch(
  patch: string,
  { name = (path) => path, locate }: { name?: (path: string) => string; locate(path: string): string },
): Pick<CallInput, "tool" | "args" | "paths" | "actions" | "proves"> {
  const files = patchedFiles(patch);
  const [first] = files;
  const added = files.length > 0 && files.every(({ change }) => change === "add");
  const also = !added && files.some(({ change }) => change === "add") ? ["write_file"] : [];
  const content: JsonObject = added && files.length === 1 ? { content: first?.content ?? "" } : { patch };
  return {
    tool: added ? "write_file" : "edit_file",
    args: first === undefined ? content : { path: name(first.path), ...content },
    paths: [...new Set(files.map(({ path }) => locate(path)))].map((path) => ({ path, access: "write" })),
    actions: also,
    proves: also,
  };
}
