import { expect, it } from "vitest";
import { startClaudeCode } from "./start-command.ts";

type Case = {
  readonly event: string;
  readonly ensure: () => Promise<"there" | "started">;
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: RegExp;
};
const there = async () => "there" as const;
const started = async () => "started" as const;
const broken = async () => Promise.reject(new Error("conduct.yaml:3 has no agent"));

it.each<Case>([
  { event: "SessionStart", ensure: started, exitCode: 0, stdout: '{"part":2}' },
  { event: "SessionStart", ensure: broken, exitCode: 2, stderr: /conduct\.yaml:3 has no agent.*conduct doctor/ },
  { event: "UserPromptSubmit", ensure: there, exitCode: 0, stdout: "" },
  { event: "UserPromptSubmit", ensure: started, exitCode: 2, stderr: /has been started\. Send the message again/ },
  { event: "UserPromptSubmit", ensure: broken, exitCode: 2, stderr: /cannot be started.*conduct doctor/ },
  { event: "Stop", ensure: there, exitCode: 0, stdout: "" },
])(
  "CC-C1 the start command for $event with $ensure.name exits with $exitCode",
  async ({ event, ensure, exitCode, stdout = "", stderr }) => {
    const post = async (_event: object, part: number) => ({ part });
    const end = await startClaudeCode(JSON.stringify({ hook_event_name: event }), 2, { ensure, post });
    expect(end).toMatchObject({ exitCode, stdout });
    if (stderr !== undefined) expect(end.stderr).toMatch(stderr);
  },
);

it("CC-C2 input that is not an event starts the daemon and prints nothing", async () => {
  const world = { ensure: there, post: async () => Promise.reject(new Error("never")) };
  expect(await startClaudeCode("no json", 1, world)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});
