import { useState } from "react";
import type { Answer } from "../../data/client.ts";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

type Key = Answer<"GET /api/users/{id}/keys">["keys"][number];

const KINDS: { readonly [K in Key["kind"]]: string } = {
  login: "unused login link",
  cookie: "signed-in browser",
  token: "token",
};

/** Lists a user's keys, revokes them, and creates tokens and login links. */
export function UserKeys({ id }: { readonly id: string }) {
  const params = { id };
  const query = useQuery("GET /api/users/{id}/keys", { params });
  const login = useWrite("POST /api/users/{id}/login");
  const [revoking, setRevoking] = useState<Key | undefined>(undefined);
  const [naming, setNaming] = useState(false);
  const [secret, setSecret] = useState<{ readonly title: string; readonly text: string } | undefined>(undefined);
  const makeLink = async () => {
    const outcome = await login.run({ params });
    if (outcome.ok) setSecret({ title: "Login link", text: `${location.origin}/login#code=${outcome.value.code}` });
  };
  return (
    <section aria-label="Keys" className="stack">
      <h2>Keys</h2>
      {login.error !== undefined && <ErrorText error={login.error} />}
      <QueryView query={query} skeleton={<Skeleton lines={3} height={40} />}>
        {({ keys }) => (
          <DataTable<Key>
            label="Keys"
            rows={keys}
            keyOf={(key) => key.id}
            tools={
              <>
                <Button onClick={() => setNaming(true)}>New token…</Button>
                <Button busy={login.pending} onClick={() => void makeLink()}>
                  New login link
                </Button>
              </>
            }
            empty={<p className="quiet">No keys. Create a login link for a browser, or a token for a program.</p>}
            columns={[
              { name: "Kind", show: ({ kind }) => KINDS[kind] },
              { name: "Label", show: ({ label }) => <Text>{label ?? ""}</Text> },
              { name: "Created", show: ({ at }) => <Time at={at} /> },
              {
                name: "Expires",
                show: ({ expiresAt }) =>
                  expiresAt === undefined ? <span className="quiet">never</span> : <Time at={expiresAt} />,
              },
              {
                name: "Actions",
                show: (key) => (
                  <Button look="danger" onClick={() => setRevoking(key)}>
                    Revoke…
                  </Button>
                ),
              },
            ]}
          />
        )}
      </QueryView>
      {revoking !== undefined && <Revoke of={revoking} user={id} onClose={() => setRevoking(undefined)} />}
      {naming && (
        <NewToken
          user={id}
          onClose={() => setNaming(false)}
          onMade={(text) => {
            setNaming(false);
            setSecret({ title: "Token", text });
          }}
        />
      )}
      {secret !== undefined && (
        <Dialog title={secret.title} open onClose={() => setSecret(undefined)}>
          <p>Copy it now. It is shown only once.</p>
          <pre className="secret">{secret.text}</pre>
          <Button onClick={() => setSecret(undefined)}>Close</Button>
        </Dialog>
      )}
    </section>
  );
}

function Revoke({ of, user, onClose }: { readonly of: Key; readonly user: string; readonly onClose: () => void }) {
  const write = useWrite("DELETE /api/users/{id}/keys/{key}");
  const tell = useToast();
  const revoke = async () => {
    const outcome = await write.run({ params: { id: user, key: of.id } });
    if (!outcome.ok) return;
    tell("Key revoked");
    onClose();
  };
  return (
    <Dialog title="Revoke this key?" open onClose={onClose}>
      <p>
        The {KINDS[of.kind]} <Text>{of.label ?? ""}</Text> stops working at once. This cannot be undone.
      </p>
      {write.error !== undefined && <ErrorText error={write.error} />}
      <div className="row">
        <Button look="danger" busy={write.pending} onClick={() => void revoke()}>
          Revoke key
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

function NewToken({
  user,
  onClose,
  onMade,
}: {
  readonly user: string;
  readonly onClose: () => void;
  readonly onMade: (token: string) => void;
}) {
  const write = useWrite("POST /api/users/{id}/tokens");
  const [label, setLabel] = useState("");
  const make = async () => {
    const outcome = await write.run({ params: { id: user }, body: { label: label.trim() } });
    if (outcome.ok) onMade(outcome.value.token);
  };
  return (
    <Dialog title="New token" open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <TextField
          label="Label"
          hint="Which program uses it."
          value={label}
          required
          maxLength={100}
          onChange={(event) => setLabel(event.target.value)}
        />
        {write.error !== undefined && <ErrorText error={write.error} />}
        <div className="row">
          <Button type="submit" look="main" busy={write.pending} disabled={label.trim() === ""}>
            Create token
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
