import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Role, User } from "../../../../src/base/words/hosting/user.ts";
import { Page } from "../../app/page.tsx";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select, TextField } from "../../ui/field.tsx";
import { ErrorText, QueryView, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";

const ROLES: { readonly [R in Role]: string } = {
  operator: "operator: decides and configures",
  user: "user: talks to agents",
  viewer: "viewer: read-only access",
};

const userHref = (id: string): string => `/users/${encodeURIComponent(id)}`;

export function UserList() {
  const query = useQuery("GET /api/users", { query: { limit: 200 } });
  const [adding, setAdding] = useState(false);
  return (
    <Page
      title="Users"
      lead="People who use this gateway, with their roles and keys."
      actions={
        <Button look="main" onClick={() => setAdding(true)}>
          New user
        </Button>
      }
    >
      <QueryView query={query} skeleton={<Skeleton lines={6} height={40} />}>
        {({ users }) => (
          <DataTable<User>
            label="Users"
            rows={users}
            keyOf={({ id }) => id}
            textOf={({ id, name, role, zone = "" }) => `${id} ${name} ${role} ${zone}`}
            empty={<p className="quiet">No users yet.</p>}
            columns={[
              {
                name: "Name",
                show: ({ id, name }) => (
                  <Link href={userHref(id)}>
                    <Text>{name}</Text>
                  </Link>
                ),
              },
              { name: "ID", show: ({ id }) => <Text className="mono">{id}</Text> },
              { name: "Role", show: ({ role }) => role },
              { name: "Time zone", show: ({ zone }) => <Text>{zone ?? ""}</Text> },
              {
                name: "Channels",
                show: ({ telegram, slack }) =>
                  ["web", telegram && `Telegram ${telegram}`, slack && `Slack ${slack}`].filter(Boolean).join(", "),
              },
              { name: "Added", show: ({ at }) => <Time at={at} />, wideOnly: true },
            ]}
          />
        )}
      </QueryView>
      {adding && <NewUser onClose={() => setAdding(false)} />}
    </Page>
  );
}

function NewUser({ onClose }: { readonly onClose: () => void }) {
  const write = useWrite("POST /api/users");
  const [, go] = useLocation();
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("user");
  const add = async () => {
    const body = { id: id.trim(), name: name.trim(), role };
    const outcome = await write.run({ body });
    if (outcome.ok) go(userHref(outcome.value.id));
  };
  return (
    <Dialog title="New user" open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <TextField
          label="ID"
          hint="Letters, digits and . _ @ -. The ID cannot be changed later."
          value={id}
          required
          maxLength={60}
          onChange={(event) => setId(event.target.value)}
        />
        <TextField
          label="Name"
          value={name}
          required
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
        />
        <RoleField value={role} onChange={setRole} />
        {write.error !== undefined && <ErrorText error={write.error} />}
        <div className="row">
          <Button type="submit" look="main" busy={write.pending} disabled={id.trim() === "" || name.trim() === ""}>
            Create user
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

export function RoleField({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }) {
  const roles: readonly Role[] = ["operator", "user", "viewer"];
  return (
    <Select
      label="Role"
      value={value}
      onChange={(event) => onChange(roles.find((role) => role === event.target.value) ?? value)}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {ROLES[role]}
        </option>
      ))}
    </Select>
  );
}
