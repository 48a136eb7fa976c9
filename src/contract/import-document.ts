import { z } from 'zod'
import { characters, flag, label, listOf, oneOf, visible } from './common.ts'
import { folderName } from './folder.ts'
import { isInstant, isLocal, toDate } from './instant.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { MATCHED_BY } from './person.ts'
import { isBeside, isUrl } from './recording.ts'
import { CALL_DIRECTIONS, CALL_STATES, SESSION_TYPES } from './session.ts'
import { isBlank, oneLine } from './text.ts'
import { withTimes } from './transcript.ts'

export const DEFAULT_SPEAKER = 'Speaker'

/** Removes what no database column can store: NUL and lone surrogates. */
export function storable(text: string) {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '') : text
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.replace(/\p{Cs}/gu, '')
}

const DEPTH = 3

/** Values deeper than DEPTH belong to unknown keys and stay as they are. */
function storableValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.map(entry => storableValue(entry, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, storableValue(entry, depth - 1)]))
}

const secondsError = `a number of seconds from 0 to ${LIMITS.recordingSeconds}`
const seconds = z.number({ error: secondsError }).nonnegative(secondsError).max(LIMITS.recordingSeconds, secondsError)
const timestampError = 'a date and time such as 2026-03-02T10:00:00Z, or a date'

const conversationTime = z
  .string({ error: timestampError })
  .max(FIELD_LIMITS.instant, timestampError)
  .refine(isInstant, { error: timestampError, abort: true })
  .overwrite(text => (isLocal(text) ? text : toDate(text).toISOString()))

const instantError = 'a date and time with its time zone, such as 2026-03-02T10:00:00Z'
const correctionTime = z
  .string({ error: instantError })
  .max(FIELD_LIMITS.instant, instantError)
  .refine(text => isInstant(text) && !isLocal(text), { error: instantError, abort: true })
  .overwrite(text => toDate(text).toISOString())

const placeError = 'an http(s) URL, or the path of a recording in the folder of the document'
const mediaPlace = z
  .string({ error: placeError })
  .max(FIELD_LIMITS.mediaPlace, placeError)
  .refine(place => isUrl(place) || isBeside(place), placeError)

const telephone = characters(0, FIELD_LIMITS.telephone)

const Phone = z.object(
  {
    direction: oneOf(CALL_DIRECTIONS).nullable().default(null),
    status: oneOf(CALL_STATES).nullable().default(null),
    provider: label(FIELD_LIMITS.provider).nullable().default(null),
    contact_name: label(FIELD_LIMITS.personName).nullable().default(null),
    ongoing: flag.default(false),
    to_number: telephone.nullable().default(null),
    from_number: telephone.nullable().default(null)
  },
  { error: 'an object about the call' }
)

const Item = z.object(
  {
    text: characters(1, LIMITS.actionItems.text),
    assignee: label(LIMITS.actionItems.assignee).nullable().default(null),
    due_date: characters(0, LIMITS.actionItems.dueDate)
      .nullable()
      .default(null)
      .meta({ description: 'YYYY-MM-DD, or words, from the day of the conversation on.' }),
    completed: flag.default(false),
    source_start: seconds
      .nullable()
      .default(null)
      .meta({ description: 'Where it was said: seconds into the recording.' })
  },
  { error: 'an object with the text of the item' }
)

const speakerName = visible(FIELD_LIMITS.personName).overwrite(oneLine)

const SpeakerMatch = z.object(
  {
    label: speakerName.meta({ description: 'The speaker label of the segments.' }),
    person: speakerName.nullable().default(null).meta({ description: 'The name of the person. Null if unknown.' }),
    is_me: flag.default(false).meta({ description: 'Whether this speaker owns the session.' }),
    matched_by: oneOf(MATCHED_BY).optional()
  },
  { error: 'an object with the label of the speaker' }
)

/** Returns whether the segments are short enough together. */
export function fitsTranscript(segments: readonly { text: string }[]) {
  return segments.reduce((sum, { text }) => sum + text.length, 0) <= LIMITS.transcript
}

