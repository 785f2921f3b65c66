import type { AnyPolicy } from "../../base/words/agent.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/sequential-dependency-policy.ts";
import type { PolicyConfig } from "./config-schema.ts";

/** A policy as the file describes it. The schema has seen to it that there is exactly one kind. */
export function buildPolicy(config: PolicyConfig): AnyPolicy {
  const { sequential, readBeforeWrite, rearmOnCompaction } = config;
  const named = config.name === undefined ? {} : { name: config.name };
  if (sequential === undefined) return new ReadBeforeWritePolicy({ ...readBeforeWrite, ...named });
  const rearm = rearmOnCompaction === undefined ? {} : { rearmOnCompaction };
  return new SequentialDependencyPolicy({ dependencies: sequential, ...rearm, ...named });
}
