import { useEffect, useState } from "react";
import { CHANNELS } from "../../data/channels.ts";
import { Select, TextField } from "../../ui/field.tsx";
import { COMPLEXITIES, TOPICS } from "../sessions/filters.ts";
import style from "./prompt.module.css";

const TYPING_MS = 400;

type Props = {
  readonly address: URLSearchParams;
  readonly set: (changes: { readonly [name: string]: string }) => void;
};

/** Selects user, channel and time of a preview. */
export function ChoosePreview({
  address,
  set,
  agents,
  agent,
}: Props & { readonly agents: readonly string[]; readonly agent: string }) {
  const get = (name: string) => address.get(name) ?? "";
  const select = (name: string, label: string, none: string, values: readonly string[]) => (
    <Select label={label} value={get(name)} onChange={(event) => set({ agent, [name]: event.target.value })}>
      <option value="">{none}</option>
      {[...new Set([...values, ...(get(name) === "" ? [] : [get(name)])])].map((one) => (
        <option key={one}>{one}</option>
      ))}
    </Select>
  );
  return (
    <div className={style.fields}>
      <Select label="Agent" value={agent} onChange={(event) => set({ agent: event.target.value })}>
        {[...new Set([...agents, ...(agent === "" ? [] : [agent])])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      <Typed name="user" label="User" placeholder="nobody" agent={agent} address={address} set={set} />
      {select("channel", "Channel", "the default", CHANNELS)}
      <TextField
        label="Time"
        type="datetime-local"
        value={localTime(get("at"))}
        onChange={(event) => set({ agent, at: isoTime(event.target.value) })}
      />
      {select("topic", "Topic", "not classified", TOPICS)}
      {select("complexity", "Complexity", "not classified", COMPLEXITIES)}
      <Typed
        name="domain"
        label="Domains"
        placeholder="up to 3, separated by commas"
        agent={agent}
        address={address}
        set={set}
      />
      <Typed
        name="flags"
        label="Flags"
        placeholder="up to 2, separated by commas"
        agent={agent}
        address={address}
        set={set}
      />
      {select("mode", "Prompt mode", "the agent's own", ["full", "minimal", "none"])}
      <Select label="Thinking" value={get("think")} onChange={(event) => set({ agent, think: event.target.value })}>
        <option value="">off</option>
        <option value="true">on</option>
      </Select>
    </div>
  );
}

/** A text field that takes effect after a pause in typing. */
function Typed({
  name,
  label,
  placeholder,
  agent,
  address,
  set,
}: Props & { readonly name: string; readonly label: string; readonly placeholder: string; readonly agent: string }) {
  const there = address.get(name) ?? "";
  const [typed, setTyped] = useState(there);
  useEffect(() => setTyped(there), [there]);
  useEffect(() => {
    if (typed === there) return;
    const timer = setTimeout(() => set({ agent, [name]: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, there, name, agent, set]);
  return (
    <TextField
      label={label}
      placeholder={placeholder}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

/** Formats `2026-11-15T09:00` in the browser's zone; empty for now. */
function localTime(iso: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return "";
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function isoTime(local: string): string {
  const at = Date.parse(local);
  return Number.isNaN(at) ? "" : new Date(at).toISOString();
}
