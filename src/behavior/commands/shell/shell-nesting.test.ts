import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellAccess } from "../files/access.ts";

describe("nested writes", () => {
  it("SA-11 the path of a nested write is found, or the line is marked as unclear", () => {
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
    const wraps: readonly ((inner: string) => string)[] = [
      (inner) => `sh -c ${quoted(inner)}`,
      (inner) => `bash -lc ${quoted(inner)}`,
      (inner) => `eval ${quoted(inner)}`,
      (inner) => `sudo -u me bash -c ${quoted(inner)}`,
      (inner) => `( ${inner} )`,
      (inner) => `{ ${inner}; }`,
      (inner) => `true && ${inner}`,
      (inner) => `${inner} && true`,
      (inner) => `false || ${inner}`,
      (inner) => `ls | ${inner}`,
      (inner) => `${inner} | cat`,
      (inner) => `echo $(: ; ${inner})`,
      (inner) => `echo "x $(: ; ${inner}) y"`,
      (inner) => `cat <(${inner})`,
      (inner) => `if true; then ${inner}; fi`,
      (inner) => `for i in 1 2; do ${inner}; done`,
      (inner) => `f() { ${inner}; }; f`,
      (inner) => `cat <<'EOF'\nit's > other\nEOF\n${inner}`,
      (inner) => `bash <<< ${quoted(inner)}`,
      (inner) => `echo $((1 > 2)); ${inner}`,
      (inner) => `[[ 1 > 2 ]] && ${inner}`,
      (inner) => `x=\${y:-$(: ; ${inner})}`,
      (inner) => `echo 'it'\\''s' # "\n${inner}`,
      (inner) => `case x in x) ${inner};; esac`,
    ];
    const writes = [
      "echo x > TARGET",
      "echo x >> TARGET",
      "> TARGET",
      "echo x >| TARGET",
      "echo x &> TARGET",
      "echo x | tee TARGET",
      "cp b TARGET",
      "mv b TARGET",
      "sed -i s/a/b/ TARGET",
      "dd if=b of=TARGET",
      "truncate -s 0 TARGET",
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...writes),
        fc.constantFrom("a.txt", "d/a.txt", "/x/a.txt", "'a b'", "a\\ b", '"a.txt"'),
        fc.array(fc.constantFrom(...wraps), { maxLength: 5 }),
        (write, target, around) => {
          const line = around.reduce((inner, wrap) => wrap(inner), write.replace("TARGET", target));
          const { paths, unclear } = shellAccess(line);
          const path = target.replace(/['"\\]/g, "");
          const seen = paths.some((one) => one.path === path && one.access === "write");
          expect(seen || unclear.includes("write"), line).toBe(true);
        },
      ),
      { numRuns: 6_000 },
    );
  });
});
