import { diffLines } from "../../../../src/apps/shared/diff-lines.ts";
import type { Answer } from "../../data/client.ts";
import { Diff, type DiffLine } from "../../ui/data/diff.tsx";
import { figure, TokenBar } from "../../ui/data/token-bar.tsx";
import style from "./contract.module.css";
import { scopeInWords } from "./words.ts";

/** Shows the resulting block, with added and removed lines. */
export function BlockDiff({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) {
  const lines = diffOfBlocks(before, after);
  if (lines.length === 0) return <p className="quiet">No directive is in force here.</p>;
  return <Diff lines={lines} label={label} />;
}

/** An empty block has no lines, rather than one empty line. */
function diffOfBlocks(before: string, after: string): readonly DiffLine[] {
  return diffLines(before, after).filter(({ text }) => text !== "");
}

type Room = Answer<"GET /api/contract">["room"];

/** Shows how much of the limit the largest possible block of a conversation uses. */
export function RoomBar({ room }: { readonly room: Room }) {
  const { fullest, most } = room;
  return (
    <dl className={style.room}>
      {(["items", "tokens"] as const).map((of) => {
        const used = fullest[of][of];
        const name = of === "items" ? "directives" : "tokens";
        return (
          <div key={of}>
            <dt className="unseen">{name}</dt>
            <dd title={`largest block: ${fullest[of].scopes.map(scopeInWords).join(" + ")}`}>
              <TokenBar part={used} of={most[of]} label={name} />{" "}
              <span className={used >= most[of] ? style.full : undefined}>
                {figure(used)} of {figure(most[of])} {name}
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
