import { errorText } from "../../base/kernel/error-text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { StepClosed } from "../../base/words/event.ts";
import type { BuiltPrompt, ContributorContext, TraceEntry } from "../../base/words/prompt.ts";
import { type BuildOptions, buildAgentPrompt } from "../../behavior/prompt/build-agent-prompt.ts";
import { channelProfile } from "../../behavior/prompt/channel-profiles.ts";
import { resolveZone } from "../../behavior/prompt/time-text.ts";
import { characterCounter } from "../../behavior/results/counter.ts";
import { DEFAULT_WINDOW, windowOr } from "../../behavior/results/turn-result-state.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { GATHER_MS } from "./gather.ts";
import type { PromptRequest } from "./session-options.ts";
import { SessionUser } from "./session-user.ts";
import { withinLimit } from "./within-limit.ts";

/** The prompt takes at most this share of the window, unless the agent says otherwise. */
export const PROMPT_SHARE = 0.25;

/** Different faults that are remembered as told. */
const TOLD_MAX = 500;

/** What adapters are called, and what contributors know the runtime as. */
const RUNTIMES: Readonly<Record<string, string>> = { claude: "claude-sdk" };

/** Where nothing is enforced nothing is told either. */
const NOTHING_TOLD: BuiltPrompt = {
  text: "",
  sections: [],
  provenance: [],
  tokens: 0,
  hash: "",
  prefixHash: "",
  prefixTokens: 0,
  cuts: [],
  trace: [],
};

/** The moment `prompt`: what is the agent told now? */
export class SessionPrompts extends SessionUser {
  readonly #told = new Set<string>();

  /** What is the agent told now? What cannot be gathered is a fault and said in its section; the rest stands. */
  async onPrompt(request: PromptRequest = {}): Promise<BuiltPrompt> {
    const closed = this.closeStepFirst();
    const counter = await this.#counter();
    const context = await this.#gather(request);
    const options = this.#options(counter);
    const prompt = buildAgentPrompt(this.#registry(), context, options);
    this.#commit(prompt, context, closed);
    return this.observing === undefined ? prompt : NOTHING_TOLD;
  }

  /** Of every contributor there is, whether it would be in the prompt now, and why. */
  async explainPrompt(request: PromptRequest = {}): Promise<readonly TraceEntry[]> {
    const counter = await this.#counter();
    const context = await this.#gather(request);
    const options = this.#options(counter);
    const { trace } = buildAgentPrompt(this.#registry(), context, options);
    return this.#registry().explain(context, trace);
  }

  /** Sets the values that contributors tagged `custom` are selected by. */
  setCustom(values: readonly string[]): void {
    const custom = [...new Set(values)];
    this.slices = this.slices.with(identitySlice, { ...this.slices.get(identitySlice), custom });
    this.emit({ type: "session", change: "custom", detail: custom.join(", ") });
  }

  /** Without a tokenizer four characters count as a token. */
  async #counter(): Promise<TokenCounter> {
    try {
      return await this.ports.counter();
    } catch (error) {
      this.#tellOnce("counter", errorText(error));
      return characterCounter;
    }
  }

  #options(counter: TokenCounter): BuildOptions {
    const { layout = "cache", budget } = this.compiled.agent.prompt;
    const window = windowOr(this.window ?? DEFAULT_WINDOW);
    return {
      counter,
      layout,
      budget: budget ?? Math.max(1, Math.floor(window * PROMPT_SHARE)),
      measures: this.compiled.prompts.measures,
    };
  }

