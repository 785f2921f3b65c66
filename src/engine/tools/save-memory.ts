import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { failed, knownArgs, said } from "./tool-text.ts";
import { NO_USER, ownerOf, type UserContext } from "./user-context.ts";

const MAX_CHARS = 4_000;

/** Keeps a note about this session's user; the same text is kept once. */
export const saveMemory = {
  name: "save_memory",
  description:
    "Keeps a note for later sessions with this user: a preference, a fact, where a project stands. Call it as soon as the user tells you " +
    "to remember something. For rules on how you should work, use update_instructions.",
  access: "write",
  inputSchema: {
    type: "object",
    properties: {
      text: {
        type: "string",
        minLength: 1,
        maxLength: MAX_CHARS,
        description: "The note, to be understood without this conversation.",
      },
    },
    required: ["text"],
    additionalProperties: false,
  },
  async run(args: JsonObject, user: UserContext): Promise<ToolResult> {
    const known = knownArgs("save_memory", args, ["text"]);
    if ("fault" in known) return failed(`Nothing was kept. ${known.fault} It is always this session's user's.`);
    const text = typeof known.given.text === "string" ? known.given.text.toWellFormed().trim() : "";
    if (text === "") return failed("Nothing was kept: save_memory needs `text`, the note to keep.");
    if (text.length > MAX_CHARS) {
      return failed(
        `Nothing was kept: the note has ${text.length} characters, and one may have ${MAX_CHARS}. Say it shorter, or keep several notes.`,
      );
    }
    if (text.includes("\0")) return failed("Nothing was kept: the note has a NUL character in it; leave that out.");
    const owner = ownerOf(user);
    if (owner === undefined || user.memory === undefined) return failed(`Nothing was kept. ${NO_USER}`);
    try {
      const saved = await user.memory.save(owner, { id: user.ids.next("m"), text, at: user.now() });
      if (saved.known) return said(`This is kept already, as note ${saved.id}.`);
      user.emit({ type: "memory", note: saved.id });
      return said(`Kept as note ${saved.id}. read_memory finds it in any later session with this user.`);
    } catch {
      return failed(
        "The note could not be kept: the store failed. Try once more, and tell the user if it fails again.",
      );
    }
  },
} as const;
