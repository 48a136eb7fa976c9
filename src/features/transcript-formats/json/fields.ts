import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { remedyFor } from '../../../platform/core/remedy.ts'
import { parseClockTime } from '../clock-time.ts'
import { UnreadableTranscript } from '../transcript.ts'

export type JsonRecord = Record<string, unknown>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the objects of a list, or null if the value is not a list of objects. An empty list counts, because nothing contradicts it. */
export function objectsOf(value: unknown): JsonRecord[] | null {
  return Array.isArray(value) && value.every(isRecord) ? value : null
}

/** Returns the objects of a list that has some, or null. */
export function someObjects(value: unknown) {
  const objects = objectsOf(value)
  return objects && objects.length > 0 ? objects : null
}

/** Returns whether whole times count milliseconds: nobody says fewer characters than seconds, or more than milliseconds. */
export function areMilliseconds(entries: readonly JsonRecord[]) {
  let characters = 0
  let units = 0
  for (const { start, end, text } of entries) {
    if (!Number.isInteger(start) || !Number.isInteger(end)) return false
    characters += stringOrNull(text)?.length ?? 0
    units += Number(end) - Number(start)
  }
  return characters < units
}

export function stringOrNull(value: unknown) {
  return typeof value === 'string' ? value : null
}

const CLOCK = /^-?(?:\d+:)?\d+:\d{1,2}(?:[.,]\d+)?$/
const DECIMAL = /^-?\d+(?:[.,]\d+)?s?$/
const timeError = `a number of seconds from 0 to ${LIMITS.recordingSeconds}`

/** A number, a number written as text ("1.300s"), or a clock time. Tools round below zero, so a negative time is zero. */
function timeIn(unit: number) {
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(DECIMAL)
          .transform(text => Number.parseFloat(text.replace(',', '.'))),
        z
          .string()
          .regex(CLOCK)
          .transform(text => (text.startsWith('-') ? 0 : parseClockTime(text) * unit))
      ],
      { error: timeError }
    )
    .transform(time => Math.max(0, Math.round((time * 1000) / unit) / 1000))
    .refine(time => time <= LIMITS.recordingSeconds, timeError)
    .nullish()
    .transform(time => time ?? null)
}

export const secondsField = timeIn(1)
export const millisecondsField = timeIn(1000)

/** A duration that makes no sense is unknown: the last end replaces it. */
export const durationField = secondsField.catch(null)

const UNKNOWN = /^(?:\?|unknown|uu|none|null|)$/i

/** A label as people read it: 0, "0" and "A" become "Speaker 0" and "Speaker A". Null for an unknown speaker. */
export const speaker = z.union([z.string(), z.number()]).nullish().transform(toLabel)

function toLabel(label: string | number | null | undefined) {
  const text = String(label ?? '').trim()
  if (UNKNOWN.test(text)) return null
  return /^(?:\d+|\p{Lu})$/u.test(text) ? `Speaker ${text}` : text
}

// Entries are parsed one by one: an array schema would collect an error for each of a million invalid ones.
export function readEach<T extends z.ZodType>(
  schema: T,
  entries: readonly unknown[],
  ...path: PropertyKey[]
): z.output<T>[] {
  return entries.map((entry, index) => read(schema, entry, ...path, index))
}

export function read<T extends z.ZodType>(schema: T, value: unknown, ...path: PropertyKey[]): z.output<T> {
  const result = schema.safeParse(value, { error: remedyFor })
  if (result.success) return result.data
  const [error] = result.error.issues
  const place = [...path, ...(error?.path ?? [])].join('.') || 'The file'
  throw new UnreadableTranscript(`${place}: expected ${error?.message ?? 'a transcript'}.`)
}
