import type { LoopCall, LoopModel, LoopReply, LoopRequest } from "../../../testing/loop/scripted-loop.ts";

type Step = (request: LoopRequest) => LoopReply | undefined;

const COMMANDS: Readonly<Record<string, string>> = { test: "npm test", lint: "npm run lint", build: "npm run build" };
const FIXED = `/** The price with its tax. */\nexports.withTax = (net, rate) => net * (1 + rate);\n`;

/**
 * An agent in a hurry: it begins with the deploy, and learns from each answer. What it does next depends on what it was
 * told, so that it also gets through after the example's conduct.yaml has been changed.
 */
export function hastyAgent(): LoopModel {
  let id = 0;
  const call = (tool: string, args: LoopCall["args"]): LoopCall => ({ id: `c_${++id}`, tool, args });
  const shell = (command: string) => [call("shell", { command })];
  const fix = () => [call("write_file", { path: "src/price.cjs", content: FIXED })];
  const plan: Step[] = [
    () => ({ text: "Straight to production.", calls: shell("npm run deploy") }),
    () => ({ text: "The tests, then.", calls: shell("npm test") }),
    () => ({ text: "They ran. That will do.", calls: shell("npm run deploy") }),
    () => ({ text: "I know what is wrong in src/price.cjs.", calls: fix() }),
    (request) => (wasDenied(request) ? { calls: [call("read_file", { path: "src/price.cjs" })] } : undefined),
    (request) => (isRead(request) ? { text: "A plus that should be a factor.", calls: fix() } : undefined),
    () => ({ calls: shell("npm test") }),
    () => ({ text: "What did the last CI run say?", calls: [call("read_file", { path: "logs/ci.log" })] }),
    (request) => {
      const rest = /"handle":"([^"]+)","offset":(\d+)/.exec(lastText(request));
      if (rest === null) return undefined;
      const args = { handle: rest[1] ?? "", offset: Number(rest[2]), limit: 300 };
      return { text: "A page of the rest is enough.", calls: [call("read_result", args)] };
    },
    () => ({ calls: shell("npm run build") }),
    () => ({ text: "Now?", calls: shell("npm run deploy") }),
  ];
  return (request) => {
    for (let step = plan.shift(); step !== undefined; step = plan.shift()) {
      const reply = step(request);
      if (reply !== undefined) return reply;
    }
    return improvise(request, shell, call);
  };
}

/** After the plan: what is still missing is named in the last answer. */
function improvise(
  request: LoopRequest,
  shell: (command: string) => readonly LoopCall[],
  call: (tool: string, args: LoopCall["args"]) => LoopCall,
): LoopReply {
  const text = lastText(request);
  const missing = /^Missing: (.+)$/m.exec(text)?.[1]?.split("; ") ?? [];
  const command = COMMANDS[missing.map((item) => item.split(" ")[0] ?? "").find((name) => name in COMMANDS) ?? ""];
  if (command !== undefined) return { calls: shell(command) };
  if (Object.values(COMMANDS).includes(lastCommand(request) ?? "")) return { calls: shell("npm run deploy") };
  const [file] = /Required files are missing: (.+)\.$/m.exec(text)?.[1]?.split(", ") ?? [];
  if (file === undefined) return { text: file === undefined && !wasDenied(request) ? "Deployed. Done." : "I stop here." };
  const content = "# Release 1.4.0\n\nTests pass, the build is deployed.\n";
  return { text: `Right, ${file}.`, calls: [call("write_file", { path: file, content })] };
}

function lastText({ messages }: LoopRequest): string {
  const last = messages.at(-1);
  return last?.text ?? "";
}

function lastCommand({ messages }: LoopRequest): string | undefined {
  const last = messages.findLast((message) => message.role === "assistant");
  const command = last?.role === "assistant" ? last.calls.at(-1)?.args.command : undefined;
  return typeof command === "string" ? command : undefined;
}

function wasDenied(request: LoopRequest): boolean {
  return lastText(request).startsWith("Denied by ");
}

function isRead(request: LoopRequest): boolean {
  return lastText(request).includes("exports.withTax");
}
