import { z } from 'zod'
import { characters, once, timestamp, wholeNumber } from '../common.ts'
import { folderName } from '../folder.ts'
import { LIMITS } from '../limits.ts'
import { instant, SESSION_TYPES, SessionDetail } from '../session.ts'
import { CHANGEABLE, SessionChange } from '../session-change.ts'
import { isBlank } from '../text.ts'

export const APP_STATES = ['processing', 'completed', 'failed', 'deleted'] as const
export type AppState = (typeof APP_STATES)[number]

export const AppSession = SessionDetail.extend({
  state: z.enum(APP_STATES).meta({ description: 'A call that goes on is processing. To `/v1` one that is deleted is not there.' }),
  failure: z.string().nullable().meta({ description: 'Why processing failed; null unless it did.' }),
  external_id: z.string().nullable().meta({ description: 'The name that the source has for it.' }),
  deleted_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp
}).meta({ id: 'AppSession' })
export type AppSession = z.infer<typeof AppSession>

export const AppSessionTaken = AppSession.extend({
  warnings: z
    .array(z.string())
    .optional()
    .meta({ description: 'What of the import was ignored, a sentence each; absent where nothing was.' })
}).meta({ id: 'AppSessionTaken' })

export const AppSessionListQuery = z.object({
  state: z
    .enum(APP_STATES, once(`send one of ${APP_STATES.join(', ')}`))
    .optional()
    .meta({ description: 'Returns sessions in this state only.' }),
  limit: wholeNumber(1, LIMITS.sessionsPage.max)
    .default(LIMITS.sessionsPage.default)
    .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: LIMITS.sessionsPage.max }),
  cursor: instant.optional().meta({ description: 'The `next_cursor` of the page before.' })
})

export const AppSessionList = z
  .object({ sessions: z.array(AppSession), next_cursor: timestamp.nullable(), has_more: z.boolean() })
  .meta({ id: 'AppSessionList' })

const FIELDS = ['title', 'summary', 'timestamp', ...CHANGEABLE.filter(field => field !== 'title')]
const fieldsError = `send at least one of ${FIELDS.join(', ')}`

const summaryError = `send a text of 1 to ${LIMITS.summary} characters that is not blank`
const summary = z
  .string(summaryError)
  .max(LIMITS.summary, summaryError)
  .refine(text => !isBlank(text), summaryError)

export const AppSessionChange = z
  .object(
    {
      ...SessionChange.shape,
      summary: summary.optional().meta({ description: 'Markdown, not blank.' }),
      timestamp: instant.optional().meta({ description: 'When it took place. Moves it in lists, and due dates that were said in words.' })
    },
    { error: fieldsError }
  )
  .refine(change => FIELDS.some(field => Object(change)[field] !== undefined), fieldsError)
  .meta({ id: 'AppSessionChange', minProperties: 1 })

const fileError = 'send the name of a file with its ending, such as weekly.vtt or call.mp3'

/** A parameter that may be sent several times. */
function several<T extends z.ZodType>(value: T, max: number) {
  const error = `send it at most ${max} times`
  return z.preprocess(sent => (sent === undefined ? undefined : [sent].flat()), z.array(value).max(max, error).optional()).optional()
}

export const UploadQuery = z.object({
  file: z
    .string(once(fileError))
    .max(200, fileError)
    .regex(/^[^/\\\p{Cc}]+\.[a-z0-9]+$/iu, fileError)
    .meta({ description: 'What the file is called: its ending says what it is.', examples: ['weekly.vtt'] }),
  external_id: characters(1, 200).optional().meta({ description: 'Your own id; without one, the same content is found again.' }),
  title: characters(0, LIMITS.title).optional(),
  type: z.enum(SESSION_TYPES, once(`send one of ${SESSION_TYPES.join(', ')}`)).optional(),
  timestamp: instant.optional().meta({ description: 'When it took place.' }),
  platform: characters(0, 100).optional(),
  tag: several(characters(1, LIMITS.tags.length), LIMITS.tags.max).meta({ description: 'Repeat it for more.' }),
  folder: several(folderName, 50).meta({ description: 'The name of a folder to put it in, made where there is none. Repeat it for more.' })
})

export const AudioDeleted = z.object({ id: z.string(), audio_deleted_at: timestamp }).meta({ id: 'AudioDeleted' })
export const SessionRemoved = z.object({ id: z.string(), deleted: z.boolean(), permanently: z.boolean() }).meta({ id: 'SessionRemoved' })
