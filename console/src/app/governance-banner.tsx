import { useEffect } from "react";
import { useStore } from "../data/store.tsx";
import { useQuery } from "../data/use-query.ts";
import { Text } from "../ui/text.tsx";
import style from "./governance-banner.module.css";

/** Polling interval while the journal is damaged. */
const LOOK_MS = 5_000;

/** Shows on every screen that the governance journal is damaged, and which command repairs it. */
export function GovernanceBanner() {
  const looks = useStore().user.role !== "user";
  const query = useQuery("GET /api/governance", {}, { when: looks });
  const { refresh } = query;
  const reason = query.state === "ready" ? query.data.reason : undefined;
  const isDamaged = reason !== undefined;
  useEffect(() => {
    if (!isDamaged) return;
    const timer = setInterval(refresh, LOOK_MS);
    return () => clearInterval(timer);
  }, [isDamaged, refresh]);
  if (reason === undefined) return null;
  return (
    <div role="alert" className={style.banner}>
      <Text>{reason}</Text>
    </div>
  );
}
