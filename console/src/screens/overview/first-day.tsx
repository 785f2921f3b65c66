import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Section } from "../../app/page.tsx";
import { ask, type GatewayError } from "../../data/client.ts";
import { useUser } from "../../data/store.tsx";
import { useQuery } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CodeBlock } from "../../ui/markdown/markdown.tsx";
import { ErrorText } from "../../ui/states.tsx";

const DEMO_AGENT = "demo";

/** The first steps, until there is a session. Renders nothing afterwards. */
export function FirstDay() {
  const sessions = useQuery("GET /api/journal/sessions", { query: { limit: 1 } });
  const agents = useQuery("GET /api/agents");
  const { role } = useUser();
  const [, go] = useLocation();
  const [error, setError] = useState<GatewayError | undefined>(undefined);
  const [isConnecting, setConnecting] = useState(false);
  if (sessions.state !== "ready" || sessions.data.total > 0 || role === "viewer") return null;
  const hasDemo = agents.state === "ready" && agents.data.agents.some(({ name }) => name === DEMO_AGENT);
  const runDemo = async () => {
    const made = await ask("POST /api/sessions", { body: { agent: DEMO_AGENT } });
    if (!made.ok) return setError(made.error);
    const { id } = made.value;
    const sent = await ask("POST /api/sessions/{id}/messages", { params: { id }, body: { text: "deploy it" } });
    if (!sent.ok) return setError(sent.error);
    go(`/chat/${encodeURIComponent(id)}`);
  };
  return (
    <Section title="Start here">
      <p>
        No agent has run yet. The demo turn shows a denied call, a refused stop and the way to a complete task, without
        an API key.
      </p>
      {error !== undefined && <ErrorText error={error} />}
      <div className="row">
        {hasDemo && (
          <Button look="main" onClick={() => void runDemo()}>
            Run the demo turn
          </Button>
        )}
        <Button onClick={() => setConnecting(true)}>Connect a runtime</Button>
      </div>
      <Dialog title="Connect a runtime" open={isConnecting} onClose={() => setConnecting(false)}>
        <p>Run this command in a project, on the machine where your coding agent runs:</p>
        <CodeBlock text="conduct init" />
        <p>
          The command finds Claude Code, Codex, OpenCode and other runtimes, and adds the hooks. It starts in watch
          mode, which blocks nothing. Sessions then appear here.
        </p>
        <p>
          <Link href="/coverage">See what each runtime enforces</Link>
        </p>
      </Dialog>
    </Section>
  );
}
