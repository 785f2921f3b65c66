import type { Group } from "../../line/command.ts";

/** `conduct daemon …` */
export const DAEMON: Group = {
  description: "What agents' runtimes ask; starts and ends by itself",
  commands: {
    status: {
      description: "Whether the daemon runs, and where it listens",
      args: {},
      load: async () => (await import("./daemon.ts")).daemonStatus,
    },
    start: {
      description: "Start the daemon, unless it runs already",
      args: {},
      load: async () => (await import("./daemon.ts")).daemonStart,
    },
    stop: {
      description: "End the daemon; the next hook starts it again",
      args: {},
      load: async () => (await import("./daemon.ts")).daemonStop,
    },
    run: {
      description: "Be the daemon, until it is stopped or nobody needs it",
      args: {
        idle: { type: "string", description: "How long it stays without being asked anything (15m unless told)" },
      },
      load: async () => (await import("./run.ts")).daemonRun,
    },
  },
};
