import { useState } from "react";
import { Link, useLocation } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Page } from "../../app/page.tsx";
import { useIsOperator } from "../../data/store.tsx";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Text } from "../../ui/text.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { DeleteDialog } from "../chat/delete-dialog.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { ElevateDialog } from "./elevate-dialog.tsx";
import { SessionPane, useSession } from "./session-pane.tsx";
import style from "./session-view.module.css";

/** A session, or two side by side: the second is `with` in the address. */
export function SessionView({ id }: { readonly id: string }) {
  const [address, set] = useAddress();
  const beside = address.get("with") ?? "";
  const session = useSession(id);
  const compare = (other: string) => set({ with: other });
  return (
    <Page title={session.title} within={{ name: "Sessions", href: "/sessions" }} fill flush>
      {beside === "" ? (
        <SessionPane of={session} actions={<Actions id={id} onCompare={compare} />} />
      ) : (
        <div className={style.pair}>
          <section className={style.side} aria-label="First session">
            <SessionPane of={session} actions={<Close alone={beside} />} />
          </section>
          <Beside key={beside} id={beside} onClose={() => set({ with: "" })} />
        </div>
      )}
    </Page>
  );
}

/** Leaves the first session; the second one stays. */
function Close({ alone }: { readonly alone: string }) {
  return (
    <Link href={sessionHref(alone)} aria-label="Close the first session">
      <Icon of="close" />
    </Link>
  );
}

function Beside({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const session = useSession(id);
  return (
    <section className={style.side} aria-label="Second session">
      <h2 className={style.sideTitle}>
        <Text className="one-line">{session.title}</Text>
      </h2>
      <SessionPane
        of={session}
        actions={
          <IconButton label="Close the second session" onClick={onClose}>
            <Icon of="close" />
          </IconButton>
        }
      />
    </section>
  );
}

function Actions({ id, onCompare }: { readonly id: string; readonly onCompare: (other: string) => void }) {
  const [, go] = useLocation();
  const tell = useToast();
  const isOperator = useIsOperator();
  const [opened, setOpened] = useState<"delete" | "elevate" | "compare" | undefined>(undefined);
  const close = () => setOpened(undefined);
  useHotkeys(isOperator ? [{ keys: "Delete", does: "Delete this session", run: () => setOpened("delete") }] : []);
  return (
    <>
      <Button look="link" onClick={() => setOpened("compare")}>
        Compare…
      </Button>
      {isOperator && (
        <>
          <Button look="link" onClick={() => setOpened("elevate")}>
            Elevate session
          </Button>
          <IconButton label="Delete this session" onClick={() => setOpened("delete")}>
            <Icon of="bin" />
          </IconButton>
        </>
      )}
      {opened === "compare" && (
        <CompareDialog
          id={id}
          onClose={close}
          onPick={(other) => {
            close();
            onCompare(other);
          }}
        />
      )}
      <ElevateDialog id={id} open={opened === "elevate"} onClose={close} />
      <DeleteDialog
        id={id}
        open={opened === "delete"}
        onClose={close}
        onDone={() => {
          tell("The session was deleted", { tone: "passed" });
          go("/sessions");
        }}
      />
    </>
  );
}
