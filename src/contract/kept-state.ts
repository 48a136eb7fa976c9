import { z } from 'zod'
import { ActionItem } from './action-item.ts'
import { characters, integer, listOf, visible } from './common.ts'
import { isInstant } from './instant.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import type { PackedTranscript } from './packed-document.ts'
import { MATCHED_BY } from './person.ts'

const instant = z.string().max(FIELD_LIMITS.instant).refine(isInstant, 'a date and time')
const seconds = z.number().min(0).max(LIMITS.recordingSeconds)
const epochMs = z
  .number()
  .min(0)
  .max(Date.UTC(9999, 11, 31))
/** Well below the largest number that a column can hold, because versions go on. */
const count = integer(0, 1_000_000_000)

const Source = z.object({
  segment: integer(0, FIELD_LIMITS.entries),
  start: seconds.nullable(),
  end: seconds.nullable()
})
const sources = listOf(Source, LIMITS.bodyValues, 'lines')
const Statement = z.object({
  text: characters(0, LIMITS.summary),
  speaker: characters(0, FIELD_LIMITS.personName).nullable(),
  sources
})
const statements = listOf(Statement, LIMITS.bodyValues, 'statements')
const Outline = z.object({
  overview: Statement.nullable(),
  sections: listOf(
    z.object({ heading: characters(0, LIMITS.summary).nullable(), points: statements }),
    LIMITS.bodyValues,
    'sections'
  ),
  decisions: statements,
  questions: statements
})

const SummaryMade = z.object({
  outline: Outline.nullable(),
  item_sources: z.record(z.string(), sources),
  unsupported_items: listOf(characters(0, FIELD_LIMITS.id), LIMITS.bodyValues, 'ids').nullish(),
  template: z
    .object({
      id: characters(0, FIELD_LIMITS.id),
      name: characters(0, FIELD_LIMITS.id),
      left_out: listOf(characters(0, FIELD_LIMITS.id), LIMITS.bodyValues, 'headings'),
      untranslated: z.boolean()
    })
    .nullish(),
  title: characters(0, LIMITS.title).nullable(),
  model: characters(0, FIELD_LIMITS.id).nullable(),
  prompt_version: characters(0, FIELD_LIMITS.id).nullable(),
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
  made_at: instant
})

const Item = ActionItem.extend({
  id: z.string().regex(/^ai_[0-9a-z]{26}$/, 'an id of an action item'),
  text: characters(1, LIMITS.actionItems.text),
  assignee: characters(0, LIMITS.actionItems.assignee).nullable().optional(),
  due_date: z.iso.date('a day as YYYY-MM-DD').nullable().optional(),
  source_start: seconds.nullable().optional(),
  user_edited_at: epochMs.nullable().optional(),
  created_at: epochMs,
  updated_at: epochMs
})

const Speaker = z.object({
  label: visible(FIELD_LIMITS.personName),
  person: visible(FIELD_LIMITS.personName).nullable(),
  isMe: z.boolean(),
  matchedBy: z.enum(MATCHED_BY).nullable()
})

/** The rest of a session in an archive of a library, beside its import document. */
export const KeptState = z.object({
  id: z.string().regex(/^ses_[0-9a-z]{26}$/, 'the id of a session'),
  external_id: visible(FIELD_LIMITS.externalId).nullable(),
  keep: z.boolean(),
  warnings: listOf(characters(0, FIELD_LIMITS.id), FIELD_LIMITS.listed, 'warnings').nullable(),
  audio_deleted_at: instant.nullable(),
  action_items: listOf(Item, LIMITS.actionItems.max, 'action items')
    .refine(items => new Set(items.map(({ id }) => id)).size === items.length, 'each action item once')
    .nullable(),
  action_items_version: count,
  action_items_updated_at: instant.nullable(),
  summary_made: SummaryMade.nullable(),
  speakers: listOf(Speaker, FIELD_LIMITS.speakers, 'speakers').optional()
})
export type KeptState = z.output<typeof KeptState>

/** A session of an archive, which is taken back as it was. */
export interface Restored {
  state: KeptState
  /** The transcript before its corrections. */
  original: PackedTranscript | undefined
}
