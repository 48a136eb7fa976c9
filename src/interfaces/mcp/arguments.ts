import { z } from 'zod'
import { listOf, pathId, personIdOrMe, visible } from '../../contract/common.ts'
import { toPrecondition } from '../../contract/if-match.ts'
import { LIMITS } from '../../contract/limits.ts'
import { sessionUrl, sharedUrl } from './answer-text.ts'

const VERSION = /^"?\d{1,15}"?$/
const VERSION_OR_TAG = /^"?(?:\d{1,15}|s[\w-]{27})"?$/

/** A version as a tool shows it, bare or between quotation marks. That of a whole conversation begins with a letter. */
export function shownVersion(tool: 'get_session' | 'list_action_items') {
  const pattern = tool === 'get_session' ? VERSION_OR_TAG : VERSION
  return versionText(pattern, `the if_version that ${tool} shows, or leave it out`)
    .optional()
    .meta({ description: `As ${tool} shows it, to overwrite nothing newer.` })
}

/** The version of a transcript. It is required, because after another change a segment may have another index. */
export const transcriptVersion = versionText(VERSION, 'the if_version that get_transcript shows with indexes').meta({
  description: 'As get_transcript shows it.'
})

function versionText(pattern: RegExp, error: string) {
  return z.string({ error }).trim().regex(pattern, error).transform(toPrecondition)
}

const idError = 'an id of a session, such as ses_01m7x9fbe4fey9tg3s33gak8w3, or of a second in one, such as ses_…#1408'

/** A conversation, by an id of any tool or by a link to cite. Either may name a second. */
export const conversation = z
  .string({ error: idError })
  .max(LIMITS.oauth.uri, idError)
  .transform(readPlace)
  .meta({ description: 'Its id, also of a second (ses_…#1408), or a link to it.' })

const ownError = 'the id of a conversation of the user, because one that others share can only be read'

/** A conversation of the user, which tools may change. */
export const ownConversation = conversation
  .refine(({ owner }) => owner === undefined, ownError)
  .meta({ description: 'Its id.' })

const { sessions: MAX_NAMED } = LIMITS.agents
const about = { description: `Up to ${MAX_NAMED} ids of conversations.` }

export const conversations = listOf(conversation, MAX_NAMED, 'conversations').min(1, 'at least one id').meta(about)
export const ownConversations = listOf(ownConversation, MAX_NAMED, 'conversations')
  .min(1, 'at least one id')
  .meta(about)

/** The id of a conversation, that of its owner if others share it, and the second in it that was named. */
export interface Place {
  id: string
  owner?: string | undefined
  second?: number | undefined
}

/**
 * Reads `ses_…`, `ses_…#1408`, `https://…/s/ses_…#t=1408` and `session://ses_…`; of one that others share `usr_…/ses_…` and `https://…/shared/usr_…/ses_…`.
 * Anything else is the id of nothing.
 */
export function readPlace(text: string): Place {
  const sent = text.trim()
  const [, named = sent, second] = /^([^#]*)#(?:t=)?(\d{1,9}(?:\.\d{1,9})?)$/.exec(sent) ?? []
  const moment = second === undefined ? {} : { second: Number(second) }
  const [, owner, shared] = /^(?:https?:\/\/[^?#]*\/shared\/)?(usr_\w+)\/([^/?#]+)\/?$/.exec(named) ?? []
  if (owner !== undefined && shared !== undefined) return { id: shared, owner, ...moment }
  const [, part = named] = /^(?:https?:\/\/[^?#]*\/s|session:\/|transcript:\/)\/([^/?#]+)\/?$/.exec(named) ?? []
  return { id: part, ...moment }
}

/** The id of a conversation, or of a second in it, as tools show it. */
export function placeId({ id, owner, second }: Place) {
  const moment = second === undefined ? '' : `#${Math.floor(second)}`
  return `${owner === undefined ? '' : `${owner}/`}${id}${moment}`
}

/** The link to a conversation, or to a second in it, that answers cite. */
export function placeUrl(publicUrl: string, { id, owner, second }: Place) {
  return owner === undefined ? sessionUrl(publicUrl, id, second) : sharedUrl(publicUrl, owner, id, second)
}

/**
 * Returns the value in the form that a shape takes, or as it was sent if it takes none: models write numbers and booleans as text, and text that looks
 * like a number as one, also within lists and objects.
 */
export function inFormOf(shape: z.core.$ZodType, sent: unknown): unknown {
  if (z.safeParse(shape, sent).success) return sent
  const bare = shape instanceof z.ZodOptional || shape instanceof z.ZodDefault ? shape.unwrap() : shape
  if (bare instanceof z.ZodArray && Array.isArray(sent)) return sent.map(entry => inFormOf(bare.element, entry))
  if (bare instanceof z.ZodObject && isObject(sent)) return fieldsInForm(bare, sent)
  return otherForms(sent).find(form => z.safeParse(shape, form).success) ?? sent
}

/** Models fill in what they don't mean with null or nothing, so both count as left out. */
export function fieldsInForm({ shape }: z.ZodObject, sent: Record<string, unknown>) {
  const meant = Object.entries(sent).filter(([, value]) => value !== null && value !== '')
  return Object.fromEntries(
    meant.map(([name, value]) => {
      // Every object inherits `constructor`, which is no shape.
      const known = Object.hasOwn(shape, name) ? shape[name] : undefined
      return [name, known ? inFormOf(known, value) : value]
    })
  )
}

function isObject(sent: unknown): sent is Record<string, unknown> {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent)
}

function otherForms(sent: unknown): unknown[] {
  if (typeof sent === 'number' || typeof sent === 'boolean') return [String(sent)]
  if (typeof sent !== 'string') return []
  const text = sent.trim().toLowerCase()
  if (text === 'true' || text === 'false') return [text === 'true']
  return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? [Number(text)] : []
}

export const nextCursor = 'That of the previous answer.'

/** A person in a filter. */
export const person = personIdOrMe.optional().meta({ description: 'A name, an id, or me for the user.' })

export const conversationTags = listOf(visible(LIMITS.tags.length), LIMITS.tags.max, 'tags')
  .optional()
  .meta({ description: 'Tags, compared exactly.' })

export const itemId = pathId('The id of an action item.')
