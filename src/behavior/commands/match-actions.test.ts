import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellAccess } from "./files/access.ts";
import { matchActions } from "./match-actions.ts";

describe("actions", () => {
  const actions = {
    test: { tool: "shell", command: "npm test *" },
    deploy: { tool: "shell", command: "*deploy*" },
    look: { tool: "read_file" },
  };
  it.each([
    ["npm test", ["test"], ["test"]],
    ["npm test -- --all", ["test"], ["test"]],
    ["npm test && true", ["test"], ["test"]],
    ["npm test || true", ["test"], []],
    ["npm tests", [], []],
    ["sudo npm run deploy", ["deploy"], ["deploy"]],
    ["npm run deploy", ["deploy"], ["deploy"]],
    ["bash -c 'make deploy'", ["deploy"], ["deploy"]],
    ["cd x; make deploy", ["deploy"], ["deploy"]],
    ["make deploy; true", ["deploy"], []],
    ["echo 'npm test", ["test"], []],
  ])("AC-1 the command '%s' is gated as %j and proves %j", (command, gates, proves) => {
    expect(matchActions("shell", { command }, actions)).toEqual({ actions: gates, proves });
  });

  it.each([
    ["terraform apply *", "terraform -chdir=infra apply", true],
    ["terraform apply *", "terraform -chdir=infra plan", false],
    ["terraform apply *", "terraform destroy", false],
    ["git push *", "git -C sub push", true],
    ["git push *", "git -c a=b --no-pager push origin main", true],
    ["git push *", "git -C push status", false],
    ["git push *", "git commit -m push", false],
    ["git push --force *", "git push origin main -f", true],
    ["git push --force *", "git push origin main", false],
    ["git push origin main", "git push -q origin main", true],
    ["git push origin main", "git push origin main next", false],
    ["rm -rf *", "rm -r -f x", true],
    ["rm -rf *", "rm --force x --recursive", true],
    ["rm -rf *", "rm -r x", false],
    ["npm publish *", "npm --prefix sub publish", true],
    ["docker compose down *", "docker --context a compose -f x.yml down -v", true],
    ["docker compose down *", "docker compose -f down.yml up", false],
    ["mytool deploy *", "mytool --verbose deploy", true],
    ["mytool deploy *", "mytool status", false],
  ])("AC-9 the pattern '%s' gates what the program does, however it is written: '%s' %s", (pattern, command, gated) => {
    const matched = matchActions("shell", { command }, { it: { tool: "shell", command: pattern } });
    expect(matched.actions).toEqual(gated ? ["it"] : []);
    // Proof stays with the text: a dry run or another folder proves nothing.
    expect(matched.proves).toEqual([]);
  });

  it.each([
    "npm publish",
    "npm publish --tag x",
    "/usr/bin/npm publish",
    "sudo npm publish",
    "sudo -u me npm publish",
    "sudo -n npm publish",
    `${"env ".repeat(9)}npm publish`,
    "env -u X A=1 npm publish",
    "env -S 'npm publish'",
    "timeout -s KILL 5 npm publish",
    "timeout 5 /usr/bin/npm publish",
    "nice -n 10 npm publish",
    "time -p npm publish",
    "setsid npm publish",
    "nohup npm publish &",
    "stdbuf -oL npm publish",
    "xargs -I {} npm publish",
    "xargs -n 1 npm publish",
    "coproc npm publish",
    "npx npm publish",
    "corepack npm publish",
    "uv run npm publish",
    "find . -exec npm publish \\;",
    "find . -exec sudo npm publish {} +",
    "su -c 'npm publish'",
    "su - me -c 'npm publish'",
    "ssh host npm publish",
    "ssh -p 22 host 'cd x && npm publish'",
    "docker run --rm -v a:b image npm publish",
    "bash -c 'npm publish'",
    "bash -c -e 'npm publish'",
    "bash -o pipefail -ec 'npm publish'",
    "bash <<< 'npm publish'",
    "bash <<'EOF'\nnpm publish\nEOF",
    "bash -s <<EOF\nnpm publish\nEOF",
    "echo 'npm publish' | sh",
    "printf 'ls\\nnpm publish' | bash",
    "cat <(npm publish)",
    "echo > >(npm publish)",
    "cat <<EOF\n$(npm publish)\nEOF",
    "echo $(( $(npm publish) ))",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell writes it.
    "echo ${x:-$(npm publish)}",
    "if true; then npm publish; fi",
    "f() { npm publish; }; f",
    "case x in x) npm publish;; esac",
    "x=1 npm publish",
    "watch 'npm publish'",
    "git bisect run npm publish",
    `sudo ${"-x y ".repeat(70)} npm publish`,
  ])("AC-3 the command %s is gated as npm publish", (command) => {
    expect(
      matchActions("shell", { command }, { publish: { tool: "shell", command: "npm publish *" } }).actions,
    ).toEqual(["publish"]);
  });

  it.each([
    "echo npm publish",
    "git commit -m 'npm publish'",
    "git commit -m npm publish",
    "grep -r 'npm publish' docs",
    "xargs grep npm publish",
    "timeout 5 echo npm publish",
    "cat <<'EOF'\nnpm publish\n$(npm publish)\nEOF",
    "cat <<EOF\nnpm publish\nEOF",
    "cat > ci.yml <<'EOF'\nrun: npm publish\nEOF",
    "# npm publish",
    "npm test # npm publish",
    "npm run publish-docs",
    "echo 'npm publish' > notes.md",
    "python3 <<'EOF'\nnpm publish\nEOF",
    "echo 'npm publish' | cat",
  ])("AC-4 the command %s only mentions npm publish and is not gated", (command) => {
    expect(
      matchActions("shell", { command }, { publish: { tool: "shell", command: "npm publish *" } }).actions,
    ).toEqual([]);
  });

  it("AC-2 an action may match a tool alone, and a command that is not a string matches no action", () => {
    expect(matchActions("read_file", {}, actions)).toEqual({ actions: ["look"], proves: ["look"] });
    expect(matchActions("shell", { command: 7 }, actions)).toEqual({ actions: [], proves: [] });
  });
});

it("FAST-4 what was read from a command is used again for other actions, and the answers are those of a first reading", () => {
  const commands = [
    "npm test",
    "npm test && npm run deploy",
    "npm test || true",
    "cd x; make deploy",
    "cat a > b",
    "'",
  ];
  const patterns = ["npm test *", "*deploy*", "make *", "cat *"];
  // A space at the end makes another line with the same meaning, which has not been read before.
  let spaces = "";
  const fresh = (command: string) => `${command}${spaces}`;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...commands), fc.constantFrom(...patterns)), { maxLength: 20 }),
      (asked) => {
        for (const [command, pattern] of asked) {
          spaces += " ";
          const actions = { it: { tool: "shell", command: pattern } };
          const first = matchActions("shell", { command: fresh(command) }, actions);
          expect(matchActions("shell", { command }, actions)).toEqual(first);
          expect(shellAccess(command)).toEqual(shellAccess(fresh(command)));
        }
      },
    ),
    { numRuns: 20 },
  );
});
