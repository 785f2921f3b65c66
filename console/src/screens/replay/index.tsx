import { Page } from "../../app/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export default function ReplayScreen() {
  return (
    <Page title="Replay">
      <EmptyState title="This screen is being built" />
    </Page>
  );
}
