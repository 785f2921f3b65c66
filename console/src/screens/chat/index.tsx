import { useCallback, useEffect, useMemo, useState } from "react";
import { useLocation, useParams } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import { ask, type GatewayError } from "../../data/client.ts";
import { readDraft, writeDraft } from "../../data/drafts.ts";
import { useStore } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { isChatter, type JournalEvent } from "../../moments/line-of.ts";
import { MomentList } from "../../moments/moment-row.tsx";
import { AlwaysAllowed, QuestionBox } from "../../moments/question.tsx";
import { stepsIn } from "../../moments/story/story-of.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { ErrorState, ErrorText, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { useNow } from "../../ui/time.tsx";
import { Announce } from "./announce.tsx";
import { Beginning } from "./beginning.tsx";
import style from "./chat.module.css";
import { Composer } from "./composer.tsx";
import { Conversations } from "./conversations.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { TurnView } from "./turn-view.tsx";
import { addedTo, eventsByTurn, modesOf } from "./turns-of.ts";
import { TurnsPane } from "./turns-pane.tsx";
import { useConversation } from "./use-conversation.ts";

const DEMO = "demo/habits";
const NO_MOMENTS: readonly JournalEvent[] = [];

/** Drafts by conversation; "" is the new conversation. */
type Drafts = { readonly [conversation: string]: string };

/** Returns the drafts that are not empty, or `undefined` if there are none. */
function typedOf(drafts: Drafts): Drafts | undefined {
  const typed = Object.entries(drafts).filter(([, text]) => text !== "");
  return typed.length === 0 ? undefined : Object.fromEntries(typed);
}

type Picked = { readonly turn: string; readonly event: string | undefined };

