import { z } from 'zod'
import { characters, label, listOf, oneOf, visible } from '../common.ts'
import { instantOrDay } from '../day-or-instant.ts'
import { folderName } from '../folder.ts'
import { importParts } from '../import-document.ts'
import { FIELD_LIMITS, LIMITS } from '../limits.ts'
import { CALL_DIRECTIONS, CALL_STATES } from '../session.ts'
import { oneLine } from '../text.ts'

export type CallState = (typeof CALL_STATES)[number]

/** The states that may follow each state; an ended call has none. */
export const CALL_TRANSITIONS: Record<CallState, readonly CallState[]> = {
  ringing: ['in_progress', 'missed', 'failed'],
  in_progress: ['completed', 'failed'],
  completed: [],
  missed: [],
  failed: []
}

const number = characters(1, FIELD_LIMITS.telephone).nullable().default(null)
const contactName = visible(FIELD_LIMITS.personName).overwrite(oneLine)
const bodyError = { error: 'a JSON object about the call' }

export const CallCreate = z
  .object(
    {
      external_id: visible(FIELD_LIMITS.externalId)
        .optional()
        .meta({ description: 'Your own id of the call. A second request with this id changes nothing.' }),
      direction: z.enum(CALL_DIRECTIONS, { error: 'inbound or outbound' }),
      status: z.enum(['ringing', 'in_progress'], { error: 'ringing or in_progress' }).default('ringing'),
      to_number: number.meta({
        description: 'The called number of outbound calls. Inbound calls have the verified number of the user.'
      }),
      from_number: number.meta({
        description: 'The calling number of outbound calls. On inbound calls the caller is unknown.'
      }),
      provider: visible(FIELD_LIMITS.provider).overwrite(oneLine).nullable().default(null),
      contact_name: contactName.nullable().default(null),
      title: characters(0, LIMITS.title).optional(),
      timestamp: instantOrDay.optional().meta({ description: 'When the call began. Default: now.' }),
      platform: label(FIELD_LIMITS.platform).nullable().default(null),
      folders: listOf(folderName, FIELD_LIMITS.folders, 'names of folders').optional()
    },
    bodyError
  )
  .meta({ id: 'CallCreate' })
export type CallCreate = z.output<typeof CallCreate>

const OF_THE_END = ['duration_seconds', 'language', 'segments', 'speakers', 'media'] as const
const endError = 'it when the call has ended'

export const CallPatch = z
  .object(
    {
      status: oneOf(CALL_STATES),
      contact_name: contactName.nullable().optional(),
      ...importParts
    },
    bodyError
  )
  .superRefine((patch, context) => {
    if (CALL_TRANSITIONS[patch.status].length === 0) return
    for (const field of OF_THE_END)
      if (patch[field] !== undefined) context.addIssue({ code: 'custom', path: [field], message: endError })
  })
  .meta({ id: 'CallPatch' })
export type CallPatch = z.output<typeof CallPatch>
