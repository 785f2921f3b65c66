import type { Edited, SettingsFile } from "./runtime.ts";

/** What the adapters say is to be done to a plugin's file. */
type PluginChange =
  | { readonly kind: "write"; readonly text: string }
  | { readonly kind: "delete" }
  | { readonly kind: "none" }
  | { readonly kind: "refuse"; readonly why: string };

/** A file that is Conduct's as a whole: the runtime finds it by itself. */
export function pluginFile(
  path: string,
  add: (text: string | undefined) => PluginChange,
  remove: (text: string | undefined) => PluginChange,
): SettingsFile {
  const edited = (text: string | undefined, change: PluginChange): Edited => {
    switch (change.kind) {
      case "write":
        return { text: change.text };
      case "delete":
        return { text: undefined };
      case "none":
        return { text };
      case "refuse":
        return { refused: change.why, fix: `look at ${path}; nothing was changed` };
    }
  };
  return {
    path,
    about: "the plugin; it is found by itself, and nothing else is changed",
    add: (text) => edited(text, add(text)),
    remove: (text) => edited(text, remove(text)),
    faults(text) {
      const change = add(text);
      if (change.kind === "none") return [];
      if (change.kind === "refuse") return [change.why];
      return [text === undefined ? "the file is not there" : "it names another Conduct than this one"];
    },
  };
}
