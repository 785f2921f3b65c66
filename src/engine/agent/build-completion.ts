import type { CompletionChecker } from "../../base/words/completion.ts";
import { CommandChecker } from "../../behavior/completion/command-checker.ts";
import { CompositeChecker } from "../../behavior/completion/composite-checker.ts";
import { EvidenceChecker } from "../../behavior/completion/evidence-checker.ts";
import { FileOutputChecker } from "../../behavior/completion/file-output-checker.ts";
import type { CompletionConfig } from "./config-schema.ts";

/** The checker a file describes, the cheap parts asked first; `undefined` when it asks for nothing. */
export function buildCompletion(config: CompletionConfig): CompletionChecker | undefined {
  const { files, evidence, command, any } = config;
  const checkers: CompletionChecker[] = [
    ...(files === undefined ? [] : [new FileOutputChecker({ files })]),
    ...(evidence === undefined ? [] : [new EvidenceChecker({ actions: evidence })]),
    ...(command === undefined ? [] : [commandChecker(command)]),
  ];
  const [only] = checkers;
  return checkers.length > 1 ? new CompositeChecker({ checkers, allMustPass: any !== true }) : only;
}

function commandChecker(command: NonNullable<CompletionConfig["command"]>): CommandChecker {
  if (typeof command === "string") return new CommandChecker({ command });
  const { run, timeout } = command;
  return new CommandChecker({ command: run, timeoutMs: timeout });
}
