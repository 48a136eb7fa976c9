import { z } from 'zod'
import { FIELD_LIMITS } from './limits.ts'

/** The states that a caller has read: versions of the action items, or tags of the whole session. A change needs one of them to be current. */
export interface Precondition {
  versions: readonly number[]
  tags: readonly string[]
}

/** A proxy that compresses adds a suffix to the tag of an answer. */
const SUFFIX = '(?:-(?:gzip|br|zstd|deflate))?'
const VERSION = `(?:\\d{1,15}|(?:W/)?"\\d{1,15}${SUFFIX}")`
const TAG = `(?:W/)?"s[\\w-]{27}${SUFFIX}"`

function ifMatch(member: string, error: string) {
  return z
    .string(error)
    .max(FIELD_LIMITS.ifMatch, error)
    .regex(new RegExp(`^ *(?:\\*|${member}(?: *, *${member})*) *$`), error)
    .transform(toPrecondition)
}

function described(description: string) {
  return { description, examples: ['"1"'] }
}

/** Undefined for `*`, which any state fulfils. */
export function toPrecondition(sent: string): Precondition | undefined {
  if (sent.includes('*')) return undefined
  const names = sent.match(/s[\w-]{27}|\d+/g) ?? []
  const tags = names.filter(name => name.startsWith('s'))
  return { versions: names.filter(name => !tags.includes(name)).map(Number), tags }
}

/** If-Match of a change of action items only. */
export const ItemsIfMatch = ifMatch(VERSION, 'the version you have read, such as "7", or *')
  .optional()
  .meta(
    described(
      'The version of the action items that you have read. If they have changed since, the request is refused with `conflict`.'
    )
  )

/** If-Match of a change of a session. */
export const SessionIfMatch = ifMatch(`(?:${VERSION}|${TAG})`, 'the version or ETag you have read, such as "7", or *')
  .optional()
  .meta(
    described(
      'The `ETag` of the session that you have read: if anything in it has changed since, the request is refused with `precondition_failed`. Or the version of its action items: if they have changed since, it is refused with `conflict`.'
    )
  )

/** If-Match of a change of a transcript, which needs one: after another change a line may have another index. */
export const TranscriptIfMatch = ifMatch(
  VERSION,
  'the version of the transcript that you have read, such as "7", or *'
).meta(
  described(
    'The version or `ETag` of the transcript that you have read. If it has changed since, the request is refused with `conflict`. With `*`, any version is corrected.'
  )
)
