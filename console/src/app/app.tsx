import { Component, type ReactNode, Suspense, useCallback, useEffect, useState } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import type { User } from "../../../src/base/words/hosting/user.ts";
import { ask, type GatewayError, login } from "../data/client.ts";
import { dropDrafts } from "../data/drafts.ts";
import { StoreProvider } from "../data/store.tsx";
import { ResultProvider } from "../moments/open-result.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { EmptyState, ErrorText, Skeleton } from "../ui/states.tsx";
import { ToastProvider } from "../ui/toast.tsx";
import { HotkeyProvider } from "./hotkeys.tsx";
import { isLoadError, NotLoaded } from "./not-loaded.tsx";
import { Page, useTitle } from "./page.tsx";
import { PasteLink } from "./paste-link.tsx";
import { screensFor, Why } from "./screens.ts";
import { AppShell } from "./shell.tsx";
import style from "./sign-in.module.css";

type Who =
  | { readonly state: "asking" }
  | { readonly state: "out"; readonly error: GatewayError | undefined }
  /** `expired`: the login is no longer valid. The screens stay mounted, so that nothing typed is lost. */
  | { readonly state: "in"; readonly user: User; readonly expired: boolean };

/** Signs the user in before it shows a screen, with the code of the login link if there is one. */
export function App() {
  const [who, setWho] = useState<Who>({ state: "asking" });
  const look = useCallback(() => {
    setWho({ state: "asking" });
    void signIn().then(setWho);
  }, []);
  useEffect(look, [look]);
  const signedOut = useCallback(() => setWho((now) => (now.state === "in" ? { ...now, expired: true } : now)), []);
  useEffect(() => {
    login.addEventListener("signed-out", signedOut);
    return () => login.removeEventListener("signed-out", signedOut);
  }, [signedOut]);
  const signedIn = useCallback((user: User) => {
    setWho((now) => {
      // The same person with the same role continues where they were; anybody else starts again.
      const isSame = now.state === "in" && now.user.id === user.id && now.user.role === user.role;
      return { state: "in", user: isSame ? now.user : user, expired: false };
    });
  }, []);
  const later = useCallback(() => setWho((now) => (now.state === "in" ? { ...now, expired: false } : now)), []);
  const signOut = useCallback(() => {
    void ask("POST /api/logout", undefined).then((outcome) => {
      if (!outcome.ok && outcome.error.status !== 401) return;
      dropDrafts();
      setWho({ state: "out", error: undefined });
    });
  }, []);
  if (who.state === "asking")
    return (
      <p className="unseen" role="status">
        Loading
      </p>
    );
  if (who.state === "out") return <SignIn error={who.error} retry={look} onSignedIn={signedIn} />;
  return (
    <StoreProvider key={`${who.user.id} ${who.user.role}`} user={who.user} expired={who.expired} signedOut={signedOut}>
      <ToastProvider>
        <HotkeyProvider>
          <AppShell onSignOut={signOut}>
            <Screens user={who.user} />
          </AppShell>
          {who.expired && <SignInAgain onSignedIn={signedIn} onClose={later} />}
        </HotkeyProvider>
      </ToastProvider>
    </StoreProvider>
  );
}

function Screens({ user }: { readonly user: User }) {
  const screens = screensFor(user.role);
  const first = screens[0]?.path ?? "/chat";
  const [where] = useLocation();
  return (
    <Failing where={where}>
      <ResultProvider>
        <Suspense fallback={<Waiting />}>
          <Switch>
            {screens.map(({ pattern, screen: Screen }) => (
              <Route key={pattern} path={pattern}>
                <Screen />
              </Route>
            ))}
            <Route path="/why/:id">
              <Why />
            </Route>
            <Route path="/login">
              <Redirect to={first} replace />
            </Route>
            {first !== "/" && (
              <Route path="/">
                <Redirect to={first} replace />
              </Route>
            )}
            <Route>
              <Page title="Not found">
                <EmptyState title="This page does not exist" action={<Link href={first}>Go to the start page</Link>}>
                  The link may be outdated, or your role ({user.role}) has no access to it.
                </EmptyState>
              </Page>
            </Route>
          </Switch>
        </Suspense>
      </ResultProvider>
    </Failing>
  );
}

function Waiting() {
  return (
    <div style={{ padding: 24 }}>
      <Skeleton lines={6} />
    </div>
  );
}

