import { useRoute } from "wouter";
import { RuleEditor } from "./rule-editor.tsx";
import { RuleLists } from "./rule-lists.tsx";

/** Lists the rules, and shows the editor below them. */
export default function RulesScreen() {
  const [editing] = useRoute("/rules/edit");
  return editing ? <RuleEditor /> : <RuleLists />;
}
