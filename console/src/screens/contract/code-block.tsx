import { Text } from "../../ui/text.tsx";
import style from "./contract.module.css";

/** Shows text unchanged; long text scrolls. */
export function CodeBlock({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className={style.block} tabIndex={0} aria-label={label}>
      <pre>
        <Text>{children}</Text>
      </pre>
    </section>
  );
}
