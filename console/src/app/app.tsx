import { Component, type ReactNode, Suspense, useCallback, useEffect, useState } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import type { User } from "../../../src/base/words/hosting/user.ts";
import { ask, type GatewayError, login } from "../data/client.ts";
import { dropDrafts } from "../data/drafts.ts";
import { StoreProvider } from "../data/store.tsx";
import { ResultProvider } from "../moments/open-result.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState, Skeleton } from "../ui/states.tsx";
import { ToastProvider } from "../ui/toast.tsx";
import { HotkeyProvider } from "./hotkeys.tsx";
import { Page } from "./page.tsx";
import { screensFor, Why } from "./screens.ts";
import { AppShell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import { SignInAgain } from "./sign-in-again.tsx";

type Who =
  | { readonly state: "asking" }
  | { readonly state: "out"; readonly error: GatewayError | undefined }
  /** `expired`: the gateway no longer knows the browser. The screens stay, so that nothing typed is lost. */
  | { readonly state: "in"; readonly user: User; readonly expired: boolean };

/** Whoever opens it is signed in first, by the code of the link where there is one. */
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
      // The same person with the same rights goes on where they were; anybody else begins anew.
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
              <Page title="Not here">
                <EmptyState title="There is no such screen" action={<Link href={first}>Back to the start</Link>}>
                  The link may be old, or the screen is not for your role ({user.role}).
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

/** The code stands behind `#`, so that no server sees it; it is taken out of the address before it is used. */
async function signIn(): Promise<Who> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null && location.pathname === "/login") {
    history.replaceState(null, "", "/");
    const signed = await ask("POST /api/login", { body: { code } });
    if (signed.ok) return isIn(signed.value as User);
    // A link that was used already does no harm to who is signed in.
    const known = await ask("GET /api/me", undefined);
    return known.ok ? isIn(known.value as User) : { state: "out", error: signed.error };
  }
  const known = await ask("GET /api/me", undefined);
  return known.ok ? isIn(known.value as User) : { state: "out", error: known.error };
}

function isIn(user: User): Who {
  return { state: "in", user, expired: false };
}

type FailingProps = { readonly where: string; readonly children: ReactNode };

/** A screen that breaks leaves the others whole. */
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
    // A screen's file is gone when the gateway was built anew meanwhile: loading the page again brings the new one.
    return (
      <Page title="This screen broke">
        <EmptyState
          title={/import|module/i.test(error.message) ? "The console was changed meanwhile" : error.message}
          action={<Button onClick={() => location.reload()}>Load it again</Button>}
        >
          Nothing was lost: what you did before is kept by the gateway.
        </EmptyState>
      </Page>
    );
  }
}
