import type { Agent } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { CHECKPOINT_INPUT, CHECKPOINTS, checkpointResult } from "./checkpoint.ts";
import { readMemory } from "./read-memory.ts";
import { type ReadResultContext, readResult } from "./read-result.ts";
import { failed, knownArgs, NO_USER, ownerOf, succeeded, type UserContext } from "./tool-run.ts";
import { updateInstructions } from "./update-instructions.ts";

const MAX_CHARS = 4_000;

/** Saves a note about this session's user; equal texts are saved once. */
export const saveMemory = {
  name: "save_memory",
  description:
    "Saves a note for later sessions with this user: a preference, a fact, the state of a project. Call it as soon as the user tells you " +
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
    if ("fault" in known)
      return failed(`Nothing was saved. ${known.fault} Notes always belong to this session's user.`);
    const text = typeof known.given.text === "string" ? known.given.text.toWellFormed().trim() : "";
    if (text === "") return failed("Nothing was saved: save_memory needs `text`, the note to save.");
    if (text.length > MAX_CHARS) {
      return failed(
        `Nothing was saved: the note has ${text.length} characters; the limit is ${MAX_CHARS}. Shorten it, or save several notes.`,
      );
    }
    if (text.includes("\0")) return failed("Nothing was saved: the note contains a NUL character; remove it.");
    const owner = ownerOf(user);
    if (owner === undefined || user.memory === undefined) return failed(`Nothing was saved. ${NO_USER}`);
    try {
      const saved = await user.memory.save(owner, { id: user.ids.next("m"), text, at: user.now() });
      if (saved.known) return succeeded(`This is already saved as note ${saved.id}.`);
      user.emit({ type: "memory", note: saved.id });
      return succeeded(`Saved as note ${saved.id}. read_memory finds it in any later session with this user.`);
    } catch {
      return failed(
        "The note could not be saved: the store failed. Try once more, and tell the user if it fails again.",
      );
    }
  },
} as const;

/** A tool as a runtime has to declare it to the model. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Whether it changes anything that outlasts the call. */
  readonly access: "read" | "write";
};

/** A tool that Conduct gives an agent; an adapter hosts it as its runtime hosts tools. */
export type ConductTool = ToolDeclaration & {
  /** Never rejects: a failure is a failed result. */
  run(args: JsonObject): Promise<ToolResult>;
};

type Run = (args: JsonObject) => Promise<ToolResult>;

/** Every tool that Conduct may give, the same for every agent. */
export const CONDUCT_TOOLS: readonly ToolDeclaration[] = [
  declare(readResult),
  ...CHECKPOINTS.map((checkpoint) => declare({ ...checkpoint, inputSchema: CHECKPOINT_INPUT, access: "read" })),
  ...[updateInstructions, readMemory, saveMemory].map(declare),
];

/** Tool names that every adapter uses for a runtime's own tools. */
export const VOCABULARY = [
  "read_file",
  "write_file",
  "edit_file",
  "shell",
  "search",
  "fetch",
  "web_search",
  "task",
  ...CONDUCT_TOOLS.map(({ name }) => name),
] as const;

/**
 * The tools of one session. What they work with is asked at each call, because agent, budget and window change. Those of
 * a user are given where there is one, and a store for them.
 */
export function conductTools(
  agent: () => Agent,
  context: () => Promise<ReadResultContext>,
  user?: () => UserContext,
): readonly ConductTool[] {
  const runs = new Map<string, Run>([[readResult.name, async (args) => readResult.run(args, await context())]]);
  for (const checkpoint of CHECKPOINTS) {
    runs.set(checkpoint.name, async () => checkpointResult(checkpoint, agent()));
  }
  for (const [name, run] of user === undefined ? [] : userRuns(user, context)) runs.set(name, run);
  const hasNotes = user?.().memory !== undefined;
  return CONDUCT_TOOLS.flatMap((tool) => {
    const run = runs.get(tool.name);
    if (run === undefined) return [];
    return [{ ...tool, ...(tool.name === readMemory.name && !hasNotes ? INSTRUCTIONS_ONLY : {}), run }];
  });
}

/** With `memory: off`, the tool stays: without the ids it shows, instructions could not be changed safely. */
const INSTRUCTIONS_ONLY = {
  description:
    "Reads all standing instructions of this user with their ids. There are no notes. Call it before you replace instructions.",
  inputSchema: {
    type: "object",
    properties: { after: readMemory.inputSchema.properties.after },
    additionalProperties: false,
  },
} as const;

function userRuns(user: () => UserContext, context: () => Promise<ReadResultContext>): readonly [string, Run][] {
  const now = user();
  if (ownerOf(now) === undefined) return [];
  const { instructions, memory } = now;
  const runs: [string, Run][] = [];
  if (instructions !== undefined) runs.push([updateInstructions.name, (args) => updateInstructions.run(args, user())]);
  if (memory !== undefined) runs.push([saveMemory.name, (args) => saveMemory.run(args, user())]);
  if (runs.length > 0) runs.push([readMemory.name, async (args) => readMemory.run(args, user(), await context())]);
  return runs;
}

function declare({ name, description, inputSchema, access }: ToolDeclaration): ToolDeclaration {
  return { name, description, inputSchema, access };
}
