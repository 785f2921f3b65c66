import type { Group } from "../line/command.ts";

const contract = () => import("./contract-commands.ts");
const develop = () => import("./develop-commands.ts");
const observe = () => import("./observe-commands.ts");
const setup = () => import("./setup-commands.ts");

/** Every command; a subcommand's module is loaded only when it is used. */
export const COMMANDS: Group = {
  description: "The behavior control plane for LLM agents.",
  sections: {
    Start: {
      demo: "See a scripted agent, with every decision",
      init: "Set up your runtimes; it blocks nothing at first",
      enforce: "Show what would have been blocked, then enforce",
      doctor: "Check the setup, with a call that must be denied",
      gateway: "Start the gateway: console, API and channels",
    },
    "Watch, ask": {
      watch: "Watch what agents do, live",
      why: "Explain why a call was denied or allowed",
      status: "Show sessions, agents and recent denials",
      approvals: "List the calls that wait for a person",
      "approve, deny": "Answer such a call",
      elevate: "Allow a session more for a while",
      tag: "Set the custom tags of a session",
      open: "Open the console, or the page of an id",
    },
    Rules: {
      policy: "Check, test and explain rule files",
      rules: "Turn directives into rules, and enforce them",
      replay: "Replay recorded sessions under other rules",
      trust: "Review and trust the files of a workspace",
    },
    Contract: {
      behavior: "Directives in force: add, list, undo, measure",
      review: "Directives that your sessions suggest",
    },
    Prompts: {
      prompt: "Preview, inspect and lint prompts",
      memory: "The notes that agents keep about users",
    },
    Operate: {
      "pause, resume": "Stop enforcing for a while; enforce again",
      config: "Check conduct.yaml, print its JSON Schema",
      journal: "Verify, repair and export the journal",
      daemon: "The local service behind the hooks",
      migrate: "Import data from other systems",
      upgrade: "Install the newest version",
      uninstall: "Undo every runtime and remove Conduct; data stays",
      completion: "Complete commands with Tab in bash, zsh, fish",
    },
    Connect: {
      mcp: "Serve tools over MCP, or guard an MCP server",
      acp: "Guard an agent that an editor starts",
    },
  },
  hidden: ["hook"],
  commands: {
    demo: async () => (await develop()).DEMO,
    gateway: async () => (await setup()).GATEWAY,
    init: async () => (await setup()).INIT,
    enforce: async () => (await setup()).ENFORCE,
    doctor: async () => (await setup()).DOCTOR,
    upgrade: async () => (await setup()).UPGRADE,
    uninstall: async () => (await setup()).UNINSTALL,
    watch: async () => (await observe()).WATCH,
    why: async () => (await observe()).WHY,
    approvals: async () => (await observe()).APPROVALS,
    approve: async () => (await observe()).APPROVE,
    deny: async () => (await observe()).DENY,
    elevate: async () => (await observe()).ELEVATE,
    tag: async () => (await observe()).TAG,
    status: async () => (await observe()).STATUS,
    open: async () => (await observe()).OPEN,
    config: async () => (await develop()).CONFIG,
    policy: async () => (await develop()).POLICY,
    prompt: async () => (await develop()).PROMPT,
    behavior: async () => (await contract()).BEHAVIOR,
    replay: async () => (await develop()).REPLAY,
    review: async () => (await contract()).REVIEW,
    rules: async () => (await contract()).RULES,
    journal: async () => (await contract()).JOURNAL,
    mcp: async () => (await setup()).MCP,
    acp: async () => (await setup()).ACP,
    memory: async () => (await observe()).MEMORY,
    migrate: async () => (await setup()).MIGRATE,
    trust: async () => (await setup()).TRUST,
    pause: async () => (await setup()).PAUSE,
    resume: async () => (await setup()).RESUME,
    daemon: async () => (await setup()).DAEMON,
    completion: async () => (await develop()).COMPLETION,
    hook: async () => (await setup()).HOOK,
  },
};
