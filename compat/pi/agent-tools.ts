import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { AgentTool } from "@earendil-works/pi-agent-core";
import { Type } from "@earendil-works/pi-ai";

/** Pi's four tools, by name and input, on real files and real commands in one folder. */
export function agentTools(workspace: string): AgentTool[] {
  const at = (path: string): string => resolve(workspace, path);
  const read = tool("read", Type.Object({ path: Type.String() }), ({ path }) => readFile(at(path), "utf8"));
  const write = tool("write", Type.Object({ path: Type.String(), content: Type.String() }), async (args) => {
    await mkdir(dirname(at(args.path)), { recursive: true });
    await writeFile(at(args.path), args.content);
    return `Wrote ${args.content.length} characters to ${args.path}.`;
  });
  const replacement = Type.Object({ oldText: Type.String(), newText: Type.String() });
  const edits = Type.Object({ path: Type.String(), edits: Type.Array(replacement) });
  const edit = tool("edit", edits, async (args) => {
    let text = await readFile(at(args.path), "utf8");
    for (const { oldText, newText } of args.edits) {
      if (!text.includes(oldText)) throw new Error(`Could not find the exact text in ${args.path}.`);
      text = text.replace(oldText, () => newText);
    }
    await writeFile(at(args.path), text);
    return `Replaced ${args.edits.length} block(s) in ${args.path}.`;
  });
  const bash = tool("bash", Type.Object({ command: Type.String() }), ({ command }, signal) =>
    runCommand(command, workspace, signal),
  );
  return [read, write, edit, bash];
}

function tool<S extends ReturnType<typeof Type.Object>>(
  name: string,
  parameters: S,
  run: (args: Type.Static<S>, signal?: AbortSignal) => Promise<string>,
): AgentTool {
  const made: AgentTool<S> = {
    name,
    label: name,
    description: `The ${name} tool.`,
    parameters,
    execute: async (_id, args, signal) => ({
      content: [{ type: "text", text: await run(args, signal) }],
      details: undefined,
    }),
  };
  return made;
}

/** As Pi's own does it: a failing command throws, and the last line of its text is the exit code. */
function runCommand(command: string, cwd: string, signal?: AbortSignal): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn("sh", ["-c", command], { cwd, signal });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", failed);
    child.on("close", (code) => {
      if (code === 0) done(output || "(no output)");
      else failed(new Error(`${output}\n\nCommand exited with code ${code}`));
    });
  });
}
