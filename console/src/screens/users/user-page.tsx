import { useState } from "react";
import { Link } from "wouter";
import type { User } from "../../../../src/base/words/hosting/user.ts";
import { Page } from "../../app/page.tsx";
import { useDraft } from "../../data/drafts.ts";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { UserKeys } from "./user-keys.tsx";
import { RoleField } from "./user-list.tsx";

export function UserPage({ id }: { readonly id: string }) {
  const query = useQuery("GET /api/users/{id}", { params: { id } });
  return (
    <Page
      title={query.state === "ready" ? query.data.name : id}
      within={{ name: "Users", href: "/users" }}
      lead={query.state === "ready" ? `${id} · ${query.data.role}` : id}
      actions={<Link href={`/sessions?user=${encodeURIComponent(id)}`}>Show sessions</Link>}
    >
      <QueryView query={query} skeleton={<Skeleton lines={6} height={40} />}>
        {(user) => (
          <div className="stack">
            <UserForm key={JSON.stringify(user)} user={user} />
            <UserKeys id={id} />
          </div>
        )}
      </QueryView>
    </Page>
  );
}

type Draft = Pick<User, "name" | "role"> & { readonly zone: string; readonly telegram: string; readonly slack: string };

function UserForm({ user }: { readonly user: User }) {
  const given: Draft = {
    name: user.name,
    role: user.role,
    zone: user.zone ?? "",
    telegram: String(user.telegram ?? ""),
    slack: user.slack ?? "",
  };
  const [draft, setDraft, sent] = useDraft<Draft>(`user ${user.id}`, () => given);
  const [wrong, setWrong] = useState({ telegram: false, slack: false });
  const write = useWrite("PATCH /api/users/{id}");
  const tell = useToast();
  const dirty = JSON.stringify(draft) !== JSON.stringify(given);
  const put = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const save = async () => {
    const telegram = draft.telegram.trim() === "" ? null : Number(draft.telegram);
    const slack = draft.slack.trim() || null;
    const faults = {
      telegram: telegram !== null && !(Number.isSafeInteger(telegram) && telegram > 0),
      slack: slack !== null && !/^[UW][A-Z0-9]{4,20}$/.test(slack),
    };
    setWrong(faults);
    if (faults.telegram || faults.slack) return;
    const zone = draft.zone.trim() || undefined;
    const body = {
      name: draft.name.trim(),
      zone,
      // Sent only if they change: operators cannot send a role for themselves.
      role: draft.role === given.role ? undefined : draft.role,
      telegram: draft.telegram === given.telegram ? undefined : telegram,
      slack: draft.slack === given.slack ? undefined : slack,
    };
    const outcome = await write.run({ params: { id: user.id }, body });
    if (!outcome.ok) return;
    sent();
    tell("User saved", { tone: "passed" });
  };
  return (
    <form
      className="stack"
      aria-label={`User ${user.id}`}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="fields">
        <TextField
          label="Name"
          value={draft.name}
          maxLength={100}
          onChange={(event) => put({ name: event.target.value })}
        />
        <RoleField value={draft.role} onChange={(role) => put({ role })} />
        <TextField
          label="Time zone"
          hint="Such as Europe/London."
          value={draft.zone}
          onChange={(event) => put({ zone: event.target.value })}
        />
        <TextField
          label="Telegram ID"
          hint="A number. Messages from it count as this user's."
          error={wrong.telegram && "A Telegram ID is a positive whole number."}
          inputMode="numeric"
          value={draft.telegram}
          onChange={(event) => put({ telegram: event.target.value })}
        />
        <TextField
          label="Slack ID"
          hint="For example U012AB3CD. In Slack, open the person's profile and choose Copy member ID."
          error={wrong.slack && "A Slack ID begins with U or W, followed by capital letters and digits."}
          value={draft.slack}
          onChange={(event) => put({ slack: event.target.value })}
        />
      </div>
      {write.error !== undefined && <ErrorText error={write.error} />}
      <div className="row">
        <Button type="submit" look="main" busy={write.pending} disabled={!dirty}>
          Save user
        </Button>
        <Button disabled={!dirty} onClick={() => setDraft(given)}>
          Discard changes
        </Button>
      </div>
    </form>
  );
}
