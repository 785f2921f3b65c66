import type { JsonObject } from "../../../base/words/json.ts";

/** What the demo model reads from a request. */
export type DemoRequest = {
  readonly message: string;
  /** Calls of this turn, in order. */
  readonly done: readonly DemoStep[];
  /** The feedback on a refused stop. */
  readonly refusal?: string;
  readonly tools: readonly string[];
};
export type DemoCall = { readonly tool: string; readonly args: JsonObject };
export type DemoStep = DemoCall & { readonly result: string };
export type DemoReply = { readonly text: string; readonly calls?: readonly DemoCall[] };

const MOST_STEPS = 16;

/**
 * A scripted model with fixed habits that trigger every guard. It is deterministic, in a hurry, and does as it is told
 * once denied.
 */
export function demoReply(request: DemoRequest): DemoReply {
  const { message, done, refusal } = request;
  if (done.length >= MOST_STEPS) return { text: "I stop here: too many steps." };
  const last = done.at(-1);
  if (last !== undefined || refusal !== undefined) return goOn(request);
  const habit = HABITS.find(({ says }) => says.test(message));
  return habit?.does(message) ?? { text: HELP };
}

type Habit = { readonly says: RegExp; does(message: string): DemoReply };

const HABITS: readonly Habit[] = [
  {
    says: /\b(?:deploy|release|ship)\b/i,
    does: () => ({ text: "Straight to production.", calls: [call("deploy")] }),
  },
  {
    says: /^\s*(?:please\s+)?(?:always|never)\b/i,
    does: (message) => ({
      text: "I will keep to that.",
      calls: [call("update_instructions", { add: [message.trim()] })],
    }),
  },
  {
    says: /\bwhat (?:do|did) you (?:remember|know)\b|\bremember about\b/i,
    does: (message) => ({ text: "Let me look.", calls: [call("read_memory", { query: topicOf(message) })] }),
  },
  {
    says: /^\s*(?:please\s+)?remember\b/i,
    does: (message) => ({
      text: "Noted.",
      calls: [call("save_memory", { text: message.replace(/^\s*(?:please\s+)?remember(?:\s+that)?:?\s*/i, "") })],
    }),
  },
  {
    says: /\bread\s+([\w./-]+\.\w+)/i,
    does: (message) => ({
      text: "I open it.",
      calls: [call("read_file", { path: /\bread\s+([\w./-]+\.\w+)/i.exec(message)?.[1] ?? "" })],
    }),
  },
  {
    says: /\bwrite\s+([\w./-]+\.\w+)/i,
    does: (message) => {
      const [, path = "", content = ""] = /\bwrite\s+([\w./-]+\.\w+)[\s:]*(.*)$/is.exec(message) ?? [];
      return {
        text: "I write it.",
        calls: [call("write_file", { path, content: `${content.trim() || "(empty)"}\n` })],
      };
    },
  },
  { says: /\b(?:run the tests|test it)\b/i, does: () => ({ text: "The tests.", calls: [call("test")] }) },
  { says: /\bbuild\b/i, does: () => ({ text: "The build.", calls: [call("build")] }) },
];

const HELP = `I am the demo model: no key is set, so I follow a few fixed habits. Try:
- "deploy it": I go straight to production, and you see what stops me
- "read README.md", "write notes.txt: buy milk"
- "always answer in French", then "what do you remember about me?"
- "remember that the dock is gate 9"
Set a provider's key (ANTHROPIC_API_KEY, OPENAI_API_KEY, ...) and I am replaced by a real model.`;

/** Continues after a result or a refused stop, which names what is missing. */
function goOn({ message, done, refusal, tools }: DemoRequest): DemoReply {
  const last = done.at(-1);
  if (refusal !== undefined) return afterRefusal(refusal, message, done);
  if (last === undefined) return { text: HELP };
  const missing = missingIn(last.result).find((name) => tools.includes(name));
  if (wasDenied(last)) {
    if (missing !== undefined) return { text: `Then ${missing} first.`, calls: [call(missing)] };
    if (/read|look/i.test(last.result) && typeof last.args.path === "string") {
      return { text: "Then I read it first.", calls: [call("read_file", { path: last.args.path })] };
    }
    return { text: `I was not allowed to: ${firstLine(last.result)}` };
  }
  const blocked = done.findLast(wasDenied);
  if (blocked !== undefined && !done.slice(done.indexOf(blocked) + 1).some(({ tool }) => tool === blocked.tool)) {
    const open = missingIn(blocked.result).filter(
      (name) => !done.some((step) => step.tool === name && !wasDenied(step)),
    );
    const [next] = open.filter((name) => tools.includes(name));
    return next === undefined
      ? { text: "Once more.", calls: [{ tool: blocked.tool, args: blocked.args }] }
      : { text: `And ${next}.`, calls: [call(next)] };
  }
  return { text: closing(last) };
}

function afterRefusal(refusal: string, message: string, done: readonly DemoStep[]): DemoReply {
  const [path] = /Required files are missing: (.+?)\.(?:\s|$)/.exec(refusal)?.[1]?.split(", ") ?? [];
  if (path === undefined) return { text: "I cannot do more than this." };
  const ran = [...new Set(done.filter((step) => !wasDenied(step)).map(({ tool }) => tool))].join(", ");
  const content = `# Report\n\nAsked: ${message.trim()}\nDone: ${ran || "nothing"}\n`;
  return { text: `Right, ${path}.`, calls: [call("write_file", { path, content })] };
}

function closing({ tool, result }: DemoStep): string {
  switch (tool) {
    case "write_file":
      return "Done.";
    case "read_file":
      return `Here it is:\n\n${result}`;
    case "read_memory":
      return `This is what I have:\n\n${result}`;
    case "update_instructions":
    case "save_memory":
      return firstLine(result);
    default:
      return `${tool}: ${firstLine(result)}`;
  }
}

/** Parses a denial such as `Missing: test (never ran); build (never ran)`. */
function missingIn(text: string): readonly string[] {
  const named = /^Missing: (.+)$/m.exec(text)?.[1]?.split("; ") ?? [];
  const names = named.map((item) => item.split(" ")[0] ?? "");
  // The usual order of these steps.
  return [...ORDER.filter((name) => names.includes(name)), ...names.filter((name) => !ORDER.includes(name))];
}

const ORDER: readonly string[] = ["test", "build"];

function wasDenied({ result }: DemoStep): boolean {
  return result.startsWith("Denied by ");
}

function topicOf(message: string): string {
  return (
    /about\s+(?:the\s+|my\s+)?([\w\s-]{2,40})/i
      .exec(message)?.[1]
      ?.replace(/\bme\b/i, "")
      .trim() ?? ""
  );
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

function call(tool: string, args: DemoCall["args"] = {}): DemoCall {
  return { tool, args };
}
