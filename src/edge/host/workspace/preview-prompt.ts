import type { SessionClassification } from "../../../base/words/classification.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { ConductPlugin } from "../../../base/words/hosting/plugin.ts";
import type { BuiltPrompt, PromptContributor, PromptMode, TraceEntry } from "../../../base/words/prompt.ts";
import { DEFAULT_WINDOW } from "../../../behavior/results/truncate-result.ts";
import { PROMPT_SHARE } from "../../../engine/moments/prompt.ts";
import type { Conduct, ConductPorts } from "../../../engine/session/conduct.ts";
import type { DeclaredChannels } from "../../../engine/session/session-options.ts";
import { sequentialIds } from "../node/node-ids.ts";
import { openConductFromEnv } from "../opening/open-conduct.ts";
import { promptsOfWorkspaces } from "./workspace-prompts.ts";

/** The agents to preview and their workspace. `ports` overrides single ports, for tests. */
export type PreviewWorld = {
  readonly agents: readonly Agent[];
  readonly channels?: DeclaredChannels;
  readonly plugins?: readonly ConductPlugin[];
  readonly workspace: string;
  readonly home: string;
  readonly ports?: Partial<ConductPorts>;
};

/** The session to preview a prompt for. `at` is milliseconds since the epoch. */
export type PreviewRequest = {
  readonly agent: string;
  readonly at: number;
  readonly runtime: string;
  readonly user?: string;
  readonly channel?: string;
  readonly zone?: string;
  readonly mode?: PromptMode;
  readonly classification?: SessionClassification;
  readonly custom?: readonly string[];
  readonly think?: boolean;
};

/** A prompt as the agent would get it. `trace` lists every contributor, `faults` everything that went wrong. */
export type Preview = {
  readonly prompt: BuiltPrompt;
  readonly trace: readonly TraceEntry[];
  readonly faults: readonly Fault[];
};

/** Prompts at one fixed moment, built one after the other. Never calls a model. */
export type PromptPreviews = {
  /** Equal requests give equal bytes. Throws a `SessionError` for an unknown agent. */
  preview(request: PreviewRequest): Promise<Preview>;
  /** Contributors from the trusted files of the workspace. */
  files(): Promise<readonly PromptContributor[]>;
  close(): void;
};

/** Runtimes whose models see Conduct's tools as tools of an MCP server. */
const BEHIND_A_SERVER: ReadonlySet<string> = new Set(["claude", "claude-code", "claude-sdk", "codex"]);

/** Opens the same parts as real sessions, with a fixed clock. */
export function openPreviews(world: PreviewWorld): PromptPreviews {
  let faults: Fault[] = [];
  let at = 0;
  // Each file fault is reported once but applies to every prompt.
  const ofFiles: Fault[] = [];
  const files = promptsOfWorkspaces(world.home, (fault) => ofFiles.push(fault));
  const { agents, channels, plugins, workspace, home, ports } = world;
  const workspacePrompts = ports?.workspacePrompts ?? files;
  const conduct: Conduct = openConductFromEnv({
    agents,
    workspace,
    home,
    journal: false,
    channels,
    plugins,
    ports: {
      ...ports,
      clock: { now: () => at, monotonic: () => 0 },
      ids: sequentialIds(),
      workspacePrompts,
      models: { ask: () => Promise.reject(new Error("a preview never calls a model")) },
    },
  });
  conduct.subscribe((event) => {
    if (event.type === "fault") faults.push(event.fault);
    else if (event.type === "notice" && event.notice.kind === "fault") faults.push(event.notice.fault);
  });
  return {
    async preview(request) {
      faults = [];
      at = request.at;
      const made = await promptOf(conduct, request);
      return { ...made, faults: [...ofFiles, ...faults] };
    },
    files: () => workspacePrompts.at(ports?.filesystem?.root ?? workspace),
    close: () => files.close(),
  };
}

export function promptBudget({ prompt, limits }: Agent): number {
  return prompt.budget ?? Math.floor((limits.window ?? DEFAULT_WINDOW) * PROMPT_SHARE);
}

async function promptOf(conduct: Conduct, request: PreviewRequest): Promise<Omit<Preview, "faults">> {
  const { agent, runtime, user, channel, zone, mode, classification, custom, think = false } = request;
  const session = conduct.session({
    // Same id for each preview, because a contributor may use it.
    id: "preview",
    agent,
    adapter: runtime,
    modes: { think },
    user,
    channel,
    zone,
    classification,
    custom,
  });
  const asked = {
    mode,
    ...(BEHIND_A_SERVER.has(runtime) ? { toolName: (tool: string) => `mcp__conduct__${tool}` } : {}),
  };
  try {
    const prompt = await session.onPrompt(asked);
    return { prompt, trace: await session.explainPrompt(asked) };
  } finally {
    session.notice({ kind: "ended" });
  }
}
