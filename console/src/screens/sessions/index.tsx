import { Page } from "../../app/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export default function SessionsScreen() {
  return (
    <Page title="Sessions">
      <EmptyState title="This screen is being built" />
    </Page>
  );
}
