/**
 * The one rule of what is encrypted at rest: columns with what people said, agents answered, tools returned and sessions remember,
 * each with the columns that identify its row. Everything else is in clear; journal events are redacted. See docs/data.md.
 */
export const SEALED_COLUMNS = {
  "conduct_transcripts.entry": ["conversation", "seq"],
  "conduct_turns.body": ["turn"],
  "conduct_kept_sessions.snapshot": ["session"],
  "conduct_kept_sessions.beside": ["session"],
  "conduct_kept_changes.change": ["session", "version"],
  "conduct_instructions.items": ["owner", "version"],
  "conduct_notes.text": ["owner", "text_hash"],
  "conduct_schedules.body": ["schedule"],
  "conduct_schedule_runs.body": ["run"],
  "conduct_replies.body": ["reply"],
  "conduct_sections.text": ["section"],
  "conduct_result_parts.data": ["result", "part"],
} as const;

export type SealedColumn = keyof typeof SEALED_COLUMNS;

/** Where a sealed value belongs: a column, or a file in the folder of whole results. It opens nowhere else. */
export type SealedPlace = SealedColumn | "results.file";
