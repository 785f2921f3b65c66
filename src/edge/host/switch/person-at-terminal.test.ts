import { describe, expect, it } from "vitest";
import { personAtTerminal } from "./person-at-terminal.ts";
import type { ProcessRow } from "./process-table.ts";

type Line = Partial<ProcessRow> & { readonly program: string; readonly environment?: NodeJS.ProcessEnv };

type More = {
  readonly top: number;
  readonly live: readonly (readonly [number, { readonly runtime: string; readonly started: string }])[];
  readonly scope: (pid: number) => string;
};

/** Process 100 is ours, at pts/1; each line is the parent of the one before; the last one's parent is `top`. */
function at(
  lines: readonly Line[],
  others: readonly (Line & { readonly pid: number })[] = [],
  { top = 1, live = [], scope = () => "" }: Partial<More> = {},
) {
  const rows = [{ program: "node" }, ...lines].map((line, index): ProcessRow & Line => ({
    pid: 100 + index,
    parent: index === lines.length ? top : 101 + index,
    group: 100,
    foreground: 100,
    session: index < 2 ? 101 : 100 + index,
    tty: index < 2 ? "pts1" : "",
    words: [line.program],
    started: "5",
    ...line,
  }));
  const init: ProcessRow = {
    pid: 1,
    parent: 0,
    group: 1,
    foreground: -1,
    session: 1,
    tty: "",
    program: "systemd",
    words: [],
    started: "1",
  };
  const beside = others.map((line) => ({
    ...init,
    group: line.pid,
    session: line.pid,
    parent: 1,
    words: [line.program],
    ...line,
  }));
  const all: readonly (ProcessRow & { environment?: NodeJS.ProcessEnv })[] = [init, ...rows, ...beside];
  return personAtTerminal({
    pid: 100,
    inside: () => undefined,
    atTerminal: () => true,
    terminalName: () => "pts/1",
    processes: () => ({
      rows: new Map(all.map((row) => [row.pid, row])),
      environment: (pid) => all.find((row) => row.pid === pid)?.environment ?? {},
      scope,
    }),
    runtimes: () => new Map(live),
  });
}
const bash = { program: "bash" };

