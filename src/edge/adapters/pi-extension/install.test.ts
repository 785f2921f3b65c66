import { existsSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addPiExtension, PI_EXTENSION, piExtensionFile, piExtensionText, removePiExtension } from "./install.ts";

it("PEI-1 the extension file is in Pi's own folder, or in the folder that the environment sets", () => {
  expect(piExtensionFile({ HOME: "/home/ann" })).toBe("/home/ann/.pi/agent/extensions/conduct.ts");
  expect(piExtensionFile({ HOME: "/home/ann", PI_CODING_AGENT_DIR: "/srv/pi" })).toBe("/srv/pi/extensions/conduct.ts");
});

it("PEI-2 the extension file names Conduct's home, and names the module only on request", () => {
  expect(existsSync(PI_EXTENSION)).toBe(true);
  expect(piExtensionText({ home: "/h" })).toContain('"home":"/h"');
  expect(piExtensionText({ home: "/h" })).not.toContain(PI_EXTENSION);
  expect(piExtensionText({ plugin: PI_EXTENSION })).toContain(JSON.stringify(PI_EXTENSION));
});

it("PEI-3 adding the extension twice writes it once, and an older version is replaced", () => {
  const text = piExtensionText();
  expect(addPiExtension(undefined)).toEqual({ kind: "write", text });
  expect(addPiExtension(text)).toEqual({ kind: "none" });
  const first = `${text.split("\n")[0]}\nexport { default } from "/old/extension.ts";\n`;
  expect(addPiExtension(first)).toEqual({ kind: "write", text });
  expect(addPiExtension(piExtensionText({ plugin: "/old/extension.ts" }))).toEqual({ kind: "write", text });
});

it("PEI-4 an extension file written for any folder can be removed", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (folder) => {
      expect(removePiExtension(piExtensionText({ home: folder }))).toEqual({ kind: "delete" });
    }),
  );
  expect(removePiExtension(undefined)).toEqual({ kind: "none" });
});

it("PEI-5 a foreign or modified extension file is neither overwritten nor removed", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (before, after) => {
      for (const text of [before, `${before}${after}${piExtensionText()}`, `${piExtensionText()}${after}`]) {
        expect(addPiExtension(text).kind).toBe("refuse");
        expect(removePiExtension(text).kind).toBe("refuse");
      }
    }),
  );
});
