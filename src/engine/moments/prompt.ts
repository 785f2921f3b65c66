import { errorText } from "../../base/kernel/error-text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { StepClosed } from "../../base/words/event.ts";
import type { BuiltPrompt, ContributorContext, TraceEntry } from "../../base/words/prompt.ts";
import { type BuildOptions, buildAgentPrompt } from "../../behavior/prompt/build-agent-prompt.ts";
import { channelProfile } from "../../behavior/prompt/channel-profiles.ts";
import { resolveZone } from "../../behavior/prompt/time-text.ts";
import { characterCounter } from "../../behavior/results/token-counter.ts";
import {
  addDebug,
  emit,
  observingOf,
  reportFault,
  type SessionContext,
  viewOf,
  windowOf,
} from "../session/session-context.ts";
import type { PromptRequest } from "../session/session-options.ts";
import { endStepFirst } from "../session/steps.ts";
import { awaitClassification, heldClassification } from "./classify.ts";
import { contractFigures, contractOfTurn } from "./contract-of-turn.ts";
import { GATHER_MS, withinLimit } from "./gather.ts";
import { refreshZone } from "./user/user-zone.ts";
import { instructionsForPrompt, markInstructionsSeen, memoryForPrompt, toolsOf } from "./user-tools.ts";

/** Default maximum share of the context window for the prompt. */
export const PROMPT_SHARE = 0.25;

const REPORTED_MAX = 500;

/** Adapter names that contributors know under another name. */
const RUNTIMES: Readonly<Record<string, string>> = { claude: "claude-sdk" };

