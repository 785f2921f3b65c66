import { checkOptions, names } from "../../base/kernel/check-options.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/completion.ts";
import { incomplete, ok } from "./completion-result.ts";

const NAMED = 3;

/** At most three names, then an ellipsis: enough to go on with, whatever the length of the list. */
function nameSome(names: readonly string[]): string {
  return names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ", …" : "");
}

/** Done when every file exists. What cannot be looked at counts as missing. */
export class FileOutputChecker implements CompletionChecker {
  readonly #files: readonly string[];

  constructor(options: { readonly files: readonly string[] }) {
    checkOptions("FileOutputChecker", options, { files: names });
    const { files } = options;
    this.#files = [...new Set(files)];
  }

  async check({ filesystem, signal }: CompletionContext): Promise<CompletionResult> {
    const files = this.#files;
    if (files.length === 0) return ok("No files are required.");
    if (filesystem === undefined) {
      return incomplete(`Required files cannot be verified without a filesystem: ${nameSome(files)}.`);
    }
    const looks = await Promise.allSettled(files.map(async (file) => filesystem.look(file, signal)));
    const missing: string[] = [];
    const unreadable: string[] = [];
    looks.forEach((look, at) => {
      const file = files[at] ?? "";
      if (look.status === "rejected") unreadable.push(`${file} (${errorText(look.reason)})`);
      else if (!look.value.exists) missing.push(file);
    });
    if (missing.length + unreadable.length === 0) return ok(`All required files exist: ${nameSome(files)}.`);
    return incomplete(
      [
        ...(missing.length > 0 ? [`Required files are missing: ${nameSome(missing)}.`] : []),
        ...(unreadable.length > 0 ? [`Required files could not be looked at: ${nameSome(unreadable)}.`] : []),
      ].join("\n"),
    );
  }
}
