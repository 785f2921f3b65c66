import { useRoute } from "wouter";
import { RuleEditor } from "./rule-editor.tsx";
import { RuleLists } from "./rule-lists.tsx";

/** What calls need before they may be made: the lists, and the editor below them. */
export default function RulesScreen() {
  const [editing] = useRoute("/rules/edit");
  return editing ? <RuleEditor /> : <RuleLists />;
}
