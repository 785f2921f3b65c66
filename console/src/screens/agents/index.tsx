import { useRoute } from "wouter";
import { AgentList } from "./agent-list.tsx";
import { AgentPage } from "./agent-page.tsx";

/** Lists the agents, and shows one with its definition, schedules and versions. */
export default function AgentsScreen() {
  const [one, params] = useRoute("/agents/:name");
  return one ? <AgentPage key={params.name} name={decodeURIComponent(params.name)} /> : <AgentList />;
}