  #registry() {
    return this.compiled.prompts.at(this.ports.filesystem?.root ?? "");
  }

  async #gather(request: PromptRequest): Promise<ContributorContext> {
    const { compiled } = this;
    const limit = compiled.agent.limits.gatherMs ?? GATHER_MS;
    const [instructions, memory, contract] = await Promise.all([
      this.readInstructions(limit),
      this.readMemory(limit),
      this.contractOfTurn(limit),
      this.#pluginsReady(),
      this.#files(limit),
      this.awaitClassification(),
    ]);
    // Another agent has taken over meanwhile: what was read is not its own.
    if (this.compiled !== compiled) return this.#gather(request);
    const { view } = this;
    const { agent } = this.compiled;
    const { zone, warning } = resolveZone(view.zone);
    if (warning !== undefined) this.#tellOnce("zone", warning);
    const { toolName = (tool: string) => tool } = request;
    const classification = this.classification;
    return {
      agentId: agent.name,
      sessionKey: this.id,
      // A copy: what contributors are given is frozen, and this list is the runtime's.
      availableTools: [...(request.tools ?? this.#knownTools(toolName))],
      toolsKnown: request.tools === undefined ? "some" : "all",
      channel: view.channel,
      channelProfile: channelProfile(view.channel, this.ports.channels),
      promptMode: request.mode ?? (this.parent === undefined ? undefined : "minimal") ?? agent.prompt.mode ?? "full",
      runtime: RUNTIMES[this.adapter ?? ""] ?? this.adapter ?? "embedded",
      workspaceDir: this.ports.filesystem?.root ?? "",
      time: { at: view.now, zone },
      modes: view.modes,
      custom: view.custom,
      toolName,
      ...(classification === undefined ? {} : { classification }),
      ...(this.model === undefined ? {} : { model: this.model }),
      ...(view.user === undefined ? {} : { user: { id: view.user } }),
      ...(contract === undefined ? {} : { contract }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(memory === undefined ? {} : { memory }),
    };
  }

  /** Where the runtime does not tell: what the agent declares, and what Conduct gives it. */
  #knownTools(toolName: (tool: string) => string): readonly string[] {
    return [...this.compiled.agent.tools, ...this.tools()].map(({ name }) => toolName(name));
  }

  /** Plugins say themselves what went wrong; a prompt does not wait for one that hangs. */
  async #pluginsReady(): Promise<void> {
    await this.ports.pluginsReady;
  }

  async #files(limit: number): Promise<void> {
    const { workspacePrompts, filesystem } = this.ports;
    if (workspacePrompts === undefined || filesystem === undefined) return;
    const { root } = filesystem;
    const read = await withinLimit(limit, () => workspacePrompts.at(root));
    // What could not be looked at stays as it was known.
    if ("fault" in read) return this.fault({ where: `workspace prompts of ${root}`, ...read.fault });
    for (const { message } of this.compiled.prompts.setFiles(root, read.value)) {
      this.#tellOnce("workspace-prompt", message);
    }
  }

  #commit(prompt: BuiltPrompt, { instructions }: ContributorContext, closed: { readonly closed?: StepClosed }): void {
    const { hash, prefixHash, tokens, prefixTokens, cuts } = prompt;
    this.sawInstructions(prompt, instructions);
    const sections = prompt.sections.map(({ contributor, source, zone, tokens, hash }) => ({
      contributor,
      source,
      zone,
      tokens,
      hash,
    }));
    const left = prompt.trace.filter(({ reason }) => reason !== "included");
    this.ports.keepSections?.(this.id, this.clock.now(), prompt.sections);
    for (const { contributor, reason, detail } of prompt.trace) {
      if (reason === "failed") this.#tellOnce("contributor-failed", `${contributor}: ${detail ?? "it failed"}`);
    }
    const size = { hash, prefixHash, tokens, prefixTokens };
    this.emit({ type: "prompt", ...size, sections, cuts, left, ...this.contractTold(), ...closed });
    if (this.view.modes.verbose) this.debug(`[DEBUG] Prompt: ${sections.length} sections, ${tokens} tokens`);
  }

  /** A fault that would come again with every prompt is told once. */
  #tellOnce(code: string, message: string): void {
    if (this.#told.has(`${code} ${message}`)) return;
    // Who says something else each time does not fill the memory.
    if (this.#told.size >= TOLD_MAX) this.#told.clear();
    this.#told.add(`${code} ${message}`);
    this.fault({ where: "prompt", code, message });
  }
}
