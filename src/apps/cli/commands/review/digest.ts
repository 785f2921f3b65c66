import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { buildDigest } from "../../../learning/digest/digest.ts";
import { renderDigest } from "../../../learning/digest/digest-markdown.ts";
import { pastRuns } from "../../../learning/review/past-runs.ts";
import { badArgument, damaged } from "../behavior/answers.ts";
import { type GovernanceCommand, onThisMachine, textOf, withContract } from "../behavior/world.ts";
import { LIST_CANDIDATES } from "./answers.ts";

/** `conduct review digest [--file F]` */
export const reviewDigest = onThisMachine((args, terminal, world) => runReviewDigest(args, terminal, world));

export const runReviewDigest: GovernanceCommand = (args, terminal, world) =>
  withContract(world, "read", async ({ service, journal }) => {
    const state = await service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    const now = world.clock.now();
    const digest = buildDigest(state, now, (await pastRuns(journal)).at(-1));
    const markdown = renderDigest(digest, now);
    const file = textOf(args.file);
    const result = { markdown, ...digest };
    if (file === undefined) return { ok: true, result, text: `\n${markdown}\n`, next: [LIST_CANDIDATES] };
    const path = resolve(terminal.cwd, file);
    try {
      await writeFile(path, markdown);
    } catch (error) {
      return badArgument(
        `${path} cannot be written: ${errorText(error)}`,
        "name a file that can be",
        "FILE_NOT_WRITTEN",
      );
    }
    const text = `\n  ${terminal.paint("green", "✓")} written to ${path}\n\n`;
    return { ok: true, result: { ...result, file: path }, text, next: [LIST_CANDIDATES] };
  });
