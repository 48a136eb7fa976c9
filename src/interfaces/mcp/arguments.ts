import { z } from 'zod'
import { listOf, pathId, personIdOrMe, visible } from '../../contract/common.ts'
import { toPrecondition } from '../../contract/if-match.ts'
import { LIMITS } from '../../contract/limits.ts'

/** A version as a tool shows it, bare or between quotation marks. That of a whole conversation begins with a letter. */
export function shownVersion(tool: 'get_session' | 'list_action_items') {
  const error = `the if_version that ${tool} shows, or leave it out`
  const pattern = tool === 'get_session' ? /^"?(?:\d{1,15}|s[\w-]{27})"?$/ : /^"?\d{1,15}"?$/
  return z
    .string({ error })
    .trim()
    .regex(pattern, error)
    .transform(toPrecondition)
    .optional()
    .meta({
      description: `As ${tool} shows it. If something has changed since, nothing is written.`
    })
}

const idError = 'an id of a session, such as ses_01m7x9fbe4fey9tg3s33gak8w3, or of a second in one, such as ses_…#1408'

/** A conversation, by an id of any tool or by a link to cite. Either may name a second. */
export const conversation = z
  .string({ error: idError })
  .max(LIMITS.oauth.uri, idError)
  .transform(readPlace)
  .meta({ description: 'The id of a conversation, with or without a second (ses_…#1408), or a link to it.' })

export const conversations = listOf(conversation, LIMITS.agents.sessions, 'conversations')
  .min(1, 'at least one id')
  .meta({ description: `Up to ${LIMITS.agents.sessions} ids of conversations or links to them.` })

/** The id of a conversation, and the second in it that was named. */
interface Place {
  id: string
  second: number | undefined
}

/** Reads `ses_…`, `ses_…#1408`, `https://…/s/ses_…#t=1408` and `session://ses_…`. Anything else is the id of nothing. */
export function readPlace(text: string): Place {
  const sent = text.trim()
  const [, named = sent, second] = /^([^#]*)#(?:t=)?(\d{1,9}(?:\.\d{1,9})?)$/.exec(sent) ?? []
  const [, part = named] = /^(?:https?:\/\/[^?#]*\/s|session:\/|transcript:\/)\/([^/?#]+)\/?$/.exec(named) ?? []
  return { id: part, second: second === undefined ? undefined : Number(second) }
}

/**
 * Returns the value in the form that a shape takes, or as it was sent if it takes none: models write numbers and booleans as text, and text that looks
 * like a number as one.
 */
export function inFormOf(shape: z.core.$ZodType, sent: unknown): unknown {
  if (z.safeParse(shape, sent).success) return sent
  return otherForms(sent).find(form => z.safeParse(shape, form).success) ?? sent
}

function otherForms(sent: unknown): unknown[] {
  if (typeof sent === 'number' || typeof sent === 'boolean') return [String(sent)]
  if (typeof sent !== 'string') return []
  const text = sent.trim().toLowerCase()
  if (text === 'true' || text === 'false') return [text === 'true']
  return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? [Number(text)] : []
}

export const nextCursor = 'The cursor of the previous answer.'

/** A person in a filter. */
export const person = personIdOrMe.optional().meta({ description: 'A name, an id, or me for the user.' })

export const conversationTags = listOf(visible(LIMITS.tags.length), LIMITS.tags.max, 'tags')
  .optional()
  .meta({ description: 'Tags, compared exactly.' })

export const itemId = pathId('The id of an action item.')
