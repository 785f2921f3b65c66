import { useLiveState, useStore } from "../data/store.tsx";
import { Button } from "../ui/button.tsx";
import style from "./governance-banner.module.css";

/** Shows on every screen that the gateway is gone. The stream reconnects by itself, and everything is read again then. */
export function ConnectionBanner() {
  const state = useLiveState();
  const { live } = useStore();
  if (state !== "away") return null;
  return (
    <div role="status" className={style.lost}>
      The gateway cannot be reached. The console reconnects by itself, and text that you have entered stays here.{" "}
      <Button look="link" onClick={() => live?.retry()}>
        Try now
      </Button>
    </div>
  );
}
