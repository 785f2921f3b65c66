import type { Machine } from "./shipped.ts";

type Hook = { readonly type: string; readonly url?: string; readonly command?: string; readonly headers?: object };
type Entry = { readonly matcher?: string; readonly hooks: readonly Hook[] };

/** Plays Claude Code: runs the hooks that `conduct init claude-code` wrote, as Claude Code runs them. */
export class ClaudeCode {
  readonly #machine: Machine;
  readonly #session: string;
  #calls = 0;

  constructor(machine: Machine, session: string) {
    this.#machine = machine;
    this.#session = session;
  }

  /** The answers of all hooks of an event, joined. */
  async hook(name: string, more: object = {}): Promise<string> {
    const { hooks } = JSON.parse(this.#machine.read(".claude/settings.json")) as {
      readonly hooks: { readonly [event: string]: readonly Entry[] };
    };
    const { source } = more as { readonly source?: string };
    const event = { session_id: this.#session, cwd: this.#machine.work, hook_event_name: name, ...more };
    const entries = (hooks[name] ?? []).filter(({ matcher }) => matcher === undefined || matcher === source);
    const all = entries.flatMap((entry) => entry.hooks);
    return (await Promise.all(all.map((one) => this.#run(one, event)))).join("\n");
  }

  async #run({ url, command, headers = {} }: Hook, event: object): Promise<string> {
    const body = JSON.stringify(event);
    if (url === undefined) {
      const words = (command ?? "")
        .replace(/ # conduct$/, "")
        .split(" ")
        .slice(1);
      const { out, err } = await this.#machine.conduct(words, { input: body });
      return out + err;
    }
    const known = { ...headers, "X-Conduct-Entrypoint": "cli", "X-Conduct-Inside": "" };
    const sent = { "content-type": "application/json", ...known };
    return (await fetch(url, { method: "POST", headers: sent, body })).text();
  }

  /** Asks for a command, and reports its result unless it was denied. Returns the answer to the question. */
  async shell(command: string): Promise<string> {
    const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: `call_${++this.#calls}` };
    const answer = await this.hook("PreToolUse", call);
    if (!/"permissionDecision":"(deny|ask)"/.test(answer)) {
      const tool_response = { stdout: "ok", stderr: "", interrupted: false, isImage: false };
      await this.hook("PostToolUse", { ...call, tool_response });
      await this.hook("PostToolBatch", { tool_calls: [{ ...call, tool_response }] });
    }
    return answer;
  }

  async start(source = "startup"): Promise<string> {
    return this.hook("SessionStart", { source });
  }

  async say(prompt: string): Promise<string> {
    return this.hook("UserPromptSubmit", { prompt });
  }

  /** The conversation is compacted, as after `/compact`. */
  async compact(): Promise<string> {
    await this.hook("PreCompact", { trigger: "manual", custom_instructions: "" });
    const started = await this.start("compact");
    await this.hook("PostCompact", { trigger: "manual" });
    return started;
  }
}