const ImportSegment = z.object(
  {
    speaker: characters(0, FIELD_LIMITS.personName)
      .nullish()
      .transform(name => (name === null || name === undefined || isBlank(name) ? DEFAULT_SPEAKER : oneLine(name))),
    start: seconds.nullable().default(null).meta({
      description:
        'Seconds. A segment without a start lies between its neighbours. Without any start the transcript has no times.'
    }),
    end: seconds.nullable().default(null).meta({ description: 'Seconds. Default: the start of the next segment.' }),
    text: characters(0, FIELD_LIMITS.segmentText),
    edited_at: correctionTime.optional().meta({ description: 'When somebody last corrected the text.' })
  },
  { error: 'an object with the text that was said' }
)

const recordingUrl = mediaPlace.nullish().meta({ description: 'An http(s) URL, which is handed out unchanged.' })
const Media = z.object({ audio: recordingUrl, video: recordingUrl }, { error: 'an object with audio or video' })

/** The transcript of a conversation or of an ended call. */
export const importParts = {
  language: characters(0, FIELD_LIMITS.language).nullish(),
  duration_seconds: seconds.optional().meta({ description: 'Default: the end of the last segment.' }),
  speakers: listOf(SpeakerMatch, FIELD_LIMITS.speakers, 'speakers').optional(),
  segments: listOf(ImportSegment, FIELD_LIMITS.entries, 'segments')
    .refine(fitsTranscript, `segments of at most ${LIMITS.transcript} characters together`)
    .overwrite(all => withTimes(all.filter(said => !isBlank(said.text))))
    .optional(),
  media: Media.optional()
}

const content = z.object(
  {
    external_id: visible(FIELD_LIMITS.externalId)
      .optional()
      .meta({ description: 'Your own id of the conversation. A second import with this id changes nothing.' }),
    title: characters(0, LIMITS.title).optional().meta({ description: 'Default: `Untitled`.' }),
    timestamp: conversationTime.nullish().meta({
      description:
        'When the conversation took place. Without an offset it is in the time zone of the user; a plain date means midnight UTC.'
    }),
    type: oneOf(SESSION_TYPES).optional().meta({ description: 'Default: `import`.' }),
    platform: label(FIELD_LIMITS.platform).nullish(),
    language: importParts.language,
    duration_seconds: importParts.duration_seconds,
    summary: characters(0, LIMITS.summary)
      .nullish()
      .meta({ description: 'Markdown. The server writes a summary if it is missing.' }),
    notes: characters(0, LIMITS.notes).nullish(),
    tags: listOf(visible(LIMITS.tags.length), LIMITS.tags.max, 'tags').optional(),
    favorite: flag.optional(),
    folders: listOf(folderName, FIELD_LIMITS.folders, 'names of folders').optional(),
    phone: Phone.optional(),
    action_items: listOf(Item, LIMITS.actionItems.max, 'action items')
      .optional()
      .meta({ description: 'The server extracts action items if they are missing.' }),
    speakers: importParts.speakers,
    segments: importParts.segments,
    media: importParts.media
  },
  { error: 'the document as a JSON object' }
)

const document = content.refine(({ segments, media }) => segments?.length || media?.audio || media?.video, {
  error: 'segments with text, or media',
  params: { problem: 'the document has neither speech nor media' }
})

/** The keys of a document by the path of their object. All entries of a list have one path. */
export const importKeys: Record<string, ReadonlySet<string>> = {
  '': keysOf(document),
  phone: keysOf(Phone),
  action_items: keysOf(Item),
  speakers: keysOf(SpeakerMatch),
  segments: keysOf(ImportSegment),
  media: keysOf(Media)
}

function keysOf({ shape }: { shape: object }) {
  return new Set(Object.keys(shape))
}

function storableDocument(value: unknown, context: z.RefinementCtx) {
  for (const [key, list] of Object.entries(Object(value))) {
    if (!Array.isArray(list) || list.length <= FIELD_LIMITS.entries) continue
    context.addIssue({
      code: 'custom',
      path: [key],
      message: `a list of at most ${FIELD_LIMITS.entries} entries`
    })
    return z.NEVER
  }
  return storableValue(value, DEPTH)
}

/** One conversation to import. It needs `segments` or `media`. Unknown keys are ignored; `ignoredKeys` lists them. */
export const ImportDocument = z
  .preprocess(storableDocument, document)
  .meta({ id: 'ImportDocument', description: 'A conversation. It needs `segments` or `media`.' })
export type ImportDocument = z.output<typeof ImportDocument>

/** A conversation in an archive of a library, which may have been exported without its transcript. */
export const ArchivedDocument = z.preprocess(storableDocument, content)
