import type { Group } from "../line/command.ts";

const contract = () => import("./contract-commands.ts");
const develop = () => import("./develop-commands.ts");
const observe = () => import("./observe-commands.ts");
const setup = () => import("./setup-commands.ts");

/** Every command; a subcommand's module is loaded only when it is used. */
export const COMMANDS: Group = {
  description: "The behavior control plane for LLM agents.",
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
    status: async () => (await observe()).STATUS,
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
    hook: async () => (await setup()).HOOK,
  },
};
