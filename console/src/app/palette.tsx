import { type KeyboardEvent, useDeferredValue, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "../data/store.tsx";
import { useQuery, useWrite } from "../data/use-query.ts";
import { useSettled } from "../data/use-settled.ts";
import { lineOf } from "../moments/line-of.ts";
import { sessionHref, whyHref } from "../moments/moment-details.tsx";
import { classes } from "../ui/classes.ts";
import { Text } from "../ui/text.tsx";
import { relativeTime } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import style from "./palette.module.css";
import { screensFor } from "./screens.ts";

type Item = {
  readonly key: string;
  readonly group: string;
  readonly text: string;
  readonly hint: string;
  readonly href: string;
  /** Runs instead of opening `href`. */
  readonly run?: () => void;
};

const MOST = 40;

/** Finds everything with a name or an id, by keyboard. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const id = useId();
  const wanted = useDeferredValue(text);
  const all = useItems();
  const actions = useActions();
  const said = useMessages(wanted);
  const found = useMemo(
    () => [...matches([...all, ...actions], wanted), ...said].slice(0, MOST),
    [all, actions, said, wanted],
  );
  const current = Math.min(at, Math.max(0, found.length - 1));
  const pick = (item: Item | undefined) => {
    if (item === undefined) return;
    onClose();
    if (item.run === undefined) go(item.href);
    else item.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((current + step + found.length) % Math.max(1, found.length));
    }
    if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      pick(found[current]);
    }
  };
  return (
    <div className={style.palette}>
      <input
        // biome-ignore lint/a11y/noAutofocus: whoever opens the palette wants to type
        autoFocus
        type="text"
        role="combobox"
        aria-label="Search pages, agents, sessions, messages, rules, directives, users, decisions and actions"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found[current] === undefined ? undefined : `${id}-${current}`}
        autoComplete="off"
        spellCheck={false}
        className={style.input}
        placeholder="Page, session, message, rule, directive, user, decision ID or action"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Results" className={style.list}>
        {found.map((item, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, as a combobox wants it
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={item.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            ref={index === current ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            className={classes(style.item, index === current && style.current)}
            onClick={() => pick(item)}
            onMouseMove={() => setAt(index)}
          >
            <Text className={style.text}>{item.text}</Text>
            <Text className={style.hint}>{item.hint}</Text>
            <span className={style.group}>{item.group}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className={style.none}>No results. To find a decision, enter its full ID.</p>}
    </div>
  );
}

function useItems(): readonly Item[] {
  const { user } = useStore();
  const looks = user.role !== "user";
  const agents = useQuery("GET /api/agents");
  const sessions = useQuery("GET /api/journal/sessions", { query: { limit: 200 } });
  const contract = useQuery("GET /api/contract", {}, { when: looks });
  const rules = useQuery("GET /api/rules", {}, { when: looks });
  const standing = useQuery("GET /api/rules/standing", {}, { when: looks });
  const users = useQuery("GET /api/users", { query: { limit: 200 } }, { when: user.role === "operator" });
  return useMemo(() => {
    const now = Date.now();
    const screens = screensFor(user.role).map(({ name, path, hint }) => ({
      key: path,
      group: "screen",
      text: name,
      hint,
      href: path,
    }));
    const named =
      agents.state !== "ready"
        ? []
        : agents.data.agents.map(({ name, model }) => ({
            key: `agent ${name}`,
            group: "agent",
            text: name,
            hint: model,
            href: `/agents/${encodeURIComponent(name)}`,
          }));
    const told =
      contract.state !== "ready"
        ? []
        : contract.data.all.map((one) => ({
            key: `directive ${String(one.id)}`,
            group: "directive",
            text: `${String(one.type).toUpperCase()}: ${String(one.text)}`,
            hint: `${String(one.id)} ${String(one.scope ?? "global")}`,
            href: `/contract?directive=${encodeURIComponent(String(one.id))}`,
          }));
    const held =
      sessions.state !== "ready"
        ? []
        : sessions.data.sessions.map(({ session, label, agent, channel = "", lastAt }) => ({
            key: `session ${session}`,
            group: "session",
            text: label ?? `${agent} ${channel === "" ? "" : `on ${channel}`}`,
            hint: `${session} · ${label === undefined ? "" : `${agent} · `}${relativeTime(lastAt, now)}`,
            href: looks ? sessionHref(session) : `/chat/${encodeURIComponent(session)}`,
          }));
    const shared = standing.state === "ready" ? standing.data.rules.map(({ id }) => [id, "shared rule"] as const) : [];
    const own =
      rules.state === "ready"
        ? rules.data.agents.flatMap((one) => one.rules.map(({ id, does }) => [id, `${one.agent}: ${does}`] as const))
        : [];
    const ruled = [...new Map([...own, ...shared])].map(([rule, hint]) => ({
      key: `rule ${rule}`,
      group: "rule",
      text: rule,
      hint,
      href: `/rules?rule=${encodeURIComponent(rule)}`,
    }));
    const people = (users.state === "ready" ? users.data.users : []).map(({ id, name, role }) => ({
      key: `user ${id}`,
      group: "user",
      text: name,
      hint: `${id} · ${role}`,
      href: `/users/${encodeURIComponent(id)}`,
    }));
    return [...screens, ...named, ...ruled, ...told, ...people, ...held];
  }, [user.role, looks, agents, contract, sessions, rules, standing, users]);
}

/** Things to do from anywhere. */
function useActions(): readonly Item[] {
  const { user } = useStore();
  const switches = useQuery("GET /api/switches", {}, { when: user.role !== "user" });
  const pause = useWrite("POST /api/switches/pause");
  const resume = useWrite("DELETE /api/switches/pause");
  const tell = useToast();
  const isPaused = switches.state === "ready" && switches.data.paused !== null;
  const act = (text: string, hint: string, href: string, run?: () => void) => ({
    key: `action ${text}`,
    group: "action",
    text,
    hint,
    href,
    run,
  });
  const actions: Item[] = [];
  if (user.role !== "viewer") actions.push(act("New conversation", "talk to an agent", "/chat"));
  if (user.role === "operator") actions.push(act("New agent", "define an agent", "/agents?new=1"));
  if (user.role === "operator" && !isPaused)
    actions.push(
      act("Pause enforcement for 10 minutes", "everything is still recorded", "/", async () => {
        const outcome = await pause.run({ body: { time: "10m" } });
        tell(outcome.ok ? "Enforcement is paused for 10 minutes" : outcome.error.message, {
          tone: outcome.ok ? "advised" : "denied",
        });
      }),
    );
  if (user.role === "operator" && isPaused)
    actions.push(
      act("Resume enforcement", "end the pause", "/", async () => {
        const outcome = await resume.run();
        tell(outcome.ok ? "Everything is enforced again" : outcome.error.message, {
          tone: outcome.ok ? "passed" : "denied",
        });
      }),
    );
  return actions;
}

const SHORTEST = 3;
const MOST_MESSAGES = 8;

/** Finds events by their full text, once something is typed. */
function useMessages(text: string): readonly Item[] {
  const looks = useStore().user.role !== "user";
  const wanted = useSettled(text.trim());
  const found = useQuery(
    "GET /api/events",
    { query: { text: wanted, limit: MOST_MESSAGES } },
    { when: looks && wanted.length >= SHORTEST },
  );
  return useMemo(() => {
    if (found.state !== "ready") return [];
    return found.data.events.map((event) => {
      const { what, word } = lineOf(event);
      return {
        key: `event ${event.id}`,
        group: event.type,
        text: what === "" ? word : what,
        hint: `${event.agent} · ${relativeTime(event.at, Date.now())}`,
        href: sessionHref(event.session, event.id),
      };
    });
  }, [found]);
}

/** Every word must match; items that start with the text come first. Ids of decisions and approvals match without a list. */
function matches(items: readonly Item[], text: string): readonly Item[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return items.slice(0, MOST);
  const words = wanted.split(/\s+/);
  const scored = items.flatMap((item) => {
    const whole = `${item.text} ${item.hint} ${item.group}`.toLowerCase();
    if (!words.every((word) => whole.includes(word))) return [];
    return [
      {
        item,
        score: item.text.toLowerCase().startsWith(wanted) ? 0 : item.text.toLowerCase().includes(wanted) ? 1 : 2,
      },
    ];
  });
  const found = scored.sort((a, b) => a.score - b.score).map(({ item }) => item);
  const id = text.trim();
  const decision: readonly Item[] = /^[a-z]{1,3}_[\w-]{3,}$/i.test(id)
    ? [
        {
          key: `why ${id}`,
          group: "decision",
          text: `why ${id}`,
          hint: "decision or question with this ID",
          href: whyHref(id),
        },
      ]
    : [];
  const isKnown = found.some(({ key }) => key.endsWith(` ${id}`));
  return (isKnown ? [...found, ...decision] : [...decision, ...found]).slice(0, MOST);
}
