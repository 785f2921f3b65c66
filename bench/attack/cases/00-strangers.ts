import type { Attack } from "../attack.ts";

/** Requests without a login. */
export const attack: Attack = {
  id: "00-strangers",
  title: "Somebody without a token uses the API",
  cases: [
    {
      name: "Ask for users, sessions, the contract and the journal without a token",
      async run(world) {
        const { url } = await world.gateway();
        const paths = ["users", "sessions", "contract", "events", "agents", "approvals"];
        const replies = await Promise.all(paths.map((path) => fetch(`${url}/api/${path}`)));
        const held = replies.filter(({ status }) => status === 401).length;
        return { tried: paths.length, held, note: `Answered with ${[...new Set(replies.map((one) => one.status))]}.` };
      },
    },
  ],
};
