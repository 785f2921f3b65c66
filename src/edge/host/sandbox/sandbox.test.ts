import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Commands } from "../../../base/ports/commands.ts";
import { nodeCommands } from "../node/node-commands.ts";
import { findSandbox } from "./find-sandbox.ts";
import { describeSandbox, type Sandbox } from "./sandbox.ts";

const top = mkdtempSync(join(tmpdir(), "conduct-sandbox-test-"));
const [home, workspace] = [join(top, "home"), join(top, "home-work", "clerk", "ann")];
mkdirSync(home);
mkdirSync(workspace, { recursive: true });
const find = (env: NodeJS.ProcessEnv) => findSandbox({ home, env, folder: join(home, "run") });
const sandbox: Sandbox = await find({ ...process.env, SOME_KEY: "of-the-gateway" });
const timeoutMs = 60_000;

afterAll(() => rmSync(top, { recursive: true, force: true }));

describe.skipIf(sandbox.kind === "none")("a command in the sandbox", () => {
  let commands: Commands;
  beforeAll(() => {
    writeFileSync(join(home, "conduct.db"), "secret");
    commands = nodeCommands(workspace, {
      wrap: (line) =>
        sandbox.kind === "none" ? { file: "false", args: [], env: {} } : sandbox.wrap(line, { workspace }),
    });
  });
  const output = async (command: string) => (await commands.run(command, { timeoutMs })).output;

  it.each([
    { command: "echo hi", exitCode: 0, output: "hi\n" },
    { command: "exit 3", exitCode: 3, output: "" },
    { command: "echo out; echo err >&2; echo out2", exitCode: 0, output: "out\nerr\nout2\n" },
    { command: "printf '%s' \"$0|$#\"; cat", exitCode: 0, output: "sh|0" },
    { command: "kill -9 $$", exitCode: 137, output: "" },
    { command: "echo $CONDUCT_SESSION $SOME_KEY $HOME; whoami", exitCode: 0, output: "gateway /home/agent\nagent\n" },
    { command: "no-such-program 2>/dev/null", exitCode: 127, output: "" },
  ])("SBX-1 $command in the sandbox exits with $exitCode", async ({ command, exitCode, output }) => {
    expect(await commands.run(command, { timeoutMs })).toEqual({ exitCode, output, timedOut: false });
  });

  it("SBX-2 a sandboxed command runs in its folder at the same path as outside, and its files remain", async () => {
    expect(await output("pwd; echo kept > a.txt; mkdir -p b && mv a.txt b/")).toBe(`${workspace}\n`);
    expect(readFileSync(join(workspace, "b", "a.txt"), "utf8")).toBe("kept\n");
    expect(await output("node -p 1+1 && python3 -c 'print(2)' && git init -q r && echo ok")).toBe("2\n2\nok\n");
  });

  it.each([
    ["Conduct's home", `cat ${home}/conduct.db ../../../home/conduct.db; ls ${home}`, /secret|conduct\.db$/m],
    ["other workspaces", `ls ${top}/home-work ${top}/home-work/clerk | grep -v -e ann -e clerk -e ':' -e '^$'`, /./],
    [
      "other processes",
      `ls /proc | grep -c '^[0-9]*$' | awk '$1 > 12'; kill -0 ${process.pid} && echo seen`,
      /^\d|seen/,
    ],
    ["the operator's home", "ls -A /root /home | grep -v -e agent -e : -e '^$' -e cannot", /./],
    ["sockets of the machine", "ls /run /var/run 2>/dev/null | grep -v -e conduct -e :", /./],
    ["passwords of the machine", "cat /etc/shadow /etc/ssl/private/* 2>/dev/null", /./],
    ["the kernel's settings", "[ -w /proc/sys/kernel/core_pattern ] && echo writable", /writable/],
    ["the machine's folders", "for d in / /usr /etc /dev /bin /run; do touch $d/x 2>/dev/null && echo $d; done", /./],
    ["capabilities", "grep CapEff /proc/self/status /proc/1/status | grep -v ':\t0*$'", /./],
    ["new user namespaces", "unshare -Ur true 2>/dev/null && echo made", /made/],
    ["other devices than loopback", "tail -n +3 /proc/net/dev | grep -v '^ *lo:'", /./],
    [
      "sockets to the host of a virtual machine",
      "python3 -c 'import socket; socket.socket(40, 1); print(1)' 2>/dev/null",
      /1/,
    ],
  ])("SBX-3 a sandboxed command does not get %s", async (_, command, leak) => {
    expect(await output(`{ ${command}; } 2>/dev/null; true`)).not.toMatch(leak);
  });

  it("SBX-4 a sandboxed command cannot reach servers on the machine", async () => {
    const server = createServer((socket) => socket.end("reached"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const told = await output(
      `python3 -c 'import socket; print(socket.create_connection(("127.0.0.1", ${port}), 5).recv(9))' 2>&1`,
    );
    server.close();
    expect(told).toContain("refused");
  });

  it("SBX-5 a timeout and an abort kill every process that the sandboxed command started", async () => {
    const beat = (name: string) => `setsid sh -c 'while :; do echo x >> ${name}; sleep 0.05; done' & sleep 1000`;
    const timed = await commands.run(`echo early; ${beat("t")}`, { timeoutMs: 2_500 });
    expect(timed).toEqual({ exitCode: undefined, output: "early\n", timedOut: true });
    const controller = new AbortController();
    const running = commands.run(beat("u"), { timeoutMs, signal: controller.signal });
    await vi.waitFor(() => readFileSync(join(workspace, "u")), 20_000);
    controller.abort();
    expect((await running).exitCode).toBeUndefined();
    await expectStill("t", "u");
  });

  it("SBX-6 a background process in the sandbox ends with its command", async () => {
    expect(
      await output("setsid sh -c 'while :; do echo x >> v; sleep 0.05; done' >/dev/null 2>&1 & sleep 0.4; echo done"),
    ).toBe("done\n");
    await expectStill("v");
  });

  it("SBX-7 the sandbox limits core files, file sizes and the memory of /tmp", async () => {
    expect(await output("ulimit -c; ulimit -f; cat /proc/self/oom_score_adj")).toBe("0\n2097152\n1000\n");
    expect(await output("truncate -s 2G /tmp/x 2>&1 || echo refused")).toContain("refused");
    expect(await output("df -k /tmp /dev/shm /home/agent | awk 'NR>1 {print $2}'")).toBe("1048576\n65536\n262144\n");
  });

  it("SBX-8 the output says if the sandbox does not start", async () => {
    const gone = join(top, "gone");
    mkdirSync(gone);
    const broken = nodeCommands(gone, {
      wrap: (line) => {
        const wrapped = sandbox.kind === "none" ? undefined : sandbox.wrap(line, { workspace: join(top, "never") });
        return wrapped ?? { file: "false", args: [], env: {} };
      },
    });
    expect(await broken.run("echo ran", { timeoutMs })).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^bwrap: /),
    });
  });

  async function expectStill(...names: readonly string[]): Promise<void> {
    const sizes = () => names.map((name) => readFileSync(join(workspace, name)).length);
    // The kernel may need a moment to end them all.
    await vi.waitFor(async () => {
      const before = sizes();
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(sizes()).toEqual(before);
    }, 20_000);
  }
});

it("SBX-9 without a working bubblewrap on PATH there is no sandbox, and a message says how to get one", async () => {
  const empty = join(top, "bin");
  mkdirSync(empty);
  const none = await find({ PATH: empty });
  if (process.platform === "linux")
    expect(describeSandbox(none)).toMatch(/^none \(bubblewrap is not installed\).*apt-get install bubblewrap/);
  writeFileSync(join(empty, "bwrap"), "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n", {
    mode: 0o755,
  });
  const denied = await find({ PATH: empty });
  expect(denied.kind).toBe("none");
  if (process.platform === "linux") expect(describeSandbox(denied)).toContain("setting up uid map: Permission denied");
  // One that runs commands without a sandbox is found out.
  const lies =
    '#!/bin/sh\n[ "$1" = --version ] && { echo bubblewrap 9; exit; }\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n';
  writeFileSync(join(empty, "bwrap"), lies, { mode: 0o755 });
  expect(await find({ PATH: `${empty}:/usr/bin:/bin` })).toMatchObject({ kind: "none" });
});
