import { Section } from "../../app/page.tsx";
import style from "./agents.module.css";
import { Choice, type FieldDesk, Line, Lines, Words, Written } from "./form-fields.tsx";
import { Many, ManyWithin } from "./form-lists.tsx";
import { FRESH_POLICY, PolicyFields } from "./form-policies.tsx";
import { tagsOf, tagsText } from "./text-forms.ts";

/** What the agent is told. */
export function Told({ desk }: { readonly desk: FieldDesk }) {
  return (
    <>
      <Many
        desk={desk}
        place={["sections"]}
        title="Sections"
        one="Section"
        empty="A section is told to the agent in every session; it can bring tools, and policies that bind these."
        fresh={{ heading: "", content: "" }}
      >
        {(at) => (
          <>
            <div className={style.fields}>
              <Line desk={desk} place={[...at, "heading"]} label="Heading" />
              <Words
                desk={desk}
                place={[...at, "tools"]}
                label="Tools it introduces"
                hint="tools or actions; its policies bind these"
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
        empty="A contributor gives a section of the prompt, for every session or for those with one of its tags."
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
                hint="lower comes earlier; 100 unless set"
                isAmount
              />
              <Choice desk={desk} place={[...at, "zone"]} label="Zone" options={["static", "session", "turn"]} />
              <Line desk={desk} place={[...at, "maxTokens"]} label="Tokens at most" isAmount />
              <Line desk={desk} place={[...at, "maxChars"]} label="Characters at most" isAmount />
            </div>
            <Lines desk={desk} place={[...at, "content"]} label="Content" />
          </>
        )}
      </Many>
      <Section title="The prompt">
        <div className={style.fields}>
          <Choice desk={desk} place={["prompt", "mode"]} label="Mode" options={["full", "minimal", "none"]} />
          <Choice
            desk={desk}
            place={["prompt", "layout"]}
            label="Layout"
            hint="cache: what changes comes last"
            options={["cache", "priority"]}
          />
          <Line desk={desk} place={["prompt", "budget"]} label="Budget" hint="tokens of the whole prompt" isAmount />
        </div>
        <Lines desk={desk} place={["prompt", "messaging"]} label="Messaging" hint="How it writes messages." rows={2} />
        <Lines desk={desk} place={["prompt", "voice"]} label="Voice" hint="How it speaks." rows={2} />
        <ManyWithin
          desk={desk}
          place={["prompt", "docs"]}
          title="Documents worth reading before guessing"
          one="Document"
          empty="None."
          fresh={{ path: "", about: "" }}
        >
          {(at) =>
            typeof desk.read(at) === "string" ? (
              <Line desk={desk} place={at} label="Path of the document" />
            ) : (
              <div className={style.fields}>
                <Line desk={desk} place={[...at, "path"]} label="Path of the document" />
                <Line desk={desk} place={[...at, "about"]} label="What it is about" />
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
                <Line desk={desk} place={[...at, "name"]} label="Name of the skill" />
                <Line desk={desk} place={[...at, "description"]} label="When to use it" />
                <Line desk={desk} place={[...at, "path"]} label="Path of the skill" />
              </div>
            )
          }
        </ManyWithin>
        <ManyWithin
          desk={desk}
          place={["prompt", "replyTags"]}
          title="Tags that answers may have"
          one="Tag"
          empty="None."
          fresh={{ tag: "", means: "" }}
        >
          {(at) => (
            <div className={style.fields}>
              <Line desk={desk} place={[...at, "tag"]} label="Tag" />
              <Line desk={desk} place={[...at, "means"]} label="Means" />
            </div>
          )}
        </ManyWithin>
      </Section>
      <Section title="Checkpoints">
        <p className="quiet">What these tools return, instead of Conduct's own texts.</p>
        <Lines desk={desk} place={["checkpoints", "verify_context"]} label="verify_context" rows={2} />
        <Lines desk={desk} place={["checkpoints", "review_plan"]} label="review_plan" rows={2} />
      </Section>
    </>
  );
}
