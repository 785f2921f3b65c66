/** One file of an `apply_patch` patch. A move has two: what is left and what is made. */
export type PatchedFile = {
  readonly change: "add" | "update" | "delete";
  readonly path: string;
  /** The whole new text; only when the file is added. */
  readonly content?: string;
};

const HEADER = /^\s*\*\*\* (Add File|Update File|Delete File|Move to): (.*?)\s*$/;
const CHANGES = { "Add File": "add", "Update File": "update", "Delete File": "delete", "Move to": "add" } as const;

/** The files a patch names, in its order; empty when it is no patch. Generous: what looks like a header is one. */
export function patchedFiles(patch: string): readonly PatchedFile[] {
  const files: { change: PatchedFile["change"]; path: string; lines?: string[] }[] = [];
  for (const line of patch.split("\n")) {
    const [, header, path] = HEADER.exec(line) ?? [];
    if (header !== undefined && path !== undefined && path !== "") {
      const change = CHANGES[header as keyof typeof CHANGES];
      files.push({ change, path, ...(header === "Add File" ? { lines: [] } : {}) });
    } else if (line.startsWith("+")) files.at(-1)?.lines?.push(line.slice(1));
  }
  return files.map(({ change, path, lines }) => ({
    change,
    path,
    ...(lines === undefined ? {} : { content: lines.map((line) => `${line}\n`).join("") }),
  }));
}
