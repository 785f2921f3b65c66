import style from "./agents.module.css";
import { Choice, type FieldDesk, Line, Words, Written } from "./form-fields.tsx";
import { Many, Named } from "./form-lists.tsx";
import { pathsOf, pathsText } from "./text-forms.ts";

/** What it can do, and by which names rules speak of it. */
export function Tools({ desk }: { readonly desk: FieldDesk }) {
  return (
    <>
      <Many
        desk={desk}
        place={["tools"]}
        title="Tools"
        empty="Without any, it has what its runtime brings."
        one="Tool"
        fresh={{ name: "" }}
      >
        {(at) => (
          <div className={style.fields}>
            <Line desk={desk} place={[...at, "name"]} label="Tool" />
            <Line desk={desk} place={[...at, "description"]} label="What it does" />
            <Choice
              desk={desk}
              place={[...at, "risk"]}
              label="Risk"
              hint="high: elevated sessions only"
              options={["low", "high"]}
            />
            <Words desk={desk} place={[...at, "args"]} label="Arguments" hint="path, content" />
            <Written
              desk={desk}
              place={[...at, "paths"]}
              label="Files it touches"
              hint="path: read"
              show={pathsText}
              read={pathsOf}
            />
            <Words
              desk={desk}
              place={[...at, "prerequisites"]}
              label="Needs before it"
              hint="tools or actions, in this session"
            />
          </div>
        )}
      </Many>
      <Named
        desk={desk}
        place={["actions"]}
        title="Actions"
        one="Action"
        empty="An action is a name for a kind of call: test is shell with npm test. Rules and policies speak of it."
      >
        {(at) => (
          <div className={style.fields}>
            <Line desk={desk} place={[...at, "tool"]} label="By the tool" />
            <Line
              desk={desk}
              place={[...at, "command"]}
              label="With the command"
              hint="for shell: npm test *, where * is anything"
            />
            <Words desk={desk} place={[...at, "implies"]} label="It also establishes" hint="facts, for rules" />
          </div>
        )}
      </Named>
      <Many
        desk={desk}
        place={["trustedTools"]}
        title="Trusted tools"
        one="Trusted tool"
        empty="Only the results of these may carry requirements."
        fresh={{ tool: "" }}
      >
        {(at) => (
          <div className={style.fields}>
            <Line desk={desk} place={[...at, "tool"]} label="Trusted tool" />
            <Line desk={desk} place={[...at, "server"]} label="Of the server" hint="for MCP; of any unless set" />
          </div>
        )}
      </Many>
    </>
  );
}
