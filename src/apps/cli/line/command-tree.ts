import type { Group } from "./command.ts";

/** Every command there is; nothing below a name is loaded before it is asked for. */
export const COMMANDS: Group = {
  description: "The behavior control plane for LLM agents.",
  commands: {
    demo: {
      description: "A scripted agent goes through the five moments, every decision shown",
      args: {
        fast: { type: "boolean", description: "Without the short pauses that make it readable" },
        keep: { type: "boolean", description: "Keep the folder that the agent worked in" },
      },
      load: async () => (await import("../commands/demo/demo.ts")).demo,
    },
    gateway: {
      description: "Serve agents to people: console, API, channels (what npm start runs)",
      args: {
        what: {
          type: "positional",
          default: "start",
          description: "login prints a fresh one-time link for the gateway that runs; nothing starts one",
        },
        port: { type: "string", description: "Port on 127.0.0.1; 0 takes a free one. CONDUCT_PORT, else 4870" },
        host: { type: "string", description: "Another address than 127.0.0.1; needs CONDUCT_TOKEN" },
        url: { type: "string", description: "Where people reach it, as https://conduct.example.org. CONDUCT_URL" },
        origin: { type: "string", description: "Other origins whose pages may use the API: a,b. CONDUCT_ORIGINS" },
        user: { type: "string", description: "With login: somebody else than the operator" },
      },
      load: async () => (await import("../commands/gateway/gateway.ts")).gateway,
    },
    init: async () => (await import("../commands/init/commands.ts")).INIT,
    enforce: async () => (await import("../commands/init/commands.ts")).ENFORCE,
    doctor: async () => (await import("../commands/init/commands.ts")).DOCTOR,
    watch: {
      description: "Show what agents do, as it happens: every moment, every decision",
      args: {
        session: { type: "string", description: "One session only: its id, or how that begins" },
        agent: { type: "string", description: "One agent only" },
        denied: { type: "boolean", description: "Denied calls only" },
        search: { type: "string", description: "Events with these words only, or with words that begin so" },
        once: { type: "boolean", description: "Show the newest events and end" },
      },
      load: async () => (await import("../commands/watch/watch.ts")).watch,
    },
    why: {
      description: "Why a call was denied or allowed: the rule, what it needed, what was there, what to do next",
      args: {
        id: {
          type: "positional",
          default: "last",
          description: "A decision, approval or event, or how its id begins; last is the newest denial",
        },
      },
      load: async () => (await import("../commands/why/why.ts")).why,
    },
    approvals: async () => (await import("../commands/approvals/commands.ts")).APPROVALS,
    approve: async () => (await import("../commands/approvals/commands.ts")).APPROVE,
    deny: async () => (await import("../commands/approvals/commands.ts")).DENY,
    status: {
      description: "The store, the agents seen, the sessions active, the last day's denials",
      args: {},
      load: async () => (await import("../commands/status/status.ts")).status,
    },
    config: {
      description: "The configuration file",
      commands: {
        check: {
          description: "Check a conduct.yaml and show every fault, or what its agents are bound to",
          args: { file: { type: "positional", default: "conduct.yaml", description: "The file to check" } },
          load: async () => (await import("../commands/config/check.ts")).configCheck,
        },
        schema: {
          description: "Print the JSON Schema of conduct.yaml, for editors",
          args: {},
          load: async () => (await import("../commands/config/schema.ts")).configSchemaCommand,
        },
      },
    },
    policy: {
      description: "Rules: checked, tested, explained",
      commands: {
        check: {
          description: "Check rule files or packs and show every fault, or what each rule does",
          args: {
            file: {
              type: "positional",
              default: "rules.yaml",
              description: "A rule file, or a folder with rules.yaml",
            },
          },
          many: true,
          load: async () => (await import("../commands/policy/check.ts")).policyCheck,
        },
        test: {
          description: "Run the cases beside rule files or packs on the real engine",
          args: {
            file: {
              type: "positional",
              default: "rules.yaml",
              description: "A rule file, or a folder with rules.yaml",
            },
          },
          many: true,
          load: async () => (await import("../commands/policy/run-cases.ts")).policyTest,
        },
        explain: {
          description: "Show which rules are on a call, what each part came to, and the decision",
          args: {
            file: {
              type: "positional",
              default: "rules.yaml",
              description: "A rule file, or a folder with rules.yaml",
            },
            call: { type: "string", description: 'The call, as JSON: {"tool": …, "args": …} or {"shell": "git push"}' },
            session: { type: "string", description: "A file with the calls before it, as in cases.yaml" },
          },
          load: async () => (await import("../commands/policy/explain.ts")).policyExplain,
        },
        schema: {
          description: "Print the JSON Schema of rule files, for editors",
          args: { cases: { type: "boolean", description: "That of cases.yaml instead" } },
          load: async () => (await import("../commands/policy/schema.ts")).policySchema,
        },
      },
    },
    prompt: {
      description: "What agents are told: looked at and checked",
      commands: {
        preview: {
          description: "Show what an agent is told, line by line with who says it; no model is asked",
          args: {
            agent: { type: "string", description: "The agent; needed where there are several" },
            user: { type: "string", description: "The user whose session it is" },
            channel: {
              type: "string",
              description: "web, telegram, scheduled, cli or one of your own (cli unless told)",
            },
            at: { type: "string", description: "The time, as 2026-03-06T09:05Z (now unless told)" },
            zone: { type: "string", description: "The user's time zone, as Europe/London (UTC unless told)" },
            classification: {
              type: "string",
              description: 'What the session is about: {"topic": …, "complexity": …, "domain": […], "flags": […]}',
            },
            mode: { type: "string", description: "full, minimal or none (the agent's own unless told)" },
            runtime: { type: "string", description: "pi, claude, codex or another (pi unless told)" },
            custom: { type: "string", description: "Values for contributors tagged custom: a,b" },
            think: { type: "boolean", description: "With /think switched on" },
            config: { type: "string", description: "The configuration (conduct.yaml, or the agent demo without one)" },
          },
          load: async () => (await import("../commands/prompt/preview.ts")).promptPreview,
        },
        show: {
          description: "What an agent was told in a turn of the past: every line with its contributor",
          args: {
            session: {
              type: "positional",
              default: "last",
              description: "The session's id, or how it begins; last is the newest",
            },
            turn: { type: "string", description: "Which turn; the newest prompt unless told" },
          },
          load: async () => (await import("../commands/prompt/show.ts")).promptShow,
        },
        lint: {
          description: "Check the texts of every agent: names, duplicates, tags that never match, tokens",
          args: {
            agent: { type: "string", description: "One agent only (all unless told)" },
            config: { type: "string", description: "The configuration (conduct.yaml, or the agent demo without one)" },
          },
          load: async () => (await import("../commands/prompt/lint.ts")).promptLint,
        },
      },
    },
    behavior: async () => (await import("../commands/behavior/commands.ts")).BEHAVIOR,
    replay: async () => (await import("../commands/replay/commands.ts")).REPLAY,
    review: async () => (await import("../commands/review/commands.ts")).REVIEW,
    rules: async () => (await import("../commands/rules/commands.ts")).RULES,
    journal: async () => (await import("../commands/journal/commands.ts")).JOURNAL,
    mcp: async () => (await import("../commands/mcp/commands.ts")).MCP,
    acp: async () => (await import("../commands/acp/commands.ts")).ACP,
    memory: async () => (await import("../commands/memory/commands.ts")).MEMORY,
    migrate: async () => (await import("../commands/migrate/commands.ts")).MIGRATE,
    trust: {
      description: "Look at a workspace's conduct.yaml and prompt files, and let agents be told what is in them",
      args: {
        folder: { type: "positional", default: ".", description: "The workspace" },
        list: { type: "boolean", description: "Show what is trusted, and what has changed since" },
        revoke: { type: "boolean", description: "Trust nothing in it any more" },
        yes: { type: "boolean", description: "Do not ask: trust the files as they are now" },
      },
      load: async () => (await import("../commands/trust/trust.ts")).trust,
    },
    pause: {
      description: "Enforce nothing for a while; everything is still recorded",
      args: { time: { type: "positional", default: "10m", description: "How long: 90s, 10m, 2h" } },
      load: async () => (await import("../commands/pause/pause.ts")).pause,
    },
    resume: {
      description: "End a pause: enforce everything again",
      args: {},
      load: async () => (await import("../commands/pause/pause.ts")).resume,
    },
    daemon: async () => (await import("../commands/daemon/commands.ts")).DAEMON,
    hook: {
      description: "What a runtime calls at each of its hooks",
      commands: {
        "claude-code": {
          description: "Start the daemon for Claude Code, and pass its first event on (called by Claude Code)",
          args: { part: { type: "string", description: "Which part of a long answer is wanted" } },
          load: async () => (await import("../commands/hook/claude-code.ts")).hookClaudeCode,
        },
        codex: {
          description: "Pass one Codex hook event from stdin to Conduct (called by Codex)",
          args: {},
          load: async () => (await import("../commands/hook/hook.ts")).hook,
        },
        "codex-tools": {
          description: "Serve Conduct's own tools to Codex over stdin and stdout (called by Codex)",
          args: {},
          load: async () => (await import("../commands/hook/codex-tools.ts")).hookCodexTools,
        },
      },
    },
  },
};
