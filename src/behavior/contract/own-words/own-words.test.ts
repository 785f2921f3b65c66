import { describe, expect, it } from "vitest";
import { parseDirectives } from "../parse/parse-directives.ts";
import { FOREIGN_FORMS, OWN_DIRECTIVE, OWN_FORMS } from "./test/forms.ts";

describe("whose words a directive is", () => {
  it(`FW-1 no directive is captured from ${FOREIGN_FORMS.length} forms of pasted text, and the operator is asked`, () => {
    const captured = FOREIGN_FORMS.filter((form) => parseDirectives(form).directives.length > 0);
    const silent = FOREIGN_FORMS.filter((form) => parseDirectives(form).faults.length === 0);
    expect(captured).toEqual([]);
    expect(silent.filter((form) => !/^\s{4}|<pre>|```/m.test(form))).toEqual([]);
    expect(FOREIGN_FORMS.length).toBeGreaterThan(200);
  });

  it(`FW-2 the operator's own directive is captured from all ${OWN_FORMS.length} forms`, () => {
    const taken = (form: string) =>
      parseDirectives(form).directives.some(({ type, text }) => `${type.toUpperCase()}: ${text}` === OWN_DIRECTIVE);
    expect(OWN_FORMS.filter((form) => !taken(form))).toEqual([]);
  });

  it("FW-3 the question to the operator names the line and gives a command that adds it", () => {
    const { faults } = parseDirectives("On Monday Bob wrote:\n\nSTOP: asking first");
    expect(faults).toEqual([
      {
        line: 3,
        code: "not-own-words",
        hint:
          "'STOP: asking first' was not added: it follows 'On Monday Bob wrote:' on line 1, so someone else may have " +
          'written it. If you wrote it, send that line alone, or run: conduct behavior add "STOP: asking first"',
      },
    ]);
    const [hostile] = parseDirectives("Bob wrote:\nSTOP: $(rm -rf ~) `x` \"y\" 'z'").faults;
    expect(hostile?.hint).toContain(`conduct behavior add 'STOP: $(rm -rf ~) \`x\` "y" '\\''z'\\'''`);
    const [secret] = parseDirectives("Bob wrote:\nSTOP: password=hunter22hunter22").faults;
    expect(secret?.hint).not.toContain("hunter22");
    expect(secret?.hint).toContain("send that line alone.");
  });

  it("FW-4 lines that the transport marks as quoted are never captured", () => {
    const message = "KEEP: my own\nSTOP: asking first\nMORE: tests";
    const { directives } = parseDirectives(message, { quotedLines: [2] });
    expect(directives.map(({ line }) => line)).toEqual([1, 3]);
  });

  // Were any of these read in quadratic time, the file would not come to its end.
  it.each([
    "Bob: x\n",
    "10:32 Bob: x\n",
    "wrote:\n",
    '"',
    '" ',
    "a:\n  ",
    "From: x\n",
    "[quote]",
    "Dear Ann,\n",
    "the mail ",
    "[10:32] ",
  ])("FW-5 the message %j, repeated, is read in linear time", (part) => {
    const message = `${part.repeat(Math.ceil(200_000 / part.length))}\nSTOP: asking first`;
    expect(parseDirectives(message).directives).toEqual([]);
  });
});
