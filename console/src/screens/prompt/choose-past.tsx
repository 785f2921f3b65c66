import { Link } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import type { Answer } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Button } from "../../ui/button.tsx";
import { figure } from "../../ui/data/token-bar.tsx";
import { Select } from "../../ui/field.tsx";
import { plainText } from "../../ui/text.tsx";
import style from "./prompt.module.css";
import type { ShownPrompt } from "./shown-prompt.ts";

const clock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** Selects a session and one of its prompts. */
export function ChoosePast({
  address,
  set,
  sessions,
  shown,
}: {
  readonly address: URLSearchParams;
  readonly set: (changes: { readonly [name: string]: string }) => void;
  readonly sessions: Answer<"GET /api/journal/sessions">["sessions"];
  readonly shown: ShownPrompt["past"];
}) {
  const session = address.get("session") ?? shown?.session ?? "";
  const list = useQuery(
    "GET /api/sessions/{id}/prompts",
    { params: { id: session }, query: { limit: 200 } },
    { when: session !== "", keep: true },
  );
  const prompts = list.state === "ready" ? list.data.prompts : [];
  const at = prompts.findIndex(({ event }) => event === shown?.event);
  // Newest first.
  const [older, newer] = at === -1 ? [] : [prompts[at + 1], prompts[at - 1]];
  const pick = (event: string | undefined) => {
    if (event === undefined) return;
    const { turn } = prompts.find((one) => one.event === event) ?? {};
    // The turn alone selects its newest prompt.
    const isNewest = prompts.find((one) => one.turn === turn)?.event === event;
    set(isNewest ? { session, turn: String(turn), event: "" } : { session, event, turn: "" });
  };
  const compare = () => {
    if (older !== undefined) set({ base: new URLSearchParams({ session, event: older.event }).toString() });
  };
  useHotkeys([
    { keys: "[", does: "Previous prompt", run: () => pick(older?.event) },
    { keys: "]", does: "Next prompt", run: () => pick(newer?.event) },
    { keys: "c", does: "Compare with previous prompt", run: compare },
  ]);
  const known = sessions.some((one) => one.session === session);
  return (
    <div className={style.choose}>
      <div className={style.wide}>
        <Select
          label="Session"
          value={session}
          onChange={(event) => set({ session: event.target.value, turn: "", event: "", base: "" })}
        >
          {session === "" && <option value="">Choose a session</option>}
          {session !== "" && !known && <option value={session}>{plainText(session)}</option>}
          {sessions.map((one) => (
            <option key={one.session} value={one.session}>
              {plainText(`${one.label ?? one.session} · ${one.agent} · ${clock.format(one.lastAt)}`)}
            </option>
          ))}
        </Select>
      </div>
      <Select label="Turn" value={shown?.event ?? ""} onChange={(event) => pick(event.target.value)}>
        {at === -1 && <option value={shown?.event ?? ""}>{shown === undefined ? "" : `turn ${shown.turn}`}</option>}
        {prompts.map(({ event, turn, at: told, tokens }) => (
          <option key={event} value={event}>
            {`turn ${turn} · ${clock.format(told)} · ${figure(tokens)} tokens`}
          </option>
        ))}
      </Select>
      <div className="row">
        <Button disabled={older === undefined} onClick={() => pick(older?.event)}>
          Previous
        </Button>
        <Button disabled={newer === undefined} onClick={() => pick(newer?.event)}>
          Next
        </Button>
        <Button disabled={older === undefined} onClick={compare}>
          Compare with previous
        </Button>
        {shown !== undefined && <Link href={sessionHref(shown.session, shown.event)}>Show timeline</Link>}
      </div>
    </div>
  );
}
