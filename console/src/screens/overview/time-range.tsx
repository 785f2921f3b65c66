import { useState } from "react";
import { Button, Chip } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { useNow } from "../../ui/time.tsx";
import { useAddress } from "../../ui/use-address.ts";
import style from "./overview.module.css";
import { HOUR, inputOf, PRESETS, rangeOf, type TimeRange } from "./ranges.ts";

/** Returns the time range of the address. The end is rounded to a whole hour, so that requests hit the cache. */
export function useTimeRange(): TimeRange {
  const [address] = useAddress();
  const now = useNow();
  return rangeOf(address, Math.floor(now / HOUR) * HOUR + HOUR - 1);
}

/** Chooses a usual time range, or any other one. The choice is part of the address. */
export function TimePicker({ range }: { readonly range: TimeRange }) {
  const [address, set] = useAddress();
  const [isOpen, setOpen] = useState(false);
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const isCustom = address.get("since") !== null;
  const isWrong = !(Date.parse(since) < Date.parse(until));
  return (
    <fieldset className="row">
      <legend className="unseen">Time</legend>
      {PRESETS.map(({ name }) => (
        <Chip
          key={name}
          on={!isCustom && range.name === name}
          onClick={() => {
            setOpen(false);
            set({ range: name === PRESETS[0].name ? "" : name, since: "", until: "" });
          }}
        >
          {name}
        </Chip>
      ))}
      <Chip
        on={isCustom}
        onClick={() => {
          setSince(inputOf(range.since));
          setUntil(inputOf(range.until + 1));
          setOpen(!isOpen);
        }}
      >
        {isCustom ? range.name : "Other time…"}
      </Chip>
      {isOpen && (
        <form
          className={style.times}
          onSubmit={(event) => {
            event.preventDefault();
            if (isWrong) return;
            setOpen(false);
            set({ range: "", since: String(Date.parse(since)), until: String(Date.parse(until)) });
          }}
        >
          <TextField
            label="From"
            type="datetime-local"
            value={since}
            onChange={(event) => setSince(event.target.value)}
          />
          <TextField
            label="Until"
            type="datetime-local"
            value={until}
            error={isWrong ? "Choose a time after “From”." : undefined}
            onChange={(event) => setUntil(event.target.value)}
          />
          <Button look="main" type="submit">
            Show
          </Button>
        </form>
      )}
    </fieldset>
  );
}
