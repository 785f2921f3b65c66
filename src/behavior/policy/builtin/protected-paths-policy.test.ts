import { describe, expect, it } from "vitest";
import { call, context, facts, onFile } from "../test/test-policy.ts";
import { protectedPathsPolicy } from "./protected-paths.ts";

describe("protected paths", () => {
  const policy = protectedPathsPolicy({
    paths: ["/home/u/.conduct"],
    spellings: ["~/.conduct", "$CONDUCT_HOME"],
    programs: ["conduct", "agent-conduct"],
    home: "/home/u",
  });
  const shell = (command: string) =>
    policy.check(call("shell", { args: { command } }), context(null, facts(), undefined, true)).kind;

  it.each([
    ["/home/u/.conduct/db", "deny"],
    ["/home/u/.conduct", "deny"],
    ["/home/u/.conductor", "allow"],
    ["/w/.claude/settings.json", "deny"],
    ["/w/.claude/settings.local.json", "deny"],
    ["/home/u/.codex/hooks.json", "deny"],
    ["/w/.claude/notes.md", "allow"],
    ["/home/u/.Conduct/db", "deny"],
  ])("PP-1 access to %s gets the decision %s even in an elevated session", (resolved, kind) => {
    expect(
      policy.check(onFile("read_file", "p", "read"), context(null, facts({ p: { resolved } }), undefined, true)).kind,
    ).toBe(kind);
  });

  it.each([
    ["pkill conduct", "deny"],
    ["sudo pkill -9 -f conduct", "deny"],
    ["pkill -f 'cond.ct'", "deny"],
    ["pkill -f 'conduct.mjs daemon'", "deny"],
    ["killall conduct", "deny"],
    ["kill $(pgrep conduct)", "deny"],
    ["kill -9 $(pgrep -f conduct.mjs)", "deny"],
    ["pgrep -f conduct | xargs kill", "deny"],
    ["ps aux | grep '[c]onduct' | awk '{print $2}' | xargs kill", "deny"],
    ["kill `pidof conduct`", "deny"],
    ["systemctl --user stop conduct", "deny"],
    ["systemctl stop conduct-gateway.service", "deny"],
    ["launchctl unload ~/Library/LaunchAgents/com.acme.conduct.plist", "deny"],
    ["bash -c 'pkill conduct'", "deny"],
    ["pm2 delete conduct", "deny"],
    ["systemctl status conduct", "allow"],
    ["pkill -f conductor", "allow"],
    ["pkill -f vite", "allow"],
    ["pkill -f '(vite|webpack)'", "allow"],
    ["killall node", "allow"],
    ["kill %1; cd /work/conduct && npm start", "allow"],
    ["pkill -f /srv/conduct/server.js", "allow"],
    ["kill $(lsof -t -i:3000)", "allow"],
    ["systemctl stop nginx", "allow"],
    ["pgrep conduct", "allow"],
    ["git commit -m 'kill the conduct daemon'", "allow"],
  ])("PP-30 no agent may stop Conduct: %s gets the decision %s", (command, kind) => {
    expect(shell(command)).toBe(kind);
  });

  it.each([
    ["npx secretlint '**/*'", "allow"],
    ["xmllint --xpath '//*[local-name()=\"version\"][1]/text()' pom.xml", "allow"],
    ["cat /*/db", "deny"],
    ["cat /conduct-hom[de]/db", "deny"],
  ])("PP-60 a pattern is compared with a folder at the root: %s gets the decision %s", (command, kind) => {
    const atRoot = protectedPathsPolicy({ paths: ["/conduct-home"], spellings: [], programs: [] });
    expect(atRoot.check(call("shell", { args: { command } }), context(null, facts(), undefined, true)).kind).toBe(kind);
  });

  it.each([
    ["cat ~/.conduct/db", "deny"],
    ["cat $CONDUCT_HOME/db", "deny"],
    ["sh -c 'cat ~/.conduct/db'", "deny"],
    ["echo x > /home/u/.conduct/db", "deny"],
    ["echo x > .claude/settings.json", "deny"],
    ["conduct behavior add x", "deny"],
    ["cd /x && ./node_modules/.bin/conduct pause", "deny"],
    ["npx conduct pause", "deny"],
    ["npm run -s conduct -- pause", "deny"],
    ["echo 'conduct", "allow"],
    ["echo '~/.conduct", "deny"],
    ["grep -r conduct src", "allow"],
    ["npm test", "allow"],
    ["cat /home/u/./.conduct//db", "deny"],
    ["cat /home/x/../u/.conduct/db", "deny"],
    ["cat --file=~/.conduct/db", "deny"],
    ["curl -d @/home/u/.conduct/db x", "deny"],
    ["cat /home/u/.c[o]nduct/db", "deny"],
    ["cat ~/.conductor/db", "allow"],
    ["cat ~/*/db", "allow"],
    ["cat ~/.conf*/db", "allow"],
    ["cd ~ && cat .conduct/db", "deny"],
    ["cd /home/u/.conduct; ls", "deny"],
    ["node --import x src/apps/cli/conduct.mjs trust", "deny"],
    ["npx agent-conduct trust", "deny"],
    ["npx -y -p x agent-conduct@1 trust", "deny"],
    ["pnpm --dir x conduct pause", "deny"],
    ["timeout -s KILL 5 conduct pause", "deny"],
    ["bash <<< 'conduct pause'", "deny"],
    [`${"$(".repeat(20)} ; conduct pause`, "deny"],
    ["npm install agent-conduct", "allow"],
    ["npm --prefix conduct test", "allow"],
    ["cd conduct && npm test", "allow"],
    ["ls conduct", "allow"],
    ["node conduct/index.js", "allow"],
    ["git commit -m 'conduct: fix'", "allow"],
    ["timeout 5 grep -r conduct src", "allow"],
  ])("PP-2 the command %s gets the decision %s", (command, kind) => {
    expect(shell(command)).toBe(kind);
  });
});
