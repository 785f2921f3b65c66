import type { User } from "../../../src/base/words/hosting/user.ts";
import type { GatewayError } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { ErrorText } from "../ui/states.tsx";
import { useTitle } from "./page.tsx";
import { PasteLink } from "./paste-link.tsx";
import style from "./sign-in.module.css";

/** Nobody is signed in: how to get a link. `error`: the gateway could not be asked at all, or the link was no good. */
export function SignIn({
  error,
  retry,
  onSignedIn,
}: {
  readonly error: GatewayError | undefined;
  readonly retry: () => void;
  readonly onSignedIn: (user: User) => void;
}) {
  const isLost = error !== undefined && error.status !== 401;
  useTitle(isLost ? "Not reached" : "Sign in");
  return (
    <main className={style.place}>
      <div className={style.box}>
        <p className={style.brand}>Conduct</p>
        <h1>{isLost ? "The gateway cannot be reached" : "Sign in"}</h1>
        {error !== undefined && error.code !== "UNAUTHORIZED" && <ErrorText error={error} />}
        {!isLost && (
          <>
            <p>
              There are no passwords. A one-time link signs this browser in; the gateway prints one when it starts. A
              new one:
            </p>
            <pre className={style.command}>conduct gateway login</pre>
            <p className="quiet">
              Run it where the gateway runs (in a checkout: npm run conduct -- gateway login), and open the link it
              prints here, or paste it:
            </p>
            <PasteLink onSignedIn={onSignedIn} />
          </>
        )}
        <Button look={isLost ? "main" : "plain"} onClick={retry}>
          {isLost ? "Try again" : "I have opened the link"}
        </Button>
      </div>
    </main>
  );
}
