import type { ChangeRequest } from "../../../../behavior/contract/decide/change-request.ts";
import type { Arguments } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { badArgument } from "./answers.ts";
import { readDirective, readExpiry } from "./draft.ts";
import { textOf } from "./world.ts";

/** The changes that can be asked for at the command line. */
export type ChangeName =
  | "add"
  | "replace"
  | "remove"
  | "promote"
  | "reject"
  | "edit"
  | "snooze"
  | "helpful"
  | "harmful"
  | "check"
  | "apply"
  | "undo";

type Piped = () => Promise<string | undefined>;
type Wrong = Extract<Outcome, { readonly ok: false }>;

/** What a command asks for, or what is wrong with how it asks. */
export async function changeRequest(
  name: ChangeName,
  args: Arguments,
  now: number,
  piped: Piped,
): Promise<ChangeRequest | Wrong> {
  const id = textOf(args.id) ?? "";
  const [scope, reason] = [textOf(args.scope), textOf(args.reason)];
  const within = scope === undefined ? {} : { scope };
  const check = textOf(args.check);
  switch (name) {
    case "add":
    case "replace": {
      // Whoever forgot the id is told so, and not left waiting for input.
      if (name === "replace" && id === "") {
        return badArgument("no directive is named", "give its id, as the list has it", "MISSING_DIRECTIVE_ID");
      }
      const stated = await readDirective(args, piped);
      if (stated === undefined) return noText(name, id);
      if ("ok" in stated) return stated;
      const measured = check === undefined ? {} : { check };
      const draft = { ...stated, ...within, ...readExpiry(args.expires, now), ...measured };
      return name === "add" ? { kind: "add", ...draft } : { kind: "replace", id, ...draft };
    }
    case "remove":
    case "reject":
      return { kind: name, id, reason };
    case "promote": {
      const as = await readDirective(args, async () => undefined);
      if (as === undefined) return { kind: "promote", id };
      return "ok" in as ? as : { kind: "promote", id, as };
    }
    case "edit": {
      if (id === "") {
        return badArgument("no candidate is named", "give its id, as the list has it", "MISSING_CANDIDATE_ID");
      }
      const stated = await readDirective(args, piped);
      if (stated === undefined) return noText(name, id);
      return "ok" in stated ? stated : { kind: "edit", id, ...stated };
    }
    case "snooze": {
      const { expiresAt: until } = readExpiry(args.until, now);
      if (until !== undefined) return { kind: "snooze", id, until };
      return badArgument("it is not said until when", `conduct behavior snooze ${id || "ID"} 3d`, "INVALID_TIME");
    }
    case "helpful":
    case "harmful": {
      const note = textOf(args.note);
      return { kind: "mark", id, mark: name, note };
    }
    case "check": {
      if (args.none === true) return { kind: "check", id };
      if (check !== undefined) return { kind: "check", id, check };
      const fix = `conduct behavior check ${id || "ID"} "length: at most 120 words"; or --none`;
      return badArgument("it is not said how to tell whether it is followed", fix, "INVALID_CHECK");
    }
    case "apply":
      return { kind: "apply" };
    case "undo":
      return { kind: "undo", ...within };
  }
}

function noText(name: "add" | "replace" | "edit", id: string): Wrong {
  const which = name === "add" ? "" : ` ${id}`;
  const fix = `say what is meant: conduct behavior ${name}${which} "STOP: long status reports"`;
  return badArgument("no directive is given", fix, "INVALID_DIRECTIVE_TEXT");
}
