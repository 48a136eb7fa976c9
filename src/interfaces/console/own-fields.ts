import type { Multipart } from '@fastify/multipart'
import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import { Modified } from './modified.ts'
import { readTags } from './tags.ts'

/** The fields of a form of uploads that the API doesn't have. */
export interface OwnFields {
  modified: Date | undefined
  /** Whether a script asks, which needs no page of the session. */
  isShort: boolean
}

/** The answer that a script asks for. */
export const Short = z.literal('short').optional().catch(undefined)

/** Keeps the fields that the API doesn't have. The API takes a field for each tag, people write them into one. */
export async function* readParts(parts: AsyncIterable<Multipart>, own: OwnFields): AsyncGenerator<Multipart> {
  for await (const part of parts) {
    if (part.type === 'field' && part.fieldname === 'modified') own.modified = Modified.parse(part.value)
    else if (part.type === 'field' && part.fieldname === 'answer') own.isShort = Short.parse(part.value) !== undefined
    else if (part.type !== 'field' || part.fieldname !== 'tag') yield part
    else
      for (const value of readTags(String(part.value).slice(0, FIELD_LIMITS.listed * LIMITS.tags.length)))
        yield { ...part, value }
  }
}
