import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ModeChange, modeAt, parseModes } from "./parse-modes.ts";

/** Changes as a person would say them: `think high`, `elevated 600000`, `verbose off`. */
function said(changes: readonly ModeChange[]): string {
  return changes
    .map((change) => {
      const detail = "level" in change ? change.level : "forMs" in change ? change.forMs : undefined;
      return `${change.mode} ${detail ?? (change.on ? "on" : "off")}`;
    })
    .join(", ");
}

function read(text: string): readonly [string, string] {
  const parsed = parseModes(text);
  return [said(parsed.changes), parsed.text];
}

describe("modes at the start of a message", () => {
  it.each([
    ["/think /verbose analyze this code", "think on, verbose on", "analyze this code"],
    ["/elevated rm -rf x", "elevated on", "rm -rf x"],
    ["/verbose /think /elevated go", "verbose on, think on, elevated on", "go"],
    ["/think /think x", "think on, think on", "x"],
  ])("K01: the message %j switches modes and loses no word", (text, changes, rest) => {
    expect(read(text)).toEqual([changes, rest]);
  });

  it.each([
    "open /home/user/think/file.txt",
    "https://x.com/verbose/page",
    "use a/think b",
    "`/think` it",
    "```\n/elevated\n```",
    '"/elevated on"',
    "> /elevated on",
    "- /elevated on",
    "(/think)",
    "please /elevated on",
    "line one\n/elevated on",
    "/think/verbose x",
    "/elevated/rm x",
    "/elevated-mode x",
    "/elevated, please",
    "/think:/etc/x",
    "//think x",
    "/ think x",
    "\\/think x",
    "/thinkx",
    "/t/v",
    "",
    "   ",
    "/",
  ])("K03 K04: the message %j is plain text and switches nothing", (text) => {
    expect(parseModes(text)).toMatchObject({ text, changes: [], asked: [], any: false });
  });

  it("K04: modes are read only on the first line, and a mode on a later line gets a hint", () => {
    const parsed = parseModes("/think\n/elevated on\nx");
    expect([said(parsed.changes), parsed.text]).toEqual(["think on", "/elevated on\nx"]);
    expect(parsed.hints).toEqual([expect.stringContaining("/elevated on a later line")]);
  });

  it.each([
    ["/think off", "think off", ""],
    ["/think off do x", "think off", "do x"],
    ["/think off, then do x", "think off", "then do x"],
    ["/elevated off.", "elevated off", ""],
    ["/nothink", "think off", ""],
    ["/noverbose do x", "verbose off", "do x"],
    ["/noelevated", "elevated off", ""],
    ["/nothink off the record", "think off", "off the record"],
    ["/modes reset", "all off", ""],
    ["/modes reset then do x", "all off", "then do x"],
    ["/modes off", "all off", ""],
    ["/think off-by-one", "think on", "off-by-one"],
    ["/think on the problem", "think on", "on the problem"],
    ["/think high stakes here", "think on", "high stakes here"],
    ["/think high", "think high", ""],
    ["/think minimal  \nx", "think minimal", " \nx"],
    ["/think high\nx", "think high", "x"],
    ["/think on", "think on", ""],
    ["/think high /verbose x", "think high, verbose on", "x"],
    ["/think high /foo x", "think on", "high /foo x"],
    ["/verbose high", "verbose on", "high"],
    ["/verbose on", "verbose on", ""],
    ["/elevated 10m", "elevated 600000", ""],
    ["/elevated 1.5h deploy", "elevated 5400000", "deploy"],
    ["/elevated 10M deploy", "elevated 600000", "deploy"],
    ["/think 10m", "think on", "10m"],
    ["/think\noff", "think on", "off"],
  ])("K05: the message %j means '%s' and leaves %j", (text, changes, rest) => {
    expect(read(text)).toEqual([changes, rest]);
  });

  it.each([
    ["/think", ["think"]],
    ["/t /v", ["think", "verbose"]],
    ["  /elevated \n", ["elevated"]],
    ["/modes", ["modes"]],
    ["/think /think", ["think"]],
    ["/verbose off /think", ["think"]],
  ])("K05: the message %j alone queries the modes and turns nothing on", (text, asked) => {
    const parsed = parseModes(text);
    expect(parsed).toMatchObject({ asked, any: true });
    expect(parsed.changes.every(({ on }) => !on)).toBe(true);
  });

  it("K05: /modes before a text queries the modes and leaves the text", () => {
    expect(parseModes("/modes and go on")).toMatchObject({ asked: ["modes"], changes: [], text: "and go on" });
  });

  it.each([
    "no",
    "off",
    "'off'",
    "false",
    "disable",
    "ask",
    "10 minutes",
    "10min",
    "0m",
    "3 days of logs",
    "\noff",
    "ask hi",
    "full backup",
    "no, do not",
  ])("K04: /elevated before %j is ambiguous, so nothing is elevated and the text stays", (rest) => {
    const parsed = parseModes(`/elevated ${rest}`);
    expect(parsed.changes.some(({ on }) => on)).toBe(false);
    if (rest !== "off") expect([parsed.text, parsed.hints.length]).toEqual([rest, 1]);
  });

  it.each([
    ["/foo /think x", 1],
    ["/x  /think:high /verbose", 1],
    ["/foo bar /think x", 0],
    ["/usr/bin /think", 0],
    ["/foo", 0],
    ["/model openai/gpt-4o hi", 0],
    ["/temp 9", 0],
    ["/json /elevated x", 1],
    ["/move it", 0],
    ["/tmp is full", 0],
    ["/home/user", 0],
    ["/verbos x", 1],
    ["/verbos /think x", 1],
    ["/elevate", 1],
    ["/thinkng x", 1],
    ["/evelated on", 1],
  ])("K08: the message %j is not a mode and stays text, with %i hint", (text, hints) => {
    const parsed = parseModes(text);
    expect(parsed).toMatchObject({ text, changes: [], any: false });
    expect(parsed.hints).toHaveLength(hints);
  });

  it("K08: modes behind an unknown command have no effect, and the hint names them", () => {
    expect(parseModes("/foo /think /elevated:10m hi").hints).toEqual([
      "/foo is not a mode and is treated as text. So /think and /elevated:10m after it had no effect. Put modes first.",
    ]);
  });

  it("K08: an unknown name ends the modes, and the text after it is preserved", () => {
    expect(read("/think /foo /verbose x")).toEqual(["think on", "/foo /verbose x"]);
    expect(parseModes("/think /verbos x").hints).toEqual([
      "/verbos is not a mode and is treated as text. Did you mean /verbose?",
    ]);
  });

  it.each([
    ["/THINK x", "think on", "x"],
    ["  \n\t/think x", "think on", "x"],
    ["/think:high x", "think high", "x"],
    ["/Think:OFF x", "think off", "x"],
    ["/think: off", "think off", ""],
    ["/think: x", "think on", "x"],
    ["/think@my_bot x", "think on", "x"],
    ["/think@my_bot:low x", "think low", "x"],
    ["/elevated@my_bot off", "elevated off", ""],
    ["/t:high /v /elev:2h x", "think high, verbose on, elevated 7200000", "x"],
    ["/thinking x", "think on", "x"],
    ["/elevated:on x", "elevated on", "x"],
  ])("K09: the message %j means '%s'", (text, changes, rest) => {
    expect(read(text)).toEqual([changes, rest]);
  });

  it.each([
    ["/think:maybe x", "on, off, minimal, low, medium, high"],
    ["/verbose:full x", "on, off"],
    ["/elevated:10y x", "a time such as 10m"],
    ["/elevated:9999d x", "a time such as 10m"],
    ["/modes:all x", "reset"],
    ["/nothink:high x", "no value"],
  ])("K19: the message %j changes nothing and lists the valid values", (text, valid) => {
    const parsed = parseModes(text);
    expect(parsed).toMatchObject({ text: "x", changes: [], asked: [], any: true });
    expect(parsed.hints).toEqual([expect.stringContaining(valid)]);
  });

  it.each([
    ["/think\n    def f():\n\treturn 1\n", "    def f():\n\treturn 1\n"],
    ["/think\r\n  x\r\n", "  x\r\n"],
    ["/think   x", "  x"],
    ["/think\tx", "x"],
    ["/think\n\nx", "\nx"],
  ])("K10: the message %j leaves %j: one whitespace is removed, the rest is byte-equal", (text, rest) => {
    expect(parseModes(text).text).toBe(rest);
  });

  it("K11: a message with only modes leaves an empty text", () => {
    expect(parseModes("/verbose").text).toBe("");
    expect(parseModes("/verbose on\n").text).toBe("");
  });
});

