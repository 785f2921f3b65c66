import { Page } from "../../app/page.tsx";
import { EmptyState } from "../../ui/states.tsx";

export default function PromptScreen() {
  return (
    <Page title="Prompt">
      <EmptyState title="This screen is being built" />
    </Page>
  );
}
