import * as sdk from "@anthropic-ai/claude-agent-sdk";
import { conductQuery } from "../../src/edge/adapters/claude/adapter.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { openSteadyPlace, type Steady, type SteadyOptions } from "../steady.ts";
import { optionsOf } from "./driver.ts";

type Prompt = Parameters<typeof sdk.query>[0]["prompt"];
type Turns = { turn(): Promise<void>; close(): Promise<void> };
type Begin = (prompt: Prompt, resume?: string) => AsyncIterable<sdk.SDKMessage>;

type SteadyClaudeOptions = Omit<SteadyOptions, "under"> & {
  /** `hooks`: as many as Conduct has, that do nothing. */
  readonly under: SteadyOptions["under"] | "hooks";
  /** One for all turns with a streaming input, or one for each, which resumes the conversation. */
  readonly queries?: "one" | "each";
};

/** The Claude Agent SDK with the same turn again and again. */
export async function openSteady({ calls, under, queries = "each" }: SteadyClaudeOptions): Promise<Steady> {
  const place = await openSteadyPlace(calls, (file_path) => ({ name: "Read", input: { file_path } }));
  const session = place.open();
  const begin: Begin = (prompt, resume) => {
    const given = { ...optionsOf({}, place.root, place.url), ...(resume === undefined ? {} : { resume }) };
    if (under === "conduct") return underConduct(prompt, given, session);
    return sdk.query({ prompt, options: under === "hooks" ? { ...given, hooks: idleHooks() } : given });
  };
  const turns = queries === "one" ? inOneQuery(begin) : inQueries(begin);
  return {
    processes: [],
    async turn() {
      await turns.turn();
      return place.spentMs();
    },
    async close() {
      await turns.close();
      await place.close();
    },
  };
}

function underConduct(prompt: Prompt, options: sdk.Options, session: Session): AsyncIterable<sdk.SDKMessage> {
  return conductQuery({ prompt, options }, session, { sdk, keepOpen: true });
}

function idleHooks(): NonNullable<sdk.Options["hooks"]> {
  const idle = { hooks: [async () => ({})] };
  return { UserPromptSubmit: [idle], PreToolUse: [idle], PostToolUse: [idle], PostToolBatch: [idle], Stop: [idle] };
}

function inQueries(begin: Begin): Turns {
  let resume: string | undefined;
  return {
    async turn() {
      for await (const message of begin("go", resume)) resume = checked(message).session_id;
    },
    async close() {},
  };
}

function inOneQuery(begin: Begin): Turns {
  let wake = (_more: boolean): void => undefined;
  let wanted = new Promise<boolean>((resolve) => {
    wake = resolve;
  });
  async function* messages(): AsyncGenerator<sdk.SDKUserMessage> {
    while (await wanted) {
      wanted = new Promise((resolve) => {
        wake = resolve;
      });
      yield { type: "user", parent_tool_use_id: null, message: { role: "user", content: "go" } };
    }
  }
  const stream = begin(messages())[Symbol.asyncIterator]();
  return {
    async turn() {
      wake(true);
      for (;;) {
        const { done, value } = await stream.next();
        if (done === true) throw new Error("the query has ended");
        if (checked(value).type === "result") return;
      }
    },
    async close() {
      wake(false);
      while ((await stream.next()).done !== true);
    },
  };
}

function checked(message: sdk.SDKMessage): sdk.SDKMessage {
  if (message.type === "result" && message.subtype !== "success") throw new Error(`the turn ended: ${message.subtype}`);
  return message;
}
