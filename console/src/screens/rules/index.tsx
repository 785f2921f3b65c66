import { Page } from "../../app/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export default function RulesScreen() {
  return (
    <Page title="Rules">
      <EmptyState title="This screen is being built" />
    </Page>
  );
}
