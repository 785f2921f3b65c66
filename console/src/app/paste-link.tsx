import { type FormEvent, useState } from "react";
import type { User } from "../../../src/base/words/hosting/user.ts";
import { ask, type GatewayError } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorText } from "../ui/states.tsx";
import style from "./sign-in.module.css";

/** Signs in here with a link that was opened in another tab or is pasted. */
export function PasteLink({ onSignedIn }: { readonly onSignedIn: (user: User) => void }) {
  const [link, setLink] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<GatewayError | undefined>(undefined);
  const code = loginCodeIn(link);
  async function signIn(event: FormEvent) {
    event.preventDefault();
    if (code === undefined) return;
    setBusy(true);
    const signed = await ask("POST /api/login", { body: { code } });
    setBusy(false);
    if (!signed.ok) return setError(signed.error);
    setLink("");
    onSignedIn(signed.value);
  }
  return (
    <form className={style.paste} onSubmit={(event) => void signIn(event)}>
      <TextField
        label="Login link or code"
        hint={
          link !== "" && code === undefined
            ? "Paste the whole link, or the part that starts with cl_."
            : "The link works once and expires after 15 minutes."
        }
        value={link}
        spellCheck={false}
        data-first=""
        onChange={(event) => {
          setLink(event.target.value);
          setError(undefined);
        }}
      />
      {error !== undefined && <ErrorText error={error} />}
      <Button look="main" type="submit" disabled={code === undefined || busy}>
        Sign in
      </Button>
    </form>
  );
}

/** Accepts a whole login link or the code alone. Returns `undefined` if there is no code. */
export function loginCodeIn(text: string): string | undefined {
  return /(?:^|[#&]code=)(cl_[\w-]+)\s*$/.exec(text.trim())?.[1];
}
