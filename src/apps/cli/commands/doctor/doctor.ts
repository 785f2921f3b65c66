import { existsSync } from "node:fs";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { findConfig } from "../../../../edge/host/workspace/find-config.ts";
import type { DoctorArgs } from "../../declared/setup-commands.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { doctorOutcome, holds, warns } from "./render.ts";

/** `conduct doctor [RUNTIME]`. On a new machine there is nothing to load and nothing to test. */
export async function doctor(args: DoctorArgs, terminal: Terminal): Promise<Outcome> {
  const home = conductHome();
  const isNew = args.runtime === "all" && !existsSync(home) && !process.env.CONDUCT_STORE;
  const { base, added } = findConfig({ home, folder: terminal.cwd });
  if (!isNew || base !== undefined || added.length > 0)
    return (await import("./run-doctor.ts")).doctorHere(args, terminal);
  const machine = [
    holds("node", `${process.versions.node}, Conduct ${conductVersion()}`),
    warns("home", `${home} does not exist yet`),
    warns("config", "built in (no conduct.yaml found): the coding rules"),
  ];
  return doctorOutcome(machine, [], true, terminal);
}
