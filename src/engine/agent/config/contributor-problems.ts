import type { PromptContributor } from "../../../base/words/prompt.ts";
import type { ConfigPath } from "./config-fault.ts";
import { ID } from "./config-fields.ts";
import { tagProblem } from "./known-tags.ts";

/** What is wrong with a contributor, and with which part of it. */
export type ContributorProblem = { readonly at: ConfigPath; readonly message: string; readonly hint?: string };

/** Everything for which a contributor could not be used; code may have given anything. */
export function contributorProblems(contributor: PromptContributor): readonly ContributorProblem[] {
  const { id, priority, tags = [], zone, contribute, shouldContribute } = contributor;
  if (typeof id !== "string" || !ID.test(id)) {
    const hint = "at most 100 letters, digits and . _ : / -, without spaces";
    return [{ at: ["id"], message: `a contributor needs an id, and ${shown(id)} is none`, hint }];
  }
  const said = (at: ConfigPath, what: string, hint?: string) => ({
    at,
    message: `contributor '${id}': ${what}`,
    hint,
  });
  return [
    ...(/^builtin:/i.test(id) ? [said(["id"], "ids under builtin: are taken", "give it another id")] : []),
    ...(priority === undefined || Number.isFinite(priority) ? [] : [said(["priority"], "priority is no number")]),
    ...(zone === undefined || ZONES.includes(zone) ? [] : [said(["zone"], `zone is one of ${ZONES.join(", ")}`)]),
    ...(shouldContribute === undefined || typeof shouldContribute === "function"
      ? []
      : [said([], "'shouldContribute' is no function")]),
    ...(typeof contribute === "function" ? [] : [said([], "it has no function 'contribute'")]),
    ...tags.flatMap((tag, index) => {
      const problem = tagProblem(tag);
      return problem === undefined ? [] : [said(["tags", index, problem.about], problem.message, problem.hint)];
    }),
  ];
}

const ZONES: readonly string[] = ["static", "session", "turn"];

function shown(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id) : String(id);
}