/** The code is in the URL's fragment, so no server sees it. It is removed from the address before it is used. */
async function signIn(): Promise<Who> {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const code = fragment.get("code");
  if (code !== null && location.pathname === "/login") {
    const to = fragment.get("to") ?? "/";
    // `conduct open` names the page to show. The address can only be one of this console.
    history.replaceState(null, "", /^\/(?![/\\])/.test(to) ? to : "/");
    const signed = await ask("POST /api/login", { body: { code } });
    if (signed.ok) return isIn(signed.value);
    // A used link does not sign out a user who is signed in.
    const known = await ask("GET /api/me", undefined);
    return known.ok ? isIn(known.value) : { state: "out", error: signed.error };
  }
  const known = await ask("GET /api/me", undefined);
  return known.ok ? isIn(known.value) : { state: "out", error: known.error };
}

function isIn(user: User): Who {
  return { state: "in", user, expired: false };
}

/** How often an unreachable gateway is asked again. */
const RETRY_MS = 5_000;

type FailingProps = { readonly where: string; readonly children: ReactNode };

/** Error boundary: a screen that throws does not break the others. */
class Failing extends Component<FailingProps, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override componentDidUpdate(before: FailingProps) {
    if (this.state.error !== undefined && before.where !== this.props.where) this.setState({ error: undefined });
  }
  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (isLoadError(error)) return <NotLoaded />;
    return (
      <Page title="Something went wrong">
        <EmptyState title={error.message} action={<Button onClick={() => location.reload()}>Reload page</Button>}>
          Nothing was lost: your earlier changes are saved on the gateway.
        </EmptyState>
      </Page>
    );
  }
}

/** Shows how to get a login link. `error`: the gateway is unreachable, or the link is invalid. */
function SignIn({
  error,
  retry,
  onSignedIn,
}: {
  readonly error: GatewayError | undefined;
  readonly retry: () => void;
  readonly onSignedIn: (user: User) => void;
}) {
  const isLost = error !== undefined && error.status !== 401;
  useTitle(isLost ? "Gateway not reachable" : "Sign in");
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(retry, RETRY_MS);
    return () => clearInterval(timer);
  }, [isLost, retry]);
  return (
    <main className={style.place}>
      <div className={style.box}>
        <p className={style.brand}>Conduct</p>
        <h1>{isLost ? "The gateway cannot be reached" : "Sign in"}</h1>
        {error !== undefined && error.code !== "UNAUTHORIZED" && <ErrorText error={error} />}
        {!isLost && (
          <>
            <p>
              You sign in with a one-time link instead of a password. The gateway prints a link when it starts. To get a
              new one, run:
            </p>
            <pre className={style.command}>conduct gateway login</pre>
            <p className="quiet">
              Run it on the machine that runs the gateway (in a checkout: npm run conduct -- gateway login). Then open
              the link in this browser, or paste it here:
            </p>
            <PasteLink onSignedIn={onSignedIn} />
          </>
        )}
        <Button look={isLost ? "main" : "plain"} onClick={retry}>
          {isLost ? "Try again" : "Check login"}
        </Button>
      </div>
    </main>
  );
}

/** Shown when the login expires. The screen below stays mounted, with everything that was typed. */
function SignInAgain({
  onSignedIn,
  onClose,
}: {
  readonly onSignedIn: (user: User) => void;
  readonly onClose: () => void;
}) {
  const [isStillOut, setStillOut] = useState(false);
  const look = useCallback(
    async (isAsked: boolean) => {
      const known = await ask("GET /api/me", undefined);
      if (known.ok) onSignedIn(known.value);
      else setStillOut(isAsked);
    },
    [onSignedIn],
  );
  // Opening the link in another tab also signs in here.
  useEffect(() => {
    const back = () => document.visibilityState === "visible" && void look(false);
    document.addEventListener("visibilitychange", back);
    addEventListener("focus", back);
    return () => {
      document.removeEventListener("visibilitychange", back);
      removeEventListener("focus", back);
    };
  }, [look]);
  return (
    <Dialog title="Sign in again" open onClose={onClose}>
      <div className={style.again}>
        <p>Your login has expired. Your input is still here, and you can send it after you sign in.</p>
        <p>Get a new login link on the machine that runs the gateway, or ask an operator for one:</p>
        <pre className={style.command}>conduct gateway login</pre>
        <PasteLink onSignedIn={onSignedIn} />
        <p className="quiet">Or open the link in another tab of this browser, then check the login here.</p>
        {isStillOut && <p role="status">This browser is not signed in yet.</p>}
        <Button onClick={() => void look(true)}>Check login</Button>
      </div>
    </Dialog>
  );
}
