import { existsSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addPiExtension, PI_EXTENSION, piExtensionFile, piExtensionText, removePiExtension } from "./install.ts";

it("PEI-1 it lies where Pi looks: in its own folder, or where the environment puts that", () => {
  expect(piExtensionFile({ HOME: "/home/ann" })).toBe("/home/ann/.pi/agent/extensions/conduct.ts");
  expect(piExtensionFile({ HOME: "/home/ann", PI_CODING_AGENT_DIR: "/srv/pi" })).toBe("/srv/pi/extensions/conduct.ts");
});

it("PEI-2 what is written names Conduct's home, and the module only where it is told to", () => {
  expect(existsSync(PI_EXTENSION)).toBe(true);
  expect(piExtensionText({ home: "/h" })).toContain('"home":"/h"');
  expect(piExtensionText({ home: "/h" })).not.toContain(PI_EXTENSION);
  expect(piExtensionText({ plugin: PI_EXTENSION })).toContain(JSON.stringify(PI_EXTENSION));
});

it("PEI-3 added twice is added once; of another folder it is written anew", () => {
  const text = piExtensionText();
  expect(addPiExtension(undefined)).toEqual({ kind: "write", text });
  expect(addPiExtension(text)).toEqual({ kind: "none" });
  const first = `${text.split("\n")[0]}\nexport { default } from "/old/extension.ts";\n`;
  expect(addPiExtension(first)).toEqual({ kind: "write", text });
  expect(addPiExtension(piExtensionText({ plugin: "/old/extension.ts" }))).toEqual({ kind: "write", text });
});

it("PEI-4 what was written for any folder is taken away again", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (folder) => {
      expect(removePiExtension(piExtensionText({ home: folder }))).toEqual({ kind: "delete" });
    }),
  );
  expect(removePiExtension(undefined)).toEqual({ kind: "none" });
});

it("PEI-5 a file of somebody else's, or one that was changed, is left alone", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (before, after) => {
      for (const text of [before, `${before}${after}${piExtensionText()}`, `${piExtensionText()}${after}`]) {
        expect(addPiExtension(text).kind).toBe("refuse");
        expect(removePiExtension(text).kind).toBe("refuse");
      }
    }),
  );
});
