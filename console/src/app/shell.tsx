import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useLiveState, useStore } from "../data/store.tsx";
import { useQuery } from "../data/use-query.ts";
import { Count } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Text } from "../ui/text.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { DemoBanner } from "./demo-banner.tsx";
import { GovernanceBanner } from "./governance-banner.tsx";
import { Keys, useHotkeys } from "./hotkeys.tsx";
import { TitleSlot } from "./page.tsx";
import { type Screen, screensFor } from "./screens.ts";
import style from "./shell.module.css";

type Theme = "system" | "light" | "dark";
const PLACE = "conduct-theme";

/** Returns the saved choice, which `public/theme.js` applies before the first paint. */
function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const choose = useCallback((next: Theme) => {
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      if (next === "system") localStorage.removeItem(PLACE);
      else localStorage.setItem(PLACE, next);
    } catch {
      // The choice then lasts until the page is closed.
    }
    setTheme(next);
  }, []);
  return [theme, choose];
}

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

const Palette = lazy(() => import("./palette.tsx"));
/** Shown in the bottom bar on phones; the others are behind "More". */
const IN_BAR = ["Home", "Chat", "Inbox", "Sessions"];

/** Frame around every screen: navigation, open items, active switches and connection state. */
export function AppShell({ children, onSignOut }: { readonly children: ReactNode; readonly onSignOut: () => void }) {
  const { user } = useStore();
  const [where, go] = useLocation();
  const [palette, setPalette] = useState(false);
  const [more, setMore] = useState(false);
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const main = useRef<HTMLElement>(null);
  const screens = screensFor(user.role);
  const counts = useCounts();
  const current = screens.findLast(({ path }) =>
    path === "/" ? where === "/" : where === path || where.startsWith(`${path}/`),
  );
  useHotkeys([
    { keys: "mod+k", does: "Search everything", group: "Everywhere", run: () => setPalette(true) },
    ...screens.map(({ key, name, path }) => ({ keys: `g ${key}`, does: name, group: "Go to", run: () => go(path) })),
    {
      keys: "/",
      does: "Search this list",
      group: "Everywhere",
      run: () => main.current?.querySelector<HTMLElement>("[data-search]")?.focus(),
    },
  ]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place closes what lies over it
  useEffect(() => setMore(false), [where]);
  const link = (screen: Screen, inBar = false) => (
    <Link
      key={screen.path}
      href={screen.path}
      className={classes(style.link, inBar && style.tab)}
      aria-current={screen === current ? "page" : undefined}
    >
      <span className="grow">{screen.name}</span>
      {counts[screen.name]}
    </Link>
  );
  return (
    <div className={style.shell}>
      <a href="#main" className={style.skip}>
        Skip to content
      </a>
      <nav className={style.side} aria-label="Pages">
        <Link href={screens[0]?.path ?? "/"} className={style.brand}>
          Conduct
        </Link>
        <div className={style.links}>{screens.map((screen) => link(screen))}</div>
        <div className={style.foot}>
          <LiveMark />
          <Settings onSignOut={onSignOut} />
        </div>
      </nav>
      <div className={style.body}>
        <header className={style.top}>
          <div className={style.where} ref={setSlot} />
          <ContractMark />
          <button type="button" className={style.find} onClick={() => setPalette(true)}>
            Search <Keys of="mod+k" />
          </button>
          <span className={style.phoneOnly}>
            <LiveMark short />
          </span>
        </header>
        <DemoBanner />
        <ConnectionBanner />
        <GovernanceBanner />
        <main id="main" ref={main} className={style.main} tabIndex={-1}>
          <TitleSlot value={slot}>{children}</TitleSlot>
        </main>
      </div>
      <nav className={style.bar} aria-label="Main pages">
        {screens.filter(({ name }) => IN_BAR.includes(name)).map((screen) => link(screen, true))}
        <button type="button" className={classes(style.link, style.tab)} onClick={() => setMore(true)}>
          More
        </button>
      </nav>
      <Dialog title="Conduct" look="side" open={more} onClose={() => setMore(false)}>
        <div className={style.links}>{screens.map((screen) => link(screen))}</div>
        <Settings onSignOut={onSignOut} />
      </Dialog>
      <Dialog title="Search everything" look="top" hideTitle open={palette} onClose={() => setPalette(false)}>
        <Suspense fallback={<Skeleton lines={8} height={32} />}>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      </Dialog>
    </div>
  );
}

/** Number of items that wait for a person, by screen. */
function useCounts(): { readonly [screen: string]: ReactNode } {
  const { user } = useStore();
  const looks = user.role !== "user";
  const contract = useQuery("GET /api/contract", {}, { when: looks });
  const pending = useQuery("GET /api/candidates", { query: { status: "pending" } }, { when: looks });
  const questions = useQuery("GET /api/approvals", {}, { when: user.role !== "viewer" });
  return {
    Contract:
      contract.state === "ready" ? <span className={style.version}>v{contract.data.contract.version}</span> : null,
    Inbox: pending.state === "ready" ? <Count of={pending.data.candidates.length} label="waiting" /> : null,
    Chat: questions.state === "ready" ? <Count of={questions.data.approvals.length} label="questions waiting" /> : null,
  };
}

function ContractMark() {
  const looks = useStore().user.role !== "user";
  const query = useQuery("GET /api/contract", {}, { when: looks });
  if (query.state !== "ready") return <span className={style.contract} />;
  const { version, hash } = query.data.contract;
  return (
    <Link href="/contract" className={style.contract} title={`Contract in force: version ${version}, ${hash}`}>
      contract v{version} <code>{hash.slice(0, 6)}</code>
    </Link>
  );
}

const LIVE = {
  live: ["●", "live"],
  connecting: ["○", "connecting"],
  away: ["◌", "not connected"],
  none: ["", ""],
} as const;

function LiveMark({ short = false }: { readonly short?: boolean }) {
  const state = useLiveState();
  const { live } = useStore();
  const [sign, word] = LIVE[state];
  const seen = useQuery("GET /api/overview", { query: { days: 1 } }, { when: state !== "none" && !short });
  if (state === "none") return null;
  return (
    <span className={classes(style.live, style[state])} role="status">
      <span aria-hidden="true">{sign}</span> <span className={short ? "unseen" : undefined}>{word}</span>
      {state === "away" && !short && (
        <Button look="link" onClick={() => live?.retry()}>
          Reconnect
        </Button>
      )}
      {state === "live" && seen.state === "ready" && (
        <Link href="/sessions?active=true" className={style.active} title="Sessions that work on a turn now">
          {seen.data.active} active
        </Link>
      )}
    </span>
  );
}

const THEMES: readonly Theme[] = ["system", "light", "dark"];

function Settings({ onSignOut }: { readonly onSignOut: () => void }) {
  const { user } = useStore();
  const [theme, choose] = useTheme();
  return (
    <div className={style.settings}>
      <label className={style.theme}>
        <span className="unseen">Theme</span>
        <select
          value={theme}
          onChange={(event) => choose(THEMES.find((one) => one === event.target.value) ?? "system")}
        >
          <option value="system">System theme</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <div className={style.who}>
        <Text className="one-line">{user.name}</Text>
        <span className="quiet small">{user.role}</span>
        <Button look="link" className="small" onClick={onSignOut}>
          Sign out
        </Button>
      </div>
    </div>
  );
}
