import { dirname, join } from "node:path";
import { openCallStores } from "../call-stores.ts";

// Run by call-stores.test.ts as `node call-writer.ts FILE`: prints a line after each acknowledged write, until it is killed.

const [, , file = ""] = process.argv;
const { sessions } = await openCallStores(
  { kind: "sqlite", file },
  { CONDUCT_KEYS: join(dirname(file), "..", "keys") },
);
await sessions.save("s", { snapshot: "whole", beside: {}, expectedVersion: 0, at: 1 });
console.log("saved");
for (let version = 1; ; version++) {
  await sessions.append("s", { change: `change ${version}`, beside: undefined, expectedVersion: version, at: version });
  console.log(version);
}
