import { Link } from "wouter";
import { Page } from "../../app/page.tsx";
import { useQuery } from "../../data/use-query.ts";
import { EmptyState, QueryView, Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useAddress } from "../../ui/use-address.ts";
import { ChoosePast } from "./choose-past.tsx";
import { ChoosePreview } from "./choose-preview.tsx";
import { Compare } from "./compare.tsx";
import style from "./prompt.module.css";
import { PAST_FIELDS, PREVIEW_FIELDS, type PromptSource, sourceOf, sourceText } from "./prompt-source.ts";
import { PromptView } from "./prompt-view.tsx";
import { usePrompt } from "./use-prompt.ts";

const TABS = [
  { name: "past", label: "A past turn" },
  { name: "preview", label: "Preview" },
] as const;
const NONE_PAST = Object.fromEntries(PAST_FIELDS.map((name) => [name, ""]));
const NONE_PREVIEW = Object.fromEntries(PREVIEW_FIELDS.map((name) => [name, ""]));

function commandOf(source: PromptSource): readonly string[] | undefined {
  if (source.kind === "none") return undefined;
  if (source.kind === "preview") return ["prompt", "preview", "--agent", source.body.agent];
  const { session } = source;
  return ["prompt", "show", session, ...(source.kind === "turn" ? ["--turn", source.turn] : [])];
}

/** Shows the prompt of a past turn or a preview, with the contributor of every line. */
export default function PromptScreen() {
  const [address, set] = useAddress();
  const agents = useQuery("GET /api/agents");
  const sessions = useQuery("GET /api/journal/sessions", { query: { limit: 50 } });
  const named = sourceOf(address);
  const tab = named.kind === "preview" || (named.kind === "none" && address.get("tab") !== "past") ? "preview" : "past";
  // The default is a preview of the first agent.
  const first = agents.state === "ready" ? agents.data.agents[0]?.name : undefined;
  const source: PromptSource =
    named.kind === "none" && tab === "preview" && first !== undefined
      ? { kind: "preview", body: { agent: first } }
      : named;
  const query = usePrompt(source);
  const base = address.get("base") ?? "";
  const own = source.kind === "preview" && named.kind === "none" ? `agent=${source.body.agent}` : sourceText(address);
  const change = (to: "past" | "preview") => {
    if (to === tab) return;
    if (to === "preview") {
      const agent = query?.state === "ready" ? query.data.past?.agent : undefined;
      set(agent === undefined ? { ...NONE_PAST, tab: "" } : { ...NONE_PAST, tab: "", agent });
      return;
    }
    const newest = sessions.state === "ready" ? sessions.data.sessions.find(({ prompts }) => prompts > 0) : undefined;
    set(
      newest === undefined ? { ...NONE_PREVIEW, tab: "past" } : { ...NONE_PREVIEW, tab: "", session: newest.session },
    );
  };
  return (
    <Page
      title="Prompt"
      lead="The agent's prompt: every line with its contributor, and what was left out."
      command={commandOf(source)}
    >
      <Tabs label="Which prompt" tabs={TABS} current={tab} onChange={change}>
        {tab === "past" ? (
          <ChoosePast
            address={address}
            set={set}
            sessions={sessions.state === "ready" ? sessions.data.sessions : []}
            shown={query?.state === "ready" ? query.data.past : undefined}
          />
        ) : (
          <ChoosePreview
            address={address}
            set={set}
            agents={agents.state === "ready" ? agents.data.agents.map(({ name }) => name) : []}
            agent={source.kind === "preview" ? source.body.agent : ""}
          />
        )}
      </Tabs>
      {query === undefined ? (
        source.kind === "none" && tab === "preview" && agents.state === "loading" ? (
          <Skeleton lines={16} height={32} />
        ) : (
          <EmptyState title="No prompts yet" action={<Link href="/chat">Open the chat</Link>}>
            Prompts of past turns appear here. Choose a session above, or open a preview, which calls no model.
          </EmptyState>
        )
      ) : (
        <QueryView query={query} skeleton={<Skeleton lines={16} height={32} />}>
          {(prompt) => (
            <div className={style.prompt}>
              <PromptView
                prompt={prompt}
                compare={
                  base === ""
                    ? { label: "Keep for comparison", run: () => set({ base: own }) }
                    : { label: "End comparison", run: () => set({ base: "" }) }
                }
                beside={base === "" ? undefined : <Compare base={base} prompt={prompt} />}
              />
            </div>
          )}
        </QueryView>
      )}
    </Page>
  );
}
