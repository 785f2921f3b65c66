import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { converse, replicasWorld, shareFolder, TAKEOVER } from "./replicas-world.ts";
import type { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const { twoMachines } = replicasWorld();
const FILE = "reader/operator/a.txt";

const folderOf = (machine: Machine) => `${machine.home}-work`;
const READ = [{ calls: [{ name: "read_file", input: { path: "a.txt" } }] }, () => ({ text: "read" })];
const seenBy = (model: ModelServer) => model.requests.at(-1)?.results.at(-1)?.text;

describe("the files of agents on two shipped gateways", () => {
  wired("CONDUCT_HOME", "WIR-941 with a shared folder, every gateway works on the same files", async () => {
    const { first, second, configure } = await twoMachines();
    const model = await first.model();
    configure(model);
    shareFolder(first, second);
    const [a, b] = [await first.gateway(), await second.gateway()];
    first.write({ [`.conduct-work/${FILE}`]: "one" });
    const talk = await converse(a);
    model.setScript(READ);
    await talk.send(a, "read it", true);
    expect(seenBy(model)).toContain("one");
    first.write({ [`.conduct-work/${FILE}`]: "two" });
    await a.stop();
    model.setScript(READ);
    expect(await talk.send(b, "read it again", true)).toMatchObject({ status: "complete" });
    expect(seenBy(model)).toContain("two");
  });

  wired(
    "CONDUCT_HOME",
    "WIR-942 with folders of their own, turns run where the files are; deleting removes them there",
    async () => {
      const { first, second, configure } = await twoMachines();
      const model = await first.model();
      configure(model);
      const [a, b] = [await first.gateway(), await second.gateway()];
      first.write({ [`.conduct-work/${FILE}`]: "only here" });
      const talk = await converse(a);
      model.setScript(READ);
      await talk.send(a, "read it", true);
      // Every message to the other gateway, and every conversation that starts there, uses the same files.
      const other = await converse(b);
      for (const { send } of [talk, other, talk]) {
        model.setScript(READ);
        expect(await send(b, "read it", true)).toMatchObject({ status: "complete" });
        expect(seenBy(model)).toContain("only here");
      }
      expect(existsSync(join(folderOf(second), FILE))).toBe(false);
      await b.operator.call("DELETE /api/sessions/{id}", { params: { id: other.id } });
      expect(existsSync(join(folderOf(first), FILE))).toBe(true);
      await b.operator.call("DELETE /api/sessions/{id}", { params: { id: talk.id } });
      await expect.poll(() => existsSync(join(folderOf(first), FILE)), TAKEOVER).toBe(false);
      // Without the machine that has the files, another one continues with its own folder and says so.
      const third = await converse(a);
      model.setScript(() => ({ text: "hello" }));
      await third.send(a, "hello", true);
      await a.close();
      expect(await third.send(b, "still there?", true)).toMatchObject({ status: "complete", answer: "hello" });
      expect(b.output).toContain("the files of agent 'reader' for user 'operator'");
    },
  );
});
