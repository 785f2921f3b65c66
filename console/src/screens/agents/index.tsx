import { Page } from "../../app/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export default function AgentsScreen() {
  return (
    <Page title="Agents">
      <EmptyState title="This screen is being built" />
    </Page>
  );
}
