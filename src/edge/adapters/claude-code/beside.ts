import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { KeptScope } from "../claude/scopes.ts";
import type { ToldPrompt } from "../codex/told-prompt.ts";
import type { LiveSession } from "./live-session.ts";

/** What is kept beside a session, so that it goes on after a restart as if there had been none. */
export type Beside = Pick<LiveSession, "root" | "interactive" | "prompt" | "compacting" | "planted"> & {
  readonly scopes: ReadonlyMap<string, KeptScope>;
};

/** As plain JSON. */
export function writeBeside({ root, interactive, prompt, compacting, planted, scopes }: LiveSession): JsonObject {
  const { had, given } = prompt;
  return {
    root,
    interactive,
    prompt: {
      ...(had === undefined ? {} : { had: toJson(had) }),
      ...(given === undefined ? {} : { given: toJson(given) }),
    },
    compacting,
    planted,
    scopes: scopes.all().map(({ name, run, step, open }) => ({ name, run, step, open: Object.fromEntries(open) })),
  };
}

/** What cannot be read is as if it had not been kept: the model is told again, and no call is under way. */
export function readBeside(given: unknown): Beside | undefined {
  if (!isObject(given) || typeof given.root !== "string") return undefined;
  const { had, given: handed } = asObject(given.prompt);
  return {
    root: given.root,
    interactive: given.interactive === true,
    prompt: { ...readTold("had", had), ...readTold("given", handed) },
    compacting: given.compacting === true,
    planted: asList(given.planted).map(asString),
    scopes: new Map(asList(given.scopes).filter(isObject).map(readScope)),
  };
}

function toJson({ prefix, rest }: ToldPrompt): JsonObject {
  return { prefix, rest: rest.map((section) => ({ ...section })) };
}

function readTold<K extends "had" | "given">(key: K, value: Json | undefined): { readonly [P in K]?: ToldPrompt } {
  if (!isObject(value)) return {};
  const rest = asList(value.rest)
    .filter(isObject)
    .map(({ contributor, hash, heading }) => ({
      contributor: asString(contributor),
      hash: asString(hash),
      ...(typeof heading === "string" ? { heading } : {}),
    }));
  const told: ToldPrompt = { prefix: asString(value.prefix), rest };
  return { [key]: told } as { readonly [P in K]?: ToldPrompt };
}

function readScope({ name, run, step, open }: JsonObject): readonly [string, KeptScope] {
  const calls = Object.entries(asObject(open)).map(([id, call]) => {
    const { tool, key, asked } = asObject(call);
    return [id, { tool: asString(tool), key: asString(key), ...(asked === true ? { asked } : {}) }] as const;
  });
  return [asString(name), { run: asString(run), step: typeof step === "number" ? step : 1, open: new Map(calls) }];
}
