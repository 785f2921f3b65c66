import { Link } from "wouter";
import { sessionHref } from "../../moments/moment-details.tsx";
import { Text } from "../../ui/text.tsx";
import style from "./contract.module.css";

export type Quote = { readonly quote: string; readonly session?: string; readonly event?: string };

/** Lists quotes from the journal with their sources. A string contains its source as a prefix. */
export function EvidenceList({ quotes }: { readonly quotes: readonly (Quote | string)[] }) {
  return (
    <ul className={style.quotes}>
      {quotes.map((one) => {
        const { quote, session, event } = typeof one === "string" ? splitQuote(one) : one;
        return (
          <li key={`${session} ${event} ${quote}`}>
            <blockquote className={style.quote}>
              <Text className="said">{quote}</Text>
            </blockquote>
            {session !== undefined && event !== undefined && (
              <Link href={session === "governance" ? "/contract?tab=history" : sessionHref(session, event)}>
                {session === "governance" ? "in the history" : <Text>{session}</Text>}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Parses `session/event: text`, as written by the review. Any other text has no source. */
function splitQuote(written: string): Quote {
  const [, session, event, quote] = /^([^\s/]+)\/([^\s/]+): (.+)$/s.exec(written) ?? [];
  if (session === undefined || event === undefined || quote === undefined) return { quote: written };
  try {
    return { session: decodeURIComponent(session), event: decodeURIComponent(event), quote };
  } catch {
    return { quote: written };
  }
}
