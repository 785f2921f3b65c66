import { Link } from "wouter";
import { IconButton } from "./button.tsx";
import { Icon } from "./icons.tsx";
import style from "./id.module.css";
import { plainText, Text } from "./text.tsx";
import { useToast } from "./toast.tsx";

/** Shows an id that can be copied, as a link if it has a page. */
export function Id({
  id,
  href,
  short = false,
  copy = true,
}: {
  readonly id: string;
  readonly href?: string | undefined;
  readonly short?: boolean;
  readonly copy?: boolean;
}) {
  const tell = useToast();
  const shown = short && id.length > 14 ? `${id.slice(0, 12)}…` : id;
  return (
    <span className={style.id}>
      {href === undefined ? (
        <code title={plainText(id)}>
          <Text>{shown}</Text>
        </code>
      ) : (
        <Link href={href} title={plainText(id)}>
          <code>
            <Text>{shown}</Text>
          </code>
        </Link>
      )}
      {copy && (
        <IconButton
          label={plainText(`Copy ${id}`)}
          className={style.copy}
          onClick={() => {
            copyText(id).then(
              () => tell(`Copied ${id}`),
              () => tell("The browser does not allow this page to copy.", { tone: "denied" }),
            );
          }}
        >
          <Icon of="copy" />
        </IconButton>
      )}
    </span>
  );
}

/** Throws if the browser does not allow copying. */
export async function copyText(text: string): Promise<void> {
  // Missing on plain http from another machine.
  if (navigator.clipboard === undefined) throw new Error("no clipboard");
  await navigator.clipboard.writeText(text);
}
