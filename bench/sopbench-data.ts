import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Json, JsonObject } from "../src/base/words/json.ts";

/** A function with the names its parameters go by, or how its children are joined. */
export type GraphNode = "and" | "or" | readonly [fn: string, names: { readonly [parameter: string]: string } | null];

/** A procedure: what comes before what. Connections lead from a node to what it needs. */
export type Graph = {
  readonly nodes: readonly GraphNode[];
  readonly connections: readonly (readonly [from: number, to: number])[];
};

/** A fact that a call establishes besides itself: the fact's parameters, and one or more lists of names for their values. */
export type ImpliedFact = {
  readonly keys: readonly string[];
  readonly value_param_names: readonly (readonly string[])[];
};

/** What a domain says of all its tools. */
export type Procedures = {
  readonly action_parameters: { readonly [tool: string]: readonly string[] };
  readonly default_graphs: { readonly [tool: string]: Graph };
  readonly implied_by_innate: { readonly [tool: string]: { readonly [fact: string]: ImpliedFact } };
};

type Task = { readonly task_id: string; readonly directed_action_graph: Graph | null };

/** `status` 2 is a call that could not be made at all; `order_ok` is null where no rule applies. */
export type RecordedCall = {
  readonly tool: string;
  readonly args: JsonObject;
  readonly result: Json;
  readonly status: 0 | 1 | 2;
  readonly order_ok: boolean | null;
};

export type Run = {
  readonly id: string;
  readonly task_id: string;
  readonly calls: readonly RecordedCall[];
  readonly labels: { readonly success: boolean };
};

export type Domain = {
  readonly name: string;
  readonly procedures: Procedures;
  /** The procedure of each task. */
  readonly tasks: ReadonlyMap<string, Graph>;
  readonly runs: readonly Run[];
};

const RUNS = ".trajectories.jsonl.gz";

/** Whatever domains have recordings in the folder; none when there is no such folder. */
export function domainsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(RUNS));
  return files.map((file) => file.slice(0, -RUNS.length)).sort();
}

export function readDomain(folder: string, name: string): Domain {
  const file = (ending: string) => join(folder, name + ending);
  const tasks = readLines<Task>(file(".tasks.jsonl.gz"));
  const { action_parameters, default_graphs, implied_by_innate } = parse<Partial<Procedures>>(
    readFileSync(file(".rules.json"), "utf8"),
    file(".rules.json"),
  );
  return {
    name,
    procedures: {
      action_parameters: action_parameters ?? {},
      default_graphs: default_graphs ?? {},
      implied_by_innate: implied_by_innate ?? {},
    },
    tasks: new Map(
      tasks.flatMap(({ task_id, directed_action_graph: graph }) => (graph === null ? [] : [[task_id, graph]])),
    ),
    runs: readLines<Run>(file(RUNS)),
  };
}

function readLines<T>(file: string): readonly T[] {
  const lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n");
  return lines.flatMap((line, i) => (line.trim() === "" ? [] : [parse<T>(line, `${file}:${i + 1}`)]));
}

/** The recordings were written by Python, whose JSON may have numbers that are none. */
function parse<T>(text: string, place: string): T {
  for (const json of [text, text.replace(/(?<=[[:,]\s*)(NaN|-?Infinity)\b/g, "null")]) {
    try {
      return JSON.parse(json) as T;
    } catch {}
  }
  throw new Error(`${place} is not JSON`);
}
