import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { Role } from "../../../src/base/words/hosting/user.ts";

export type Screen = {
  readonly screen: LazyExoticComponent<ComponentType>;
  readonly name: string;
  readonly path: string;
  /** All paths of the screen. The screen reads the rest of the path itself, with `useRoute`. */
  readonly pattern: string;
  /** Opens the screen after `g`. */
  readonly key: string;
  readonly roles: readonly Role[];
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** Description in the palette. */
  readonly hint: string;
};

const LOOK: readonly Role[] = ["operator", "viewer"];
const ALL: readonly Role[] = ["operator", "user", "viewer"];

const TABLE: readonly Omit<Screen, "screen">[] = [
  {
    name: "Home",
    path: "/",
    pattern: "/",
    key: "o",
    roles: LOOK,
    load: () => import("../screens/overview/index.tsx"),
    hint: "what needs you, and figures over time",
  },
  {
    name: "Chat",
    path: "/chat",
    pattern: "/chat/:id?",
    key: "c",
    roles: ALL,
    load: () => import("../screens/chat/index.tsx"),
    hint: "talk to an agent",
  },
  {
    name: "Contract",
    path: "/contract",
    pattern: "/contract/*?",
    key: "b",
    roles: LOOK,
    load: () => import("../screens/contract/index.tsx"),
    hint: "directives for your agents: KEEP, MORE, LESS, STOP, START",
  },
  {
    name: "Inbox",
    path: "/inbox",
    pattern: "/inbox/*?",
    key: "i",
    roles: LOOK,
    load: () => import("../screens/inbox/index.tsx"),
    hint: "proposals from the daily review",
  },
  {
    name: "Sessions",
    path: "/sessions",
    pattern: "/sessions/*?",
    key: "s",
    roles: LOOK,
    load: () => import("../screens/sessions/index.tsx"),
    hint: "every conversation as a timeline",
  },
  {
    name: "Activity",
    path: "/activity",
    pattern: "/activity",
    key: "t",
    roles: LOOK,
    load: () => import("../screens/activity/index.tsx"),
    hint: "events of all sessions, as they happen",
  },
  {
    name: "Prompt",
    path: "/prompt",
    pattern: "/prompt/*?",
    key: "p",
    roles: LOOK,
    load: () => import("../screens/prompt/index.tsx"),
    hint: "the agent's prompt, line by line",
  },
  {
    name: "Rules",
    path: "/rules",
    pattern: "/rules/*?",
    key: "r",
    roles: LOOK,
    load: () => import("../screens/rules/index.tsx"),
    hint: "what tool calls require",
  },
  {
    name: "Replay",
    path: "/replay",
    pattern: "/replay/*?",
    key: "y",
    roles: LOOK,
    load: () => import("../screens/replay/index.tsx"),
    hint: "how a rule change would affect past decisions",
  },
  {
    name: "Coverage",
    path: "/coverage",
    pattern: "/coverage/*?",
    key: "v",
    roles: LOOK,
    load: () => import("../screens/coverage/index.tsx"),
    hint: "what each runtime enforces",
  },
  {
    name: "Agents",
    path: "/agents",
    pattern: "/agents/*?",
    key: "a",
    roles: ALL,
    load: () => import("../screens/agents/index.tsx"),
    hint: "definitions, versions, tools",
  },
  {
    name: "Gateways",
    path: "/gateways",
    pattern: "/gateways",
    key: "w",
    roles: LOOK,
    load: () => import("../screens/gateways/index.tsx"),
    hint: "gateways that share the store, and who owns what",
  },
  {
    name: "Users",
    path: "/users",
    pattern: "/users/*?",
    key: "u",
    roles: ["operator"],
    load: () => import("../screens/users/index.tsx"),
    hint: "people, roles and keys",
  },
  {
    name: "System",
    path: "/system",
    pattern: "/system",
    key: "x",
    roles: LOOK,
    load: () => import("../screens/system/index.tsx"),
    hint: "store, sandbox, channels, schedules, deliveries",
  },
];

/** All screens in the order of the navigation. Each is loaded when it is first opened. */
const SCREENS: readonly Screen[] = TABLE.map((one) => ({ ...one, screen: lazy(one.load) }));

/** Shows a decision by its id; only reached by links. */
export const Why = lazy(() => import("../screens/why/index.tsx"));

export function screensFor(role: Role): readonly Screen[] {
  return SCREENS.filter(({ roles }) => roles.includes(role));
}

/** Starts loading a path's screen while the login is still being checked. */
export function preload(path: string): void {
  const first = path === "/login" ? "/" : path;
  const found = TABLE.findLast((one) =>
    one.path === "/" ? first === "/" : first === one.path || first.startsWith(`${one.path}/`),
  );
  // On failure, the screen is loaded again when it is opened, which then shows the error.
  found?.load().catch(() => undefined);
}