/** Chat with an agent, next to the moments of each turn. */
export default function ChatScreen() {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const { user, cache } = useStore();
  const { state, live, send, answer, cancel, loadOlder, reload } = useConversation(id);
  const agents = useQuery("GET /api/agents");
  const [agent, setAgent] = useState("");
  const [drafts, setDrafts] = useState<Drafts>(() => readDraft<Drafts>(user.id, "chat") ?? {});
  useEffect(() => writeDraft(user.id, "chat", typedOf(drafts)), [user.id, drafts]);
  const [error, setError] = useState<GatewayError | undefined>(undefined);
  const [picked, setPicked] = useState<Picked | undefined>(undefined);
  const [sheet, setSheet] = useState<"none" | "list" | "moments" | "delete">("none");
  const now = useNow();

  const known = agents.state === "ready" ? agents.data.agents : [];
  const chosen = agent === "" ? (known[0]?.name ?? "") : agent;
  const { conversation, turns } = state;
  const moments = useMemo(() => eventsByTurn(turns, state.events), [turns, state.events]);
  const added = useMemo(
    () =>
      new Map(
        turns.map((turn) => [
          turn.id,
          addedTo(turn, moments.get(turn.id) ?? NO_MOMENTS, state.added.get(turn.id) ?? [], turns),
        ]),
      ),
    [turns, moments, state.added],
  );
  const steps = useMemo(
    () => new Map(turns.map(({ id: turn, at }, one) => [turn, stepsIn(state.steps, at, turns[one + 1]?.at)])),
    [turns, state.steps],
  );
  const running = turns.find(({ status }) => status === "running");
  const isRunning = running !== undefined || turns.some(({ status }) => status === "queued");
  const isMissing = state.error?.status === 404 && conversation === undefined;
  const mayTalk =
    user.role !== "viewer" &&
    !isMissing &&
    (conversation === undefined || (conversation.user === user.id && conversation.channel === "web"));
  const shown =
    picked !== undefined && turns.some(({ id: turn }) => turn === picked.turn)
      ? picked.turn
      : (running ?? turns.at(-1))?.id;
  const place = id ?? "";
  const text = drafts[place] ?? "";
  const setText = useCallback((next: string) => setDrafts((all) => ({ ...all, [place]: next })), [place]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation starts clean
  useEffect(() => {
    setError(undefined);
    setPicked(undefined);
    setSheet("none");
  }, [id]);

  const onSend = useCallback(
    async (words: string, how: "queue" | "steer") => {
      if (words.trim() === "") return;
      const isDraft = words === text;
      setError(undefined);
      setPicked(undefined);
      if (isDraft) setText("");
      let session = id;
      if (session === undefined) {
        const made = await ask("POST /api/sessions", { body: { agent: chosen } });
        if (!made.ok) {
          setText(words);
          setError(made.error);
          return;
        }
        session = made.value.id;
        go(`/chat/${encodeURIComponent(session)}`, { replace: true });
      }
      const outcome = await send(session, words, how);
      // `/new` was answered in a new conversation.
      const { conversation: there = session } = outcome.ok ? (outcome.value as { conversation?: string }) : {};
      if (there !== session) go(`/chat/${encodeURIComponent(there)}`);
      cache.invalidate((route) => route === "GET /api/sessions");
      if (outcome.ok) return;
      // Keep the typed text.
      if (isDraft)
        setDrafts((all) => ({
          ...all,
          [session]: all[session] === undefined || all[session] === "" ? words : (all[session] ?? ""),
        }));
      setError(outcome.error);
    },
    [id, text, setText, chosen, go, send, cache],
  );
  const onCancel = useCallback(async () => {
    const outcome = await cancel();
    if (!outcome.ok) setError(outcome.error);
  }, [cancel]);
  const onPick = useCallback((turn: string, event: JournalEvent) => {
    setPicked((before) => (before?.event === event.id ? { turn, event: undefined } : { turn, event: event.id }));
    if (matchMedia("(max-width: 1099px)").matches) setSheet("moments");
  }, []);
  const startNew = useCallback(() => go("/chat"), [go]);
  useHotkeys([
    { keys: "n", does: "New conversation", run: startNew },
    { keys: "Escape", does: "Stop the running turn", run: () => isRunning && void onCancel() },
  ]);

  const shownEvents = (shown === undefined ? undefined : moments.get(shown)) ?? NO_MOMENTS;
  const timeline = (
    <MomentList
      label="Moments of this turn"
      time={false}
      events={shownEvents.filter((event) => !isChatter(event))}
      open={picked?.event}
      onToggle={(event) =>
        shown !== undefined &&
        setPicked((before) => ({ turn: shown, event: before?.event === event.id ? undefined : event.id }))
      }
      empty={
        <p className="quiet">
          The moments of a turn appear here as they happen: message ◦, prompt ¶, call ▸, result ◂ and stop ■. Select one
          to see why it happened.
        </p>
      }
    />
  );
  const model = known.find(({ name }) => name === (conversation?.agent ?? chosen))?.model;

  return (
    <Page title="Chat" fill flush>
      <div className={style.chat}>
        <aside className={style.side}>
          <Button onClick={startNew}>
            New conversation <kbd>N</kbd>
          </Button>
          <Conversations current={id} />
        </aside>
        <section className={style.talk} aria-label="Conversation">
          <header className={style.head}>
            <span className={style.narrow}>
              <IconButton label="Conversations" onClick={() => setSheet("list")}>
                <Icon of="list" />
              </IconButton>
            </span>
            {id === undefined ? (
              <label className={style.agent}>
                Agent{" "}
                <select value={chosen} onChange={(event) => setAgent(event.target.value)}>
                  {known.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            ) : (
              <Text>{conversation?.agent ?? ""}</Text>
            )}
            <span className="quiet small grow one-line">
              {model === undefined ? "" : model === DEMO ? "demo model (no key set)" : model}
            </span>
            {live === "away" && (
              <span className={style.away} role="status">
                ◌ Not connected, trying again
              </span>
            )}
            {conversation !== undefined && mayTalk && (
              <IconButton label="Delete this conversation" onClick={() => setSheet("delete")}>
                <Icon of="bin" />
              </IconButton>
            )}
          </header>
          <TurnsPane
            follow={`${turns.length} ${state.sending.length} ${state.questions.length} ${state.said.size}`}
            growing={state}
            first={turns[0]?.id}
            key={place}
          >
            {state.error !== undefined && conversation === undefined ? (
              <div className={style.pad}>
                <ErrorState error={state.error} retry={reload} />
              </div>
            ) : id !== undefined && state.loading && state.sending.length === 0 ? (
              <div className={style.pad}>
                <Skeleton lines={10} height={32} />
              </div>
            ) : turns.length === 0 && state.sending.length === 0 ? (
              <div className={style.pad}>
                <Beginning isDemo={model === DEMO} mayTalk={mayTalk} onTry={(words) => void onSend(words, "queue")} />
              </div>
            ) : null}
            {state.error !== undefined && conversation !== undefined && (
              <div className={style.pad}>
                <ErrorText error={state.error} />
              </div>
            )}
            {state.older !== undefined && (
              <div className={style.older}>
                <Button onClick={() => void loadOlder()}>Earlier turns</Button>
              </div>
            )}
            {turns.map((turn) => (
              <TurnView
                key={turn.id}
                turn={turn}
                said={state.said.get(turn.id)}
                notes={state.notes.get(turn.id)}
                added={added.get(turn.id) ?? []}
                events={moments.get(turn.id)}
                steps={steps.get(turn.id)}
                picked={picked?.turn === turn.id ? picked.event : undefined}
                isCurrent={turn.id === shown && turns.length > 1}
                onPick={onPick}
              />
            ))}
            {state.sending.map(({ messageId, text: words }) => (
              <p key={messageId} className={style.sending}>
                <Text className="said">{words}</Text>
              </p>
            ))}
            {id !== undefined && <AlwaysAllowed session={id} />}
            {state.questions.map((question) => (
              <QuestionBox key={question.approval} question={question} onAnswer={answer} />
            ))}
          </TurnsPane>
          {mayTalk ? (
            <Composer
              text={text}
              onText={setText}
              modes={modesOf(state.events, now)}
              isRunning={isRunning}
              error={error}
              onSend={(words, how) => void onSend(words, how)}
              onCancel={() => void onCancel()}
              focusKey={place}
            />
          ) : isMissing ? (
            <p className={style.readOnly}>
              <Button onClick={startNew}>Start a new conversation</Button>
            </p>
          ) : (
            <p className={style.readOnly}>
              {user.role === "viewer"
                ? "You have read-only access."
                : "Only the conversation's own user can write, on its own channel. You have read-only access."}
            </p>
          )}
        </section>
        <aside className={style.moments} aria-label="This turn's moments">
          <h2 className={style.momentsHead}>This turn</h2>
          {timeline}
        </aside>
      </div>
      <Announce turns={turns} />
      <Dialog title="Conversations" look="side" open={sheet === "list"} onClose={() => setSheet("none")}>
        <Button onClick={startNew}>New conversation</Button>
        <Conversations current={id} />
      </Dialog>
      <Dialog title="This turn" open={sheet === "moments"} onClose={() => setSheet("none")}>
        {timeline}
      </Dialog>
      {conversation !== undefined && (
        <DeleteDialog
          id={conversation.id}
          open={sheet === "delete"}
          onClose={() => setSheet("none")}
          onDone={startNew}
        />
      )}
    </Page>
  );
}
