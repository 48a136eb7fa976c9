import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { isBlank, oneLine } from './text.ts'

/**
 * An instant as the API writes it. A plain string to zod, since checking every row of a list against the
 * date pattern costs more than reading the rows; the format stands in the OpenAPI document.
 */
export const timestamp = z.string().meta({ format: 'date-time', examples: ['2026-03-02T10:00:00.000Z'] })

/** The error of a query parameter that takes one value: a repeated parameter arrives as a list. */
export function sentOnce(otherwise: string) {
  return { error: ({ input }: { input?: unknown }) => (Array.isArray(input) ? 'it once' : otherwise) }
}

/** A string of `min` to `max` characters. zod counts code points, so an emoji is one character. */
export function characters(min: number, max: number) {
  const error = min === 0 ? `a text of at most ${max} characters` : `a text of ${min} to ${max} characters`
  const text = z.string({ error }).max(max, error)
  return min === 0 ? text : text.min(min, error)
}

export function listOf<T extends z.ZodType>(entry: T, max: number, what: string) {
  const error = `a list of at most ${max} ${what}`
  return z.array(entry, { error }).max(max, error)
}

export const flag = z.boolean({ error: 'true or false' })

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` })
}

/** A query parameter that takes one of the values. */
export function queryOneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, sentOnce(`one of ${values.join(', ')}`))
}

/** A text that is tidied is counted after that. As sent it may have as many characters again, which the document has as its maximum. */
const tidied = (min: number, max: number) => ({
  maxLength: 2 * max,
  description: `${min} to ${max} characters, without the spaces around them.`
})

/** A string of at most `max` characters, at least one of them visible. Without `tidy` it is kept as it is: spaces around it count. */
export function visible(max: number, kind: 'text' | 'name' = 'text', tidy?: (text: string) => string) {
  const error = `a ${kind} of 1 to ${max} characters that is not blank`
  const written = z.string({ error })
  const counted = (tidy ? written.max(2 * max, error).overwrite(tidy) : written)
    .min(1, error)
    .max(max, error)
    .refine(text => !isBlank(text), error)
  return tidy ? counted.meta(tidied(1, max)) : counted
}

/** The id or name of something that exists. A blank one names nothing, as any unknown one. */
function idOrName(remedy: string) {
  return z
    .string(sentOnce(remedy))
    .min(1, remedy)
    .max(FIELD_LIMITS.idOrName, `${remedy}, of at most ${FIELD_LIMITS.idOrName} characters`)
}

export const folderIdOrName = idOrName('the id or the name of a folder')
export const templateIdOrName = idOrName('the id or the name of a template')
export const personIdOrMe = idOrName('the id of a person, or me')

/** A name to look for. A blank one, such as an empty variable of a template, is refused. */
export function nameToFind(remedy: string) {
  return idOrName(remedy).refine(text => !isBlank(text), remedy)
}

const titleError = `one to ${LIMITS.title} characters with a word of the title`
/** The query parameter `title` of a list: words to look for. */
export const wordsOfTitle = z
  .string(sentOnce(titleError))
  .max(LIMITS.title, titleError)
  .refine(text => /[\p{L}\p{N}]/u.test(text), titleError)
  .optional()
  .meta({
    description:
      'Returns only sessions whose title has all of these words, in any order. Case, marks of letters and punctuation do not count.',
    examples: ['onboarding call']
  })

/** A name of at most `max` characters, on one line and without spaces around it. It may be empty. */
export function label(max: number) {
  const error = `a text of at most ${max} characters`
  return z
    .string({ error })
    .max(2 * max, error)
    .overwrite(oneLine)
    .max(max, error)
    .meta(tidied(0, max))
}

/** A whole number in a body. */
export function integer(min: number, max: number, error = `a whole number from ${min} to ${max}`) {
  return z.int(error).min(min, error).max(max, error)
}

/** A query parameter that holds a whole number. */
export function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`
  return z
    .string(sentOnce(error))
    .regex(/^\d{1,16}$/, error)
    .transform(Number)
    .refine(value => value >= min && value <= max, error)
    .meta({ type: 'integer', pattern: undefined, minimum: min, maximum: max })
}

/** The query parameter `limit` of a list. */
export function pageLimit(
  { min = 1, max, default: usual }: { min?: number; max: number; default: number },
  description: string
) {
  return wholeNumber(min, max).meta({ description }).default(usual)
}

/** The last fields of each page of a list. */
export function pageEnd<T extends z.ZodType>(cursor: T) {
  const next_cursor = cursor
    .nullable()
    .meta({ description: 'Pass it as `cursor` to get the next page. Null on the last page.' })
  return { next_cursor, has_more: z.boolean() }
}

/** The last fields of a list that has pages only if the query asks for them. */
export const optionalPageEnd = {
  next_cursor: z.string().nullable().optional().meta({
    description:
      'Present with `limit` or `cursor` in the query only. Pass it as `cursor` to get the next page. Null on the last page.'
  }),
  has_more: z.boolean().optional().meta({ description: 'Present with `limit` or `cursor` in the query only.' })
}

export const CURSOR_ERROR = 'the next_cursor of the previous page'

/** The query parameter `cursor` of a list whose positions are opaque. */
export const pageCursor = z.string(sentOnce(CURSOR_ERROR)).max(FIELD_LIMITS.cursor, CURSOR_ERROR)

/** The id of something, in a body. */
export function bodyId(error: string) {
  return z.string({ error }).max(FIELD_LIMITS.id, `an id of at most ${FIELD_LIMITS.id} characters`)
}

/** A change: an object with at least one of the fields. */
export function changeOf<T extends z.ZodRawShape>(id: string, fields: T, error: string, nothing = error) {
  return z
    .object(fields, { error })
    .partial()
    .refine(change => Object.values(change).some(value => value !== undefined), nothing)
    .meta({ id, minProperties: 1 })
}

/** The id in a path. Any text is accepted: an unknown id is answered with 404. */
export function pathId(description: string, example?: string) {
  return z
    .string()
    .max(FIELD_LIMITS.pathPart)
    .meta({ description, ...(example !== undefined && { examples: [example] }) })
}

export const sessionId = pathId('The id of the session.', 'ses_01m7x9fbe4fey9tg3s33gak8w3')

/** The field of an answer to a body with fields that nobody knows. */
export const warnings = z.array(z.string()).optional().meta({
  description: 'The fields of the request that were ignored, one sentence each. Absent if there were none.'
})
