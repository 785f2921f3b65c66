/** A file that a conduct.yaml names, or why there is none. `file` is what faults call it, `path` where it is. */
export type NamedFile =
  | { readonly file: string; readonly text: string; readonly path?: string }
  | { readonly message: string; readonly hint: string };

/** By the name that stands in conduct.yaml. */
export type NamedFiles = ReadonlyMap<string, NamedFile>;

/** What a conduct.yaml names: rule files and packs, and the files that hold its texts. */
export type ConfigFiles = { readonly rules?: NamedFiles; readonly texts?: NamedFiles };

/** Is a text the path of one: `./soul.md`, `../x`, `/x` or `soul.md`? What has a line break in it, as a `|` block has, is not. */
export function isFileName(text: string): boolean {
  return !/[\n\r]/.test(text) && /^\.{0,2}\/|^\S+\.md$/i.test(text);
}

/** The file that describes a skill, of a folder or of itself. */
export function skillFile(reference: string): string {
  return /(^|\/)SKILL\.md$/.test(reference) ? reference : `${reference.replace(/\/+$/, "")}/SKILL.md`;
}
