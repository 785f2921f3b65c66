import { useRoute } from "wouter";
import { SessionList } from "./session-list.tsx";
import { SessionView } from "./session-view.tsx";

/** Shows the conversations of all runtimes as a list, or one as a timeline. */
export default function SessionsScreen() {
  const [isOne, params] = useRoute("/sessions/:id");
  return isOne ? <SessionView key={params.id} id={params.id} /> : <SessionList />;
}
