import { expect, it } from "vitest";
import { runExample } from "../run-example.ts";

it("EX-1 the release example is held to its conduct.yaml", () => {
  const { status, output } = runExample("release/main.ts");
  expect(output).toBe(
    [
      "shell npm run deploy -> deny, by deploy-needs-proof: Tool 'deploy' requires: build, test",
      "shell npm test -> allow",
      "  failed",
      "shell sed -i.bak 's/net + rate/net * (1 + rate)/' src/price.cjs -> deny, by read-before-write: File 'src/price.cjs' must be read before overwriting.",
      "shell cat src/price.cjs -> allow",
      "  ok",
      "shell sed -i.bak 's/net + rate/net * (1 + rate)/' src/price.cjs -> allow",
      "  ok",
      "shell npm test -> allow",
      "  ok",
      "shell npm run build -> allow",
      "  ok",
      "shell npm run deploy -> allow",
      "  ok",
      "stop -> refused: Required files are missing: report.md.",
      "write_file report.md -> allow",
      "  ok",
      "stop -> complete",
      "ended: complete",
      "",
    ].join("\n"),
  );
  expect(status).toBe(0);
});
