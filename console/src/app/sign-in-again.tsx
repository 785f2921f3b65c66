import { useCallback, useEffect, useState } from "react";
import type { User } from "../../../src/base/words/hosting/user.ts";
import { ask } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PasteLink } from "./paste-link.tsx";
import style from "./sign-in.module.css";

/** The login has ended while somebody works here. The screen below stays as it is, with everything that was typed. */
export function SignInAgain({
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
      if (known.ok) onSignedIn(known.value as User);
      else setStillOut(isAsked);
    },
    [onSignedIn],
  );
  // Whoever opens the link in another tab and comes back is signed in here too.
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
        <p>Your login has ended. Everything you typed is still here, and you can send it after you sign in.</p>
        <p>Get a new login link where the gateway runs, or ask an operator for one:</p>
        <pre className={style.command}>conduct gateway login</pre>
        <PasteLink onSignedIn={onSignedIn} />
        <p className="quiet">Or open the link in another tab of this browser, then check the login here.</p>
        {isStillOut && <p role="status">This browser is not signed in yet.</p>}
        <Button onClick={() => void look(true)}>Check login</Button>
      </div>
    </Dialog>
  );
}
