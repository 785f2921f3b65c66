import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import type { LoopTool } from "../../../testing/loop/scripted-loop.ts";
import { nodeCommands } from "../../host/node/node-commands.ts";

/** Real file and shell tools in one folder, under the names of the common vocabulary. */
export function workspaceTools(root: string): { readonly [name: string]: LoopTool } {
  const commands = nodeCommands(root);
  return {
    async read_file(args) {
      return text("ok", await readFile(resolve(root, string(args, "path")), "utf8"));
    },
    async write_file(args) {
      const path = resolve(root, string(args, "path"));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, string(args, "content"));
      return text("ok", `wrote ${string(args, "path")}`);
    },
    async shell(args) {
      const { exitCode, output, timedOut } = await commands.run(string(args, "command"), {
        timeoutMs: 60_000,
        whole: true,
      });
      const failed = text(exitCode === 0 ? "ok" : "failed", timedOut ? `${output}\n[timed out]` : output);
      return exitCode === undefined ? failed : { ...failed, exitCode };
    },
  };
}

function string(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value !== "string") throw new Error(`the argument '${name}' must be a string`);
  return value;
}

function text(outcome: "ok" | "failed", output: string): ToolResult {
  return { outcome, parts: [{ kind: "text", text: output }] };
}
