import style from "../agents.module.css";
import { Choice, type FieldDesk, Line, Words, Written } from "./fields.tsx";
import { Many, Named } from "./lists.tsx";
import { pathsOf, pathsText } from "./text-forms.ts";

/** Fields for tools and for the action names that rules use. */
export function Tools({ desk }: { readonly desk: FieldDesk }) {
  return (
    <>
      <Many
        desk={desk}
        place={["tools"]}
        title="Tools"
        empty="No tools listed, so the agent has the tools of its runtime."
        one="Tool"
        fresh={{ name: "" }}
      >
        {(at) => (
          <div className={style.fields}>
            <Line desk={desk} place={[...at, "name"]} label="Tool" />
            <Line desk={desk} place={[...at, "description"]} label="Description" />
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
              label="Files"
              hint="path: read"
              show={pathsText}
              read={pathsOf}
            />
            <Words
              desk={desk}
              place={[...at, "prerequisites"]}
              label="Prerequisites"
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
        empty="An action names a kind of call, such as “test” for shell with npm test. Rules and policies refer to it."
      >
        {(at) => (
          <div className={style.fields}>
            <Line desk={desk} place={[...at, "tool"]} label="Matched tool" />
            <Line
              desk={desk}
              place={[...at, "command"]}
              label="Matched command"
              hint="for shell, such as npm test *; * matches anything"
            />
            <Words desk={desk} place={[...at, "implies"]} label="Also establishes" hint="facts, for rules" />
          </div>
        )}
      </Named>
      <Many
        desk={desk}
        place={["trustedTools"]}
        title="Trusted tools"
        one="Trusted tool"
        empty="Only results of trusted tools may set requirements."
        fresh={{ tool: "" }}
      >
        {(at) => (
          <div className={style.fields}>
            <Line desk={desk} place={[...at, "tool"]} label="Trusted tool" />
            <Line desk={desk} place={[...at, "server"]} label="MCP server" hint="default: any" />
          </div>
        )}
      </Many>
    </>
  );
}
