import { Section } from "../../../app/page.tsx";
import style from "../agents.module.css";
import { Choice, type FieldDesk, Line, Lines, Words, Written } from "./fields.tsx";
import { Many, ManyWithin } from "./lists.tsx";
import { FRESH_POLICY, PolicyFields } from "./policies.tsx";
import { tagsOf, tagsText } from "./text-forms.ts";

export function Told({ desk }: { readonly desk: FieldDesk }) {
  return (
    <>
      <Many
        desk={desk}
        place={["sections"]}
        title="Sections"
        one="Section"
        empty="A section is part of every prompt. It can introduce tools, and policies for them."
        fresh={{ heading: "", content: "" }}
      >
        {(at) => (
          <>
            <div className={style.fields}>
              <Line desk={desk} place={[...at, "heading"]} label="Heading" />
              <Words
                desk={desk}
                place={[...at, "tools"]}
                label="Tools"
                hint="tools or actions that its policies apply to"
              />
            </div>
            <Lines desk={desk} place={[...at, "content"]} label="Content" />
            <ManyWithin
              desk={desk}
              place={[...at, "policies"]}
              title="Policies for the tools of this section"
              one="Policy"
              empty="None."
              fresh={FRESH_POLICY}
            >
              {(place) => <PolicyFields desk={desk} place={place} />}
            </ManyWithin>
          </>
        )}
      </Many>
      <Many
        desk={desk}
        place={["promptContributors"]}
        title="Contributors"
        empty="A contributor adds a section to the prompt of every session, or of sessions with one of its tags."
        one="Contributor"
        fresh={{ id: "", content: "" }}
      >
        {(at) => (
          <>
            <div className={style.fields}>
              <Line desk={desk} place={[...at, "id"]} label="Id" />
              <Line desk={desk} place={[...at, "heading"]} label="Heading" />
              <Written
                desk={desk}
                place={[...at, "tags"]}
                label="Tags"
                hint="topic:coding, channel:telegram"
                show={tagsText}
                read={tagsOf}
              />
              <Line
                desk={desk}
                place={[...at, "priority"]}
                label="Priority"
                hint="lower comes first; default: 100"
                isAmount
              />
              <Choice desk={desk} place={[...at, "zone"]} label="Zone" options={["static", "session", "turn"]} />
              <Line desk={desk} place={[...at, "maxTokens"]} label="Token limit" isAmount />
              <Line desk={desk} place={[...at, "maxChars"]} label="Character limit" isAmount />
            </div>
            <Lines desk={desk} place={[...at, "content"]} label="Content" />
          </>
        )}
      </Many>
      <Section title="Prompt">
        <div className={style.fields}>
          <Choice desk={desk} place={["prompt", "mode"]} label="Mode" options={["full", "minimal", "none"]} />
          <Choice
            desk={desk}
            place={["prompt", "layout"]}
            label="Layout"
            hint="cache: changing sections come last"
            options={["cache", "priority"]}
          />
          <Line desk={desk} place={["prompt", "budget"]} label="Budget" hint="tokens for the whole prompt" isAmount />
        </div>
        <Lines
          desk={desk}
          place={["prompt", "messaging"]}
          label="Messaging"
          hint="How the agent writes messages."
          rows={2}
        />
        <Lines desk={desk} place={["prompt", "voice"]} label="Voice" hint="How the agent speaks." rows={2} />
        <ManyWithin
          desk={desk}
          place={["prompt", "docs"]}
          title="Documents"
          one="Document"
          empty="None."
          fresh={{ path: "", about: "" }}
        >
          {(at) =>
            typeof desk.read(at) === "string" ? (
              <Line desk={desk} place={at} label="Document path" />
            ) : (
              <div className={style.fields}>
                <Line desk={desk} place={[...at, "path"]} label="Document path" />
                <Line desk={desk} place={[...at, "about"]} label="Topic" />
              </div>
            )
          }
        </ManyWithin>
        <ManyWithin
          desk={desk}
          place={["prompt", "skills"]}
          title="Skills"
          one="Skill"
          empty="None."
          fresh={{ name: "", description: "", path: "" }}
        >
          {(at) =>
            typeof desk.read(at) === "string" ? (
              <Line desk={desk} place={at} label="Folder with SKILL.md" />
            ) : (
              <div className={style.fields}>
                <Line desk={desk} place={[...at, "name"]} label="Skill name" />
                <Line desk={desk} place={[...at, "description"]} label="When to use it" />
                <Line desk={desk} place={[...at, "path"]} label="Skill path" />
              </div>
            )
          }
        </ManyWithin>
        <ManyWithin
          desk={desk}
          place={["prompt", "replyTags"]}
          title="Reply tags"
          one="Tag"
          empty="None."
          fresh={{ tag: "", means: "" }}
        >
          {(at) => (
            <div className={style.fields}>
              <Line desk={desk} place={[...at, "tag"]} label="Tag" />
              <Line desk={desk} place={[...at, "means"]} label="Meaning" />
            </div>
          )}
        </ManyWithin>
      </Section>
      <Section title="Checkpoints">
        <p className="quiet">Texts that these tools return instead of the built-in ones.</p>
        <Lines desk={desk} place={["checkpoints", "verify_context"]} label="verify_context" rows={2} />
        <Lines desk={desk} place={["checkpoints", "review_plan"]} label="review_plan" rows={2} />
      </Section>
    </>
  );
}
