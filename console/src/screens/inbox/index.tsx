import { Page } from "../../app/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export default function InboxScreen() {
  return (
    <Page title="Inbox">
      <EmptyState title="This screen is being built" />
    </Page>
  );
}