describe("personAtTerminal", () => {
  it.each(["sshd", "sshd-session", "login", "gnome-terminal-server", "kitty", "xterm", "code", "Terminal", "iTerm2"])(
    "PER-1 a shell under %s counts as a person at a terminal",
    (program) => {
      expect(at([bash, { program }])).toEqual({ kind: "person", proof: `at pts/1 under ${program}` });
    },
  );

  it.each([
    ["a pseudo-terminal of script, cut loose with setsid", [bash, { program: "script" }]],
    ["Python's pty", [{ program: "python3.12" }]],
    ["expect", [bash, { program: "expect" }]],
    ["a shell that init adopted", [bash]],
    ["nothing at all", []],
  ])("PER-2 %s does not count as a person at a terminal", (_what, lines) => {
    expect(at(lines)).toMatchObject({ kind: "nobody", why: expect.stringContaining("no terminal program or login") });
  });

  it("PER-3 a terminal with an agent in it or among its parents does not count as a person", () => {
    const sshd = { program: "sshd" };
    const claude = { pid: 300, program: "node", tty: "pts1", words: ["node", "/x/@anthropic-ai/claude-code/cli.js"] };
    expect(at([bash, sshd], [claude])).toMatchObject({ why: "Claude Code runs in this terminal (process 300)" });
    expect(at([bash, sshd], [{ ...claude, tty: "pts2" }])).toMatchObject({ kind: "person" });
    const marked = { ...bash, environment: { CODEX_THREAD_ID: "t" } };
    expect(at([marked, sshd])).toMatchObject({ why: expect.stringContaining("Codex runs in this terminal") });
    const codex = { program: "codex", words: ["codex"] };
    expect(at([bash, codex, sshd])).toMatchObject({ why: "its parent process 102 is Codex" });
  });

  it("PER-4 tmux counts as a person's, unless only agents are attached to it", () => {
    const tmux = { program: "tmux" };
    expect(at([bash, tmux])).toMatchObject({ kind: "person", proof: "at pts/1 under tmux" });
    const client = { pid: 300, parent: 301, program: "tmux", tty: "pts7" };
    const shell = { pid: 301, parent: 302, program: "bash", tty: "pts7" };
    expect(at([bash, tmux], [client, shell, { pid: 302, program: "xterm" }])).toMatchObject({ kind: "person" });
    expect(at([bash, tmux], [client, shell, { pid: 302, program: "script" }])).toMatchObject({ kind: "nobody" });
    const agent = { pid: 303, program: "claude", tty: "pts7", words: ["claude"] };
    expect(at([bash, tmux], [client, shell, { pid: 302, program: "xterm" }, agent])).toMatchObject({ kind: "nobody" });
    // A client inside the same multiplexer proves nothing, and is not followed round in circles.
    expect(at([bash, tmux], [{ ...client, parent: 102 }])).toMatchObject({ kind: "nobody" });
  });

  it("PER-5 a container's terminal counts if it was opened from outside, not if init adopted its shell", () => {
    expect(at([bash], [], { top: 0 })).toEqual({ kind: "person", proof: "at pts/1 under the container's terminal" });
    expect(at([bash], [])).toMatchObject({ kind: "nobody" });
  });

  it("PER-6 a background process and one without a controlling terminal do not count as a person", () => {
    expect(at([bash, { program: "sshd" }]).kind).toBe("person");
    const world = {
      pid: 7,
      inside: () => undefined,
      terminalName: () => "",
      processes: () => ({ rows: new Map(), environment: () => ({}), scope: () => "" }),
      runtimes: () => new Map(),
    };
    expect(personAtTerminal({ ...world, atTerminal: () => false })).toMatchObject({
      why: "it does not run in a terminal",
    });
    expect(personAtTerminal({ ...world, atTerminal: () => true })).toMatchObject({
      why: "it has no controlling terminal",
    });
  });

  it("PER-8 a runtime that Conduct knows is an agent, whatever its program is called", () => {
    const live = [[102, { runtime: "claude-code", started: "5" }]] as const;
    expect(at([bash, bash, { program: "sshd" }], [], { live })).toMatchObject({
      why: "its parent process 102 is claude-code",
    });
    const here = [[300, { runtime: "codex", started: "5" }]] as const;
    expect(at([bash, { program: "sshd" }], [{ pid: 300, program: "vim", tty: "pts1" }], { live: here })).toMatchObject({
      why: "codex runs in this terminal (process 300)",
    });
  });

  it("PER-9 a terminal that is not listed, and tmux without a client, count unless a live runtime may have started them", () => {
    const live = [[300, { runtime: "codex", started: "3" }]] as const;
    const codex = { pid: 300, program: "bash" };
    for (const program of ["my-terminal", "tmux", "screen"]) {
      expect(at([bash, { program }])).toMatchObject({ kind: "person" });
      expect(at([bash, { program }], [codex], { live })).toMatchObject({
        why: expect.stringContaining(`its terminal was made by ${program}, which codex (process 300) may have started`),
      });
      expect(at([bash, { program, started: "2" }], [codex], { live })).toMatchObject({ kind: "person" });
      const scope = (pid: number) => (pid === 300 ? "/agent.scope" : "/other.scope");
      expect(at([bash, { program }], [codex], { live, scope })).toMatchObject({ kind: "person" });
    }
    expect(at([bash, { program: "xterm" }], [codex], { live })).toMatchObject({ kind: "person" });
  });

  it("PER-10 script in a person's terminal is that person's, also in a container and in an editor's server", () => {
    const script = { program: "script", tty: "pts0", session: 102 };
    const shell = { program: "bash", tty: "pts0", session: 103 };
    expect(at([bash, script, shell, { program: "sshd" }])).toMatchObject({ kind: "person" });
    expect(at([bash, script, shell], [], { top: 0 })).toMatchObject({
      proof: "at pts/1 under the container's terminal",
    });
    const agent = { pid: 300, program: "claude", tty: "pts0", words: ["claude"] };
    expect(at([bash, script, shell], [agent], { top: 0 })).toMatchObject({
      why: "Claude Code runs in this terminal (process 300)",
    });
    const server = {
      program: "node",
      words: ["/home/ann/.vscode-server/bin/1/node", "/home/ann/.vscode-server/bin/1/out/x.js"],
    };
    expect(at([bash, server])).toMatchObject({ kind: "person" });
    expect(at([bash, { program: "node", words: ["node", "/tmp/x.js"] }])).toMatchObject({ kind: "nobody" });
  });

  it("PER-7 the processes of this machine can be read", () => {
    expect(personAtTerminal().kind).toBe("nobody");
  });
});
