import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import type { Conduct } from "../src/engine/session/conduct.ts";
import type { Session } from "../src/engine/session/session.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";
import { SeedSession } from "./seed-reference.ts";
import { benchAgent, benchCall, Driver, instantFilesystem } from "./workload.ts";

export const snapshot: Benchmark = {
  name: "snapshot",
  about: [
    "A session's state as a handle and as text. `snapshot()` copies nothing, so it must cost the same after any number of calls.",
    "serialise() gives plain JSON with a checksum; its reference is JSON.stringify of the same state, already plain.",
    "resume is conduct.session({ snapshot }) from that text; its reference is JSON.parse of the same text.",
  ],
  run,
};

type Case = { readonly name: string; readonly calls: number; readonly session: Session; readonly text: string };

async function run(report: Report): Promise<void> {
  const conduct = openConductFromEnv({
    agents: [benchAgent()],
    workspace: "/w",
    journal: false,
    ports: { filesystem: instantFilesystem },
  });
  const histories = report.quick ? [100, 1_000, 10_000] : [100, 10_000, 100_000];
  const cases: Case[] = [];
  for (const calls of histories) {
    const name = `after ${calls.toLocaleString("en-US")} calls`;
    const tick = progress(`a session, ${name}`);
    const { session } = await new Driver(conduct.session({ agent: "bench" })).upTo(calls, (n) => tick(n, calls));
    cases.push({ name, calls, session, text: session.serialise() });
  }
  await handles(report, cases);
  await texts(report, cases);
}

async function handles(report: Report, cases: readonly Case[]): Promise<void> {
  const first = cases[0];
  if (first === undefined) return;
  const taken = await report.group(
    "snapshot()",
    { ours: "then", reference: first.name },
    cases.map(({ name, session }) => ({
      name,
      ours: () => session.snapshot(),
      reference: () => first.session.snapshot(),
      perBatch: 20_000,
    })),
  );
  report.budget(
    `issue 2: snapshot() is O(1): ${taken.at(-1)?.name} / ${first.name}`,
    1.2,
    taken.at(-1)?.ratio.median ?? 0,
    "ratio",
  );
  await report.group(
    "snapshot() or a copy",
    { ours: "handle", reference: "copied as seed 001 does" },
    cases.map(({ name, calls, session }) => {
      const seed = new SeedSession(Array.from({ length: calls }, (_, i) => benchCall(i)));
      const ours = { run: () => session.snapshot(), repeat: 5_000 };
      return { name, ours, reference: () => seed.snapshot(), perBatch: calls > 50_000 ? 1 : 3 };
    }),
  );
  await report.group(
    "restore()",
    { ours: "then", reference: first.name },
    cases.map(({ name, session }) => ({
      name,
      ours: restoring(session),
      reference: restoring(first.session),
      perBatch: 2_000,
    })),
  );
}

function restoring(session: Session): () => void {
  const handle = session.snapshot();
  return () => session.restore(handle);
}

async function texts(report: Report, cases: readonly Case[]): Promise<void> {
  report.figures(
    "size of the text",
    cases.map(({ name, text }) => ({ name: `serialised ${name}`, value: Buffer.byteLength(text), unit: "bytes" })),
  );
  await report.group(
    "serialise()",
    { ours: "ours", reference: "JSON.stringify" },
    cases.map(({ name, session, text }) => {
      const plain: unknown = JSON.parse(text);
      return { name, ours: () => session.serialise(), reference: () => JSON.stringify(plain), perBatch: 2 };
    }),
  );
  await report.group(
    "resume from text",
    { ours: "ours", reference: "JSON.parse" },
    cases.map(({ name, text }) => ({
      name,
      ours: resuming(text),
      reference: () => JSON.parse(text),
      perBatch: 2,
      each: true,
    })),
  );
}

/** Opens the session, and ends it outside the measured time, because an id can be open only once. */
function resuming(text: string): { before(): void; run(): Session } {
  const conduct: Conduct = openConductFromEnv({
    agents: [benchAgent()],
    journal: false,
    ports: { filesystem: instantFilesystem },
  });
  let open: Session | undefined;
  return {
    before: () => open?.notice({ kind: "ended" }),
    run: () => {
      open = conduct.session({ agent: "bench", snapshot: text });
      return open;
    },
  };
}

if (import.meta.main) await main(snapshot);