/** Used when nothing is enforced. */
const EMPTY_PROMPT: BuiltPrompt = {
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

/** The `prompt` moment: builds the agent's prompt. Sections that cannot be gathered are reported and left out. */
export async function onPrompt(context: SessionContext, request: PromptRequest = {}): Promise<BuiltPrompt> {
  const closed = endStepFirst(context);
  const counter = await counterOf(context);
  const given = await gather(context, request);
  const prompt = buildAgentPrompt(registryOf(context), given, optionsOf(context, counter));
  commitPrompt(context, prompt, given, closed);
  return observingOf(context) === undefined ? prompt : EMPTY_PROMPT;
}

/** Explains for every contributor whether the prompt would include it now, and why. */
export async function explainPrompt(
  context: SessionContext,
  request: PromptRequest = {},
): Promise<readonly TraceEntry[]> {
  const counter = await counterOf(context);
  const given = await gather(context, request);
  const { trace } = buildAgentPrompt(registryOf(context), given, optionsOf(context, counter));
  return registryOf(context).explain(given, trace);
}

/** Without a tokenizer, four characters count as one token. */
async function counterOf(context: SessionContext): Promise<TokenCounter> {
  try {
    return await context.ports.counter(context.model);
  } catch (error) {
    reportOnce(context, "counter", errorText(error));
    return characterCounter;
  }
}

function optionsOf(context: SessionContext, counter: TokenCounter): BuildOptions {
  const { compiled } = context;
  const { layout = "cache", budget } = compiled.agent.prompt;
  return {
    counter,
    layout,
    budget: budget ?? Math.max(1, Math.floor(windowOf(context) * PROMPT_SHARE)),
    measures: compiled.prompts.measures,
  };
}

function registryOf({ compiled, ports }: SessionContext) {
  return compiled.prompts.at(ports.filesystem?.root ?? "");
}

async function gather(context: SessionContext, request: PromptRequest): Promise<ContributorContext> {
  const { compiled } = context;
  const limit = compiled.agent.limits.gatherMs ?? GATHER_MS;
  const [instructions, memory, contract] = await Promise.all([
    instructionsForPrompt(context, limit),
    memoryForPrompt(context, limit),
    contractOfTurn(context, limit),
    context.ports.pluginsReady,
    refreshZone(context, limit),
    readWorkspacePrompts(context, limit),
    awaitClassification(context),
  ]);
  // Another agent took over meanwhile: gather again for it.
  if (context.compiled !== compiled) return gather(context, request);
  const view = viewOf(context);
  const { agent } = context.compiled;
  const { zone, warning } = resolveZone(view.zone);
  if (warning !== undefined) reportOnce(context, "zone", warning);
  const { toolName = (tool: string) => tool } = request;
  const classification = heldClassification(context);
  const inherited = context.parent === undefined ? undefined : "minimal";
  return {
    agentId: agent.name,
    sessionKey: context.id,
    // A copy, because contributors get frozen objects and this list belongs to the runtime.
    availableTools: [...(request.tools ?? knownTools(context, toolName))],
    toolsKnown: request.tools === undefined ? "some" : "all",
    missingServers: request.missingServers,
    channel: view.channel,
    channelProfile: channelProfile(view.channel, context.ports.channels),
    promptMode: request.mode ?? inherited ?? agent.prompt.mode ?? "full",
    runtime: RUNTIMES[context.adapter ?? ""] ?? context.adapter ?? "embedded",
    workspaceDir: context.ports.filesystem?.root ?? "",
    time: { at: view.now, zone },
    modes: view.modes,
    custom: view.custom,
    toolName,
    classification,
    model: context.model,
    user: view.user === undefined ? undefined : { id: view.user },
    contract,
    instructions,
    memory,
  };
}

/** For runtimes that do not list their tools: the agent's declared tools and Conduct's own. */
function knownTools(context: SessionContext, toolName: (tool: string) => string): readonly string[] {
  return [...context.compiled.agent.tools, ...toolsOf(context)].map(({ name }) => toolName(name));
}

async function readWorkspacePrompts(context: SessionContext, limit: number): Promise<void> {
  const { workspacePrompts, filesystem } = context.ports;
  if (workspacePrompts === undefined || filesystem === undefined) return;
  const { root } = filesystem;
  const read = await withinLimit(limit, () => workspacePrompts.at(root));
  // On a read failure the last read prompts stay in use.
  if ("fault" in read) return reportFault(context, { where: `workspace prompts of ${root}`, ...read.fault });
  for (const { message } of context.compiled.prompts.setFiles(root, read.value)) {
    reportOnce(context, "workspace-prompt", message);
  }
}

function commitPrompt(
  context: SessionContext,
  prompt: BuiltPrompt,
  { instructions }: ContributorContext,
  closed: { readonly closed?: StepClosed },
): void {
  const { hash, prefixHash, tokens, prefixTokens, cuts } = prompt;
  markInstructionsSeen(context, prompt, instructions);
  const sections = prompt.sections.map(({ contributor, source, zone, tokens, hash }) => ({
    contributor,
    source,
    zone,
    tokens,
    hash,
  }));
  const left = prompt.trace.filter(({ reason }) => reason !== "included");
  context.ports.keepSections?.(context.id, context.clock.now(), prompt.sections);
  for (const { contributor, reason, detail } of prompt.trace) {
    if (reason === "failed") reportOnce(context, "contributor-failed", `${contributor}: ${detail ?? "it failed"}`);
  }
  const size = { hash, prefixHash, tokens, prefixTokens };
  emit(context, { type: "prompt", ...size, sections, cuts, left, ...contractFigures(context), ...closed });
  if (viewOf(context).modes.verbose) {
    addDebug(context, `[DEBUG] Prompt: ${sections.length} sections, ${tokens} tokens`);
  }
}

/** Reports a fault once, although it recurs with every prompt. */
function reportOnce(context: SessionContext, code: string, message: string): void {
  const { reportedFaults } = context;
  const key = `${code} ${message}`;
  if (reportedFaults.has(key)) return;
  // Messages that change every time must not fill the memory.
  if (reportedFaults.size >= REPORTED_MAX) reportedFaults.clear();
  reportedFaults.add(key);
  reportFault(context, { where: "prompt", code, message });
}