describe("for every text", () => {
  const modes = fc.array(fc.constantFrom("/think", "/THINK:high", "/v", "/noverbose", "/elevated:5m", "/modes:reset"), {
    minLength: 1,
    maxLength: 5,
  });
  const text = fc.string({ unit: "binary", maxLength: 60 });
  const likely = fc
    .array(fc.constantFrom("/", "think", "elevated", " ", "\n", "off", "on", "high", "10m", ":", "@b", "x", "/v"), {
      maxLength: 12,
    })
    .map((parts) => parts.join(""));

  it("K10: a message without a leading slash is unchanged", () => {
    fc.assert(
      fc.property(fc.oneof(text, likely), (given) => {
        if (given.trimStart().startsWith("/")) return;
        expect(parseModes(given)).toEqual({ text: given, changes: [], asked: [], hints: [], any: false });
      }),
    );
  });

  it("K10: any body after modes and a line break is byte-equal", () => {
    fc.assert(
      fc.property(modes, fc.oneof(text, likely), fc.constantFrom("\n", "\r\n"), (before, body, line) => {
        if (line === "\n" || !body.startsWith("\n"))
          expect(parseModes(`${before.join(" ")}${line}${body}`).text).toBe(body);
      }),
    );
  });

  it("K02: the remaining text is a suffix of the message and parses as plain text", () => {
    fc.assert(
      fc.property(fc.oneof(text, likely), (given) => {
        const { text: rest } = parseModes(given);
        expect(given.endsWith(rest)).toBe(true);
        const start = rest.length - rest.trimStart().length;
        if (modeAt(rest, start) === undefined) expect(parseModes(rest)).toMatchObject({ text: rest, any: false });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["modes", "/think ".repeat(150_000)],
    ["values", "/think on ".repeat(100_000)],
    ["mistakes", "/think:x ".repeat(100_000)],
    ["blanks", `/think${" ".repeat(1_000_000)}x`],
    ["blanks after a value", `/think on${" ".repeat(1_000_000)}x`],
    ["a long word", `/${"t".repeat(1_000_000)}`],
    ["a long value", `/think:${"x".repeat(1_000_000)}`],
    ["slashes", "/".repeat(1_000_000)],
    ["marks", `/elevated ${"'".repeat(1_000_000)}`],
  ])("K02: a megabyte of %s is parsed in linear time", (_what, given) => {
    const parsed = parseModes(given);
    expect(parsed.hints.length).toBeLessThanOrEqual(5);
    expect(given.endsWith(parsed.text)).toBe(true);
  });
});
