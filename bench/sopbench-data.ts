import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Json, JsonObject } from "../src/base/words/json.ts";

/** A function with its parameter names, or the operator that joins the children. */
export type GraphNode = "and" | "or" | readonly [fn: string, names: { readonly [parameter: string]: string } | null];

/** A procedure as a graph. Connections lead from a node to its requirements. */
export type Graph = {
  readonly nodes: readonly GraphNode[];
  readonly connections: readonly (readonly [from: number, to: number])[];
};

/** A fact that a call also establishes: the fact's parameters, and one or more lists of names for their values. */
export type ImpliedFact = {
  readonly keys: readonly string[];
  readonly value_param_names: readonly (readonly string[])[];
};

export type Procedures = {
  readonly action_parameters: { readonly [tool: string]: readonly string[] };
  readonly default_graphs: { readonly [tool: string]: Graph };
  readonly implied_by_innate: { readonly [tool: string]: { readonly [fact: string]: ImpliedFact } };
};

type Task = { readonly task_id: string; readonly directed_action_graph: Graph | null };

/** `status` 2: the call could not be made. `order_ok` is null if no rule applies. */
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
  readonly tasks: ReadonlyMap<string, Graph>;
  readonly runs: readonly Run[];
};

const RUNS = ".trajectories.jsonl.gz";

/** Returns the domains with recordings in the folder; empty if the folder is missing. */
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

/** The recordings were written by Python, whose JSON may contain invalid numbers such as NaN. */
function parse<T>(text: string, place: string): T {
  for (const json of [text, text.replace(/(?<=[[:,]\s*)(NaN|-?Infinity)\b/g, "null")]) {
    try {
      return JSON.parse(json) as T;
    } catch {}
  }
  throw new Error(`${place} is not JSON`);
}
