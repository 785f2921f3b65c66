import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { Role } from "../../../src/base/words/hosting/user.ts";

export type Screen = {
  readonly screen: LazyExoticComponent<ComponentType>;
  readonly name: string;
  readonly path: string;
  /** Everything that it answers to; what it has below its path it reads itself, with `useRoute`. */
  readonly pattern: string;
  /** Goes there after `g`. */
  readonly key: string;
  readonly roles: readonly Role[];
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** What it is for, in the palette. */
  readonly hint: string;
};

const LOOK: readonly Role[] = ["operator", "viewer"];
const ALL: readonly Role[] = ["operator", "user", "viewer"];

const TABLE: readonly Omit<Screen, "screen">[] = [
  {
    name: "Overview",
    path: "/",
    pattern: "/",
    key: "o",
    roles: LOOK,
    load: () => import("../screens/overview/index.tsx"),
    hint: "what happened, in figures",
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
    hint: "what you want of agents: KEEP, MORE, LESS, STOP, START",
  },
  {
    name: "Inbox",
    path: "/inbox",
    pattern: "/inbox/*?",
    key: "i",
    roles: LOOK,
    load: () => import("../screens/inbox/index.tsx"),
    hint: "what the review proposes",
  },
  {
    name: "Sessions",
    path: "/sessions",
    pattern: "/sessions/*?",
    key: "s",
    roles: LOOK,
    load: () => import("../screens/sessions/index.tsx"),
    hint: "every conversation as a timeline of moments",
  },
  {
    name: "Prompt",
    path: "/prompt",
    pattern: "/prompt/*?",
    key: "p",
    roles: LOOK,
    load: () => import("../screens/prompt/index.tsx"),
    hint: "what the agent is told, line by line",
  },
  {
    name: "Rules",
    path: "/rules",
    pattern: "/rules/*?",
    key: "r",
    roles: LOOK,
    load: () => import("../screens/rules/index.tsx"),
    hint: "what calls need before they may be made",
  },
  {
    name: "Replay",
    path: "/replay",
    pattern: "/replay/*?",
    key: "y",
    roles: LOOK,
    load: () => import("../screens/replay/index.tsx"),
    hint: "which past decisions a changed rule would change",
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
];

/** Every screen, in the order of the navigation. Each is loaded when it is first opened. */
const SCREENS: readonly Screen[] = TABLE.map((one) => ({ ...one, screen: lazy(one.load) }));

/** A decision by its id; reached by links only. */
export const Why = lazy(() => import("../screens/why/index.tsx"));

export function screensFor(role: Role): readonly Screen[] {
  return SCREENS.filter(({ roles }) => roles.includes(role));
}

/** Begins to load the screen of a path while it is still asked who is signed in. */
export function preload(path: string): void {
  const first = path === "/login" ? "/" : path;
  const found = TABLE.findLast((one) =>
    one.path === "/" ? first === "/" : first === one.path || first.startsWith(`${one.path}/`),
  );
  // If that fails it is tried again, and shown, when the screen is opened.
  found?.load().catch(() => undefined);
}
