import { afterEach, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machines: Machine[] = [];
afterEach(async () => {
  for (const one of machines.splice(0)) await one.close();
});

/** A machine, and its commands: each prints what a person sees. */
function person() {
  const machine = new Machine();
  machines.push(machine);
  const run = async (...words: readonly string[]) => {
    const { out, err } = await machine.conduct(["behavior", ...words]);
    return `${out}${err}`;
  };
  /** The id of the directive with this text, in the contract that the words choose. */
  const idOf = async (text: string, ...words: readonly string[]) =>
    new RegExp(`${text}\\s+(d_\\w+)`).exec(await run("list", ...words))?.[1] ?? "";
  return { run, idOf };
}

describe("options of conduct behavior", () => {
  wired(
    [
      "conduct behavior add --text",
      "conduct behavior add --type",
      "conduct behavior add --scope",
      "conduct behavior add --expires",
      "conduct behavior add --check",
      "conduct behavior add --dry-run",
      "conduct behavior list --agent",
      "conduct behavior list --channel",
      "conduct behavior list --user",
    ],
    "WIR-100 a directive has its type, scope, expiry and check, is in the contracts of its scope only, and a dry run writes nothing",
    async () => {
      const { run, idOf } = person();
      await run(
        "add",
        "--type",
        "stop",
        "--text",
        "long reports",
        "--scope",
        "agent:clerk",
        "--expires",
        "7d",
        "--check",
        "length: at most 50 words",
      );
      await run("add", "KEEP: pager rules", "--scope", "channel:pager");
      await run("add", "MORE: of ann", "--scope", "user:ann");
      expect(await run("add", "--dry-run", "STOP: nothing at all")).toContain("nothing at all");
      const clerk = await run("list", "--agent", "clerk");
      expect(clerk).toMatch(/STOP\s+long reports/);
      expect(clerk).toMatch(/expires|until/);
      expect(await run("show", await idOf("long reports", "--agent", "clerk"))).toContain("at most 50 words");
      expect(clerk).not.toMatch(/pager rules|of ann/);
      expect(await run("list", "--channel", "pager")).toContain("pager rules");
      expect(await run("list", "--user", "ann")).toContain("of ann");
      expect(await run("list", "--agent", "porter")).not.toMatch(/long reports|nothing at all/);
    },
  );
  wired(
    [
      "conduct behavior replace --text",
      "conduct behavior replace --type",
      "conduct behavior replace --scope",
      "conduct behavior replace --expires",
      "conduct behavior replace --check",
      "conduct behavior replace --dry-run",
      "conduct behavior remove --reason",
      "conduct behavior remove --dry-run",
    ],
    "WIR-101 a directive is replaced with all its properties, or removed with a reason, and a dry run changes nothing",
    async () => {
      const { run, idOf } = person();
      await run("add", "STOP: long reports");
      const id = await idOf("long reports");
      const words = [
        "--type",
        "less",
        "--text",
        "detail",
        "--scope",
        "agent:clerk",
        "--expires",
        "12h",
        "--check",
        "length: at most 90 words",
      ];
      await run("replace", id, ...words, "--dry-run");
      expect(await run("list")).toContain("long reports");
      await run("replace", id, ...words);
      const clerk = await run("list", "--agent", "clerk");
      expect(clerk).toMatch(/LESS\s+detail/);
      const next = await idOf("detail", "--agent", "clerk");
      expect(await run("show", next)).toContain("at most 90 words");
      await run("remove", next, "--dry-run");
      expect(await run("list", "--agent", "clerk")).toContain("detail");
      await run("remove", next, "--reason", "it was too terse");
      expect(await run("list", "--agent", "clerk")).not.toMatch(/LESS\s+detail/);
      expect(await run("history")).toContain("it was too terse");
    },
  );
  wired(
    [
      "conduct behavior show --at",
      "conduct behavior show --version",
      "conduct behavior show --hash",
      "conduct behavior show --agent",
      "conduct behavior show --channel",
      "conduct behavior show --user",
      "conduct behavior diff --agent",
      "conduct behavior diff --channel",
      "conduct behavior diff --user",
      "conduct behavior undo --scope",
      "conduct behavior undo --dry-run",
    ],
    "WIR-102 an earlier contract is shown by time, version and hash, for each scope; an undo takes the newest change of a scope back",
    async () => {
      const { run } = person();
      const before = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z/, "Z");
      await run("add", "STOP: one");
      await run("add", "STOP: two", "--scope", "agent:clerk");
      await run("add", "STOP: three", "--scope", "channel:pager");
      await run("add", "STOP: four", "--scope", "user:ann");
      expect(await run("show", "--at", before)).not.toMatch(/STOP\s+one/);
      expect(await run("show", "--version", "1")).toMatch(/STOP\s+one/);
      const hash = /\bv1 (\w+)/.exec(await run("show", "--version", "1"))?.[1] ?? "";
      expect(hash).not.toBe("");
      expect(await run("show", "--hash", hash)).toMatch(/STOP\s+one/);
      expect(await run("show", "--version", "4", "--agent", "clerk")).toMatch(/two/);
      expect(await run("show", "--version", "4", "--channel", "pager")).toMatch(/three/);
      expect(await run("show", "--version", "4", "--user", "ann")).toMatch(/four/);
      expect(await run("diff", "1", "--agent", "clerk")).toMatch(/two/);
      expect(await run("diff", "1", "--agent", "clerk")).not.toMatch(/three/);
      expect(await run("diff", "1", "--channel", "pager")).toMatch(/three/);
      expect(await run("diff", "1", "--user", "ann")).toMatch(/four/);
      await run("undo", "--scope", "agent:clerk", "--dry-run");
      expect(await run("list", "--agent", "clerk")).toContain("two");
      await run("undo", "--scope", "agent:clerk");
      expect(await run("list", "--agent", "clerk")).not.toMatch(/STOP\s+two/);
      expect(await run("list", "--user", "ann")).toContain("four");
    },
  );
  wired(
    ["conduct behavior history --search", "conduct behavior history --before", "conduct behavior history --limit"],
    "WIR-103 the history is searched, cut and limited",
    async () => {
      const { run } = person();
      for (const word of ["apples", "pears", "plums"]) await run("add", `STOP: ${word}`);
      expect(await run("history", "--search", "pears")).toContain("pears");
      expect(await run("history", "--search", "pears")).not.toContain("plums");
      expect(await run("history", "--before", "2")).not.toContain("plums");
      expect(await run("history", "--limit", "1")).not.toContain("apples");
    },
  );
  wired(
    [
      "conduct behavior helpful --note",
      "conduct behavior helpful --dry-run",
      "conduct behavior harmful --note",
      "conduct behavior harmful --dry-run",
      "conduct behavior check --none",
      "conduct behavior check --dry-run",
    ],
    "WIR-104 notes on a directive reach the history, and its check is set and removed; dry runs write nothing",
    async () => {
      const { run, idOf } = person();
      await run("add", "STOP: long reports");
      const id = await idOf("long reports");
      await run("helpful", id, "--note", "it saved time", "--dry-run");
      await run("harmful", id, "--note", "it hid a fault", "--dry-run");
      expect(await run("history")).not.toMatch(/saved time|hid a fault/);
      await run("helpful", id, "--note", "it saved time");
      await run("harmful", id, "--note", "it hid a fault");
      expect(await run("history")).toMatch(/hid a fault[\s\S]*saved time/);
      await run("check", id, "length: at most 70 words", "--dry-run");
      expect(await run("show", id)).not.toMatch(/measured +length/);
      await run("check", id, "length: at most 70 words");
      expect(await run("show", id)).toMatch(/measured +length: at most 70 words/);
      await run("check", id, "--none");
      expect(await run("show", id)).not.toMatch(/measured +length/);
    },
  );
});
