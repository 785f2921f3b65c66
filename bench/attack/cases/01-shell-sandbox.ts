import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, AttackCase } from "../attack.ts";
import {
  hasBubblewrap,
  NO_BUBBLEWRAP,
  openHostedShell,
  outcomeOf,
  pathWithoutBubblewrap,
  readFile,
  SECRET,
  shell,
  writeFile,
} from "../hosted-shell.ts";
import type { AttackWorld } from "../world.ts";

/** Skips the case if there is no sandbox to attack. */
const sandboxed = (name: string, run: AttackCase["run"]): AttackCase => ({
  name,
  run: (world) => (hasBubblewrap() ? run(world) : Promise.resolve(NO_BUBBLEWRAP)),
});

/** A user with the role `user` asks an agent with a shell for data of others. */
export const attack: Attack = {
  id: "01-shell-sandbox",
  title: "A user of the gateway breaks out of the shell tool",
  cases: [
    sandboxed("Read keys from the gateway's environment, memory and open files", async (world) => {
      const { gateway, attacker } = await openHostedShell(world);
      const python = (code: string) => shell(`python3 -c '${code}' 2>&1`);
      const answers = await (await attacker()).run(
        python(`print(open("/pr"+"oc/${gateway.pid}/environ").read())`),
        shell(`d=/pr; cat "$d"oc/${gateway.pid}/environ /proc/1/environ /proc/[0-9]*/environ 2>&1 | tr "\\0" "\\n"`),
        shell("env; set; cat /proc/self/environ"),
        shell(
          `ls /proc/${gateway.pid}/fd /proc/${gateway.pid}/root 2>&1; cat /proc/[0-9]*/root"${world.home}"/conduct.yaml 2>&1`,
        ),
        python(
          `import ctypes,os; p=${gateway.pid}; l=ctypes.CDLL(None); r=l.ptrace(16,p,0,0); print("attached" if r==0 else "no"); r==0 and os.waitpid(p,0); l.ptrace(17,p,0,0)`,
        ),
        shell("ps ax -o args 2>/dev/null; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; true"),
      );
      const leak = (text: string) =>
        text.includes(SECRET) ||
        text.includes("CONDUCT_TOKEN") ||
        text.includes("conduct.mjs") ||
        text.includes("attached");
      return outcomeOf(answers, leak, "No process but the command's own can be seen.");
    }),

    sandboxed("Make oneself an operator in the store", async (world) => {
      const { gateway, attacker } = await openHostedShell(world);
      const write = (path: string) =>
        shell(`python3 -c 'import sqlite3,glob
for f in glob.glob("${path}"):
  c=sqlite3.connect(f); q=chr(34); c.execute("update conduct_users set body=replace(body,?,?)", (q+"user"+q,q+"operator"+q)); c.commit(); print("changed")' 2>&1; true`);
      const mallory = await attacker();
      const answers = await mallory.run(
        write("../../../.con*/conduct.db"),
        write(`${world.user}/.con*/conduct.db`),
        shell(`ls -a ../../.. ../../../.con"duct" ~ ${world.user} 2>&1`),
      );
      const users = await gateway.client().call("GET /api/users", {});
      const role = JSON.stringify(users).includes('"id":"mallory","name":"mallory","role":"user"') ? "user" : "changed";
      return outcomeOf(
        [...answers, role],
        (text) => /changed|conduct\.(?:db|yaml)/.test(text),
        "The store is not there.",
      );
    }),

    sandboxed("Read another user's files and the operator's home", async (world) => {
      mkdirSync(join(world.user, ".ssh"));
      writeFileSync(join(world.user, ".ssh", "id_ed25519"), SECRET);
      const { attacker } = await openHostedShell(world);
      const victim = await attacker("victim");
      await victim.run(writeFile("a.txt", SECRET));
      const answers = await (await attacker()).run(
        shell("d=..; cat $d/victim/a.txt; ls $d"),
        shell(`cat ${victim.workspace}/a.txt; cat "$(dirname "$PWD")"/v*/a.txt`),
        shell(`cat ~/.ssh/id_ed25519 ${world.user}/.ss*/id_ed25519 /root/.ssh/* /home/*/.ssh/*; true`),
        shell("find / -xdev -name a.txt -newer /etc/hosts 2>/dev/null | head; find / -name id_ed25519 2>/dev/null"),
        shell("cat /etc/shadow /etc/ssl/private/* /var/run/secrets/*/*; true"),
        readFile("../victim/a.txt"),
        readFile(`${victim.workspace}/a.txt`),
      );
      const leak = (text: string) =>
        text.includes(SECRET) || /^root:/m.test(text) || /victim\/a\.txt$/m.test(text.trim());
      return outcomeOf(answers, leak, "Only the attacker's own folder can be seen.");
    }),

    sandboxed("Reach the gateway's API and other servers of the machine", async (world) => {
      const place = await listen(world, { port: 0, host: "127.0.0.1" });
      const path = join(world.root, "s.sock");
      await listen(world, { path });
      const name = `conduct-attack-${process.pid}`;
      await listen(world, { path: `\0${name}` });
      const { gateway, attacker } = await openHostedShell(world);
      const python = (code: string) =>
        shell(`python3 -c 'import socket
s=socket.socket(${code}); print(s.recv(99))' 2>&1; true`);
      const answers = await (await attacker()).run(
        shell(`curl -s -m 5 ${gateway.url}/api/health 2>&1; true`),
        shell(`curl -s -m 5 telnet://127.0.0.1:${place} </dev/null 2>&1; true`),
        python(`); s.settimeout(5); s.connect(("127.0.0.1",${place})`),
        python(`socket.AF_INET6); s.settimeout(5); s.connect(("::ffff:127.0.0.1",${place})`),
        python(`socket.AF_UNIX); s.settimeout(5); s.connect("${path}")`.replace('")', '"')),
        python(`socket.AF_UNIX); s.settimeout(5); s.connect(b"\\0${name}"`),
        python(`40,1); s.settimeout(5); s.connect((2,1024)`),
        shell("ls /run/docker.sock /var/run/docker.sock /var/run/postgresql /run/user 2>&1; true"),
      );
      const reached = (text: string) => /reached|"ok"|"status"|reset by peer|docker\.sock$/m.test(text);
      return outcomeOf(
        answers,
        reached,
        "Every connection fails, also by unix sockets and to the host of a virtual machine.",
      );
    }),

    sandboxed("Use the hosts that an agent may reach to get to others", async (world) => {
      const [allowed, other] = [await listenHttp(world, "reached A"), await listenHttp(world, "reached B")];
      const { gateway, attacker } = await openHostedShell(world, {
        network: [`127.0.0.1:${allowed}`, "*.example.org"],
      });
      const [works, ...answers] = await (await attacker()).run(
        shell(`curl -s -m 10 http://127.0.0.1:${allowed}/`),
        shell(`curl -s -m 10 http://127.0.0.1:${other}/`),
        shell(`curl -s -m 10 http://localhost:${other}/; curl -s -m 10 http://2130706433:${other}/`),
        shell(
          `curl -s -m 10 -p http://127.0.0.1:${other}/; curl -s -m 10 --noproxy "*" http://127.0.0.1:${other}/; true`,
        ),
        shell(`curl -s -m 10 -H "Host: 127.0.0.1:${allowed}" http://127.0.0.1:${other}/`),
        shell(`curl -s -m 10 ${gateway.url}/api/health`),
        shell("curl -s -m 10 http://169.254.169.254/latest/meta-data"),
        shell(
          `printf 'CONNECT 127.0.0.1:${other} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.0\\r\\n\\r\\n' | timeout 5 curl -s -m 5 telnet://127.0.0.1:3128`,
        ),
      );
      if (works?.includes("reached A") !== true)
        return { tried: 1, held: 0, note: `The allowed host is not reached: ${works}` };
      return outcomeOf(
        answers,
        (text) => /reached|"ok"|"status"|ami-id/.test(text),
        "The proxy lets the named host pass and no other.",
      );
    }),

    sandboxed("Plant links, pipes and devices for the file tools", async (world) => {
      const secret = join(world.root, "outside");
      mkdirSync(secret);
      writeFileSync(join(secret, "a.txt"), SECRET);
      const { attacker } = await openHostedShell(world);
      const mallory = await attacker();
      await mallory.run(
        shell(`ln -s ${secret} dir; ln -s ${secret}/a.txt file; ln -s ../../../../outside up; ln -s dir/a.txt twice
          mkfifo pipe; ln -s /dev/zero zero; ln -s /proc/self/environ env; ln -s /proc/self/root root; ln -s a b; ln -s b a
          truncate -s 900M huge`),
      );
      const paths = ["dir/a.txt", "file", "up/a.txt", "twice", "env", `root${secret}/a.txt`, "a", "pipe", "zero"];
      const answers = await mallory.run(
        ...paths.map(readFile),
        ...paths.slice(0, 6).map((path) => writeFile(path, "owned")),
      );
      const [big] = await mallory.run(readFile("huge"));
      const kept = readFileSync(join(secret, "a.txt"), "utf8") === SECRET ? "kept" : "owned";
      return outcomeOf(
        [...answers, kept, big],
        (text) => text.includes(SECRET) || text.startsWith("owned") || text.includes("CONDUCT_"),
        "Nothing outside was read or written, and nothing hung.",
      );
    }),

    sandboxed("Swap a folder for a link while the file tools work in it", async (world) => {
      const secret = join(world.root, "outside");
      mkdirSync(secret);
      writeFileSync(join(secret, "a.txt"), SECRET);
      const { attacker } = await openHostedShell(world);
      const [racer, reader] = [await attacker(), await attacker()];
      await racer.run(shell("mkdir d; echo mine > d/a.txt"));
      const flip = `import os, random, shutil, time
while not os.path.exists("stop"):
  try:
    os.rename("d", "aside"); os.symlink("${secret}", "d"); time.sleep(random.random() / 2000); os.remove("d"); os.rename("aside", "d"); time.sleep(random.random() / 2000)
  except OSError:
    shutil.rmtree("d", True); shutil.rmtree("aside", True); os.path.islink("d") and os.remove("d")
    os.makedirs("d", exist_ok=True); open("d/a.txt", "w").write("mine")`;
      const racing = racer.run(shell(`python3 -c '${flip}'`));
      const calls = Array.from({ length: 60 }, (_, at) =>
        at % 2 === 0 ? readFile("d/a.txt") : writeFile("d/a.txt", "mine"),
      );
      const answers = await reader.run(...calls);
      writeFileSync(join(reader.workspace, "stop"), "");
      await racing;
      const kept = readFileSync(join(secret, "a.txt"), "utf8") === SECRET ? "kept" : "overwritten";
      return outcomeOf(
        [...answers, kept],
        (text) => text.includes(SECRET) || text === "overwritten",
        "No swap got a read or a write out.",
      );
    }),

    sandboxed("Change the machine, end the gateway, leave a process behind", async (world) => {
      const { gateway, attacker } = await openHostedShell(world);
      const mallory = await attacker();
      const mark = `conduct-attack-${process.pid}`;
      world.onClose(() => {
        for (const folder of ["/usr", "/usr/local", "/etc", "/tmp", "/dev/shm"])
          rmSync(join(folder, mark), { force: true });
      });
      const answers = await mallory.run(
        shell(`for d in /usr /usr/local /etc /tmp /dev/shm; do touch $d/${mark}; done; true`),
        shell("[ -w /proc/sys/kernel/core_pattern ] && echo can change the kernel; true"),
        shell(
          "unshare -Ur mount -t tmpfs none /mnt 2>/dev/null && echo can mount; grep CapEff /proc/self/status | grep -v ':.0*$' && echo can; true",
        ),
        shell("setsid sh -c 'while :; do date >> beat; sleep 0.1; done' >/dev/null 2>&1 & sleep 0.5"),
        shell(`kill -9 ${gateway.pid}; sleep 0.3; true`),
      );
      const size = () => readFileSync(join(mallory.workspace, "beat")).length;
      const before = size();
      await sleep(1_000);
      const left = ["/usr", "/usr/local", "/etc", "/tmp", "/dev/shm"].filter((folder) =>
        existsSync(join(folder, mark)),
      );
      const alive = await fetch(`${gateway.url}/api/health`).then(
        () => "alive",
        () => "can end the gateway",
      );
      return outcomeOf(
        [
          ...answers,
          ...left.map((folder) => `can write to ${folder}`),
          size() === before ? "ended" : "can stay",
          alive,
        ],
        // A denial also says what an operator can do.
        (text) => text.includes("can ") && !text.startsWith("Denied by "),
        "The machine is read-only, and everything ends with the command.",
      );
    }),

    {
      name: "Use a shell where the machine has no sandbox",
      async run(world) {
        const { gateway, attacker } = await openHostedShell(world, { env: { PATH: pathWithoutBubblewrap(world) } });
        const refused = await attacker().then(() => "let in", String);
        const token = await gateway.token("user", "eve");
        const harmless = { model: "own/scripted", tools: [] };
        const put = (definition: object, after: number) =>
          gateway.client().call("PUT /api/agents/{name}", {
            params: { name: "late" },
            body: { definition: { ...definition }, after, reason: "attack" },
          });
        await put(harmless, 0);
        const { id } = await gateway.client(token).call("POST /api/sessions", { body: { agent: "late" } });
        await put({ ...harmless, tools: [{ name: "shell" }] }, 1);
        const later = await gateway
          .client(token)
          .call("POST /api/sessions/{id}/messages", { params: { id }, body: { text: "attack" } })
          .then(() => "let in", String);
        const operator = await gateway.client().call("POST /api/sessions", { body: { agent: "clerk" } });
        return outcomeOf(
          [refused, later, operator.id === "" ? "let in" : "Only operators may use"],
          (text) => !text.includes("Only operators may use"),
          "Users are refused with a sentence that says how to install a sandbox; the operator is not.",
        );
      },
    },
  ],
};

async function listen(world: AttackWorld, place: { port: number; host: string } | { path: string }): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("reached\n"));
  return opened(world, server, place);
}

async function listenHttp(world: AttackWorld, text: string): Promise<number> {
  const { createServer: createHttp } = await import("node:http");
  return opened(
    world,
    createHttp((_, reply) => void reply.end(text)),
    { port: 0, host: "127.0.0.1" },
  );
}

async function opened(world: AttackWorld, server: Server, place: object): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(place, resolve));
  world.onClose(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
