import { useQuery } from "../data/use-query.ts";
import style from "./governance-banner.module.css";

/** Says on every screen that the store contains sample data, so that nobody takes it for their own. */
export function DemoBanner() {
  const query = useQuery("GET /api/health");
  if (query.state !== "ready" || query.data.demo !== true) return null;
  return (
    <p className={style.demo} role="note">
      <strong>Demo data.</strong> This day is made up. Start without <code>CONDUCT_DEMO</code> to use your own store.
    </p>
  );
}
