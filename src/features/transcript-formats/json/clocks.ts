import { LIMITS } from '../../../contract/limits.ts'
import { parseCueTime } from '../clock-time.ts'
import { UnreadableTranscript } from '../transcript.ts'
import { isRecord, type JsonRecord } from './fields.ts'
import { findKeys, plainKey } from './keys.ts'

/** A time as a tool writes it. `unit` is null where only the other times show it; an absolute time is an instant, in seconds. */
export interface Clock {
  value: number
  unit: 's' | 'ms' | null
  isAbsolute: boolean
}

const WITH_UNITS = (name: string) => [name, `${name}time`, `${name}timestamp`, `${name}ts`].flatMap(withUnits)
const withUnits = (name: string) => [
  name,
  `${name}ms`,
  `${name}millis`,
  `${name}milliseconds`,
  `${name}seconds`,
  `${name}sec`,
  `${name}secs`,
  `${name}s`
]

const START_KEYS = [
  ...WITH_UNITS('start'),
  ...['startoffset', 'startmilliseconds', 'starttimeinseconds'].flatMap(withUnits),
  ...WITH_UNITS('begin'),
  ...[
    'from',
    'offset',
    'timestamp',
    'time',
    'timecode',
    'ts',
    'tstart',
    'startdatetime',
    'startedat',
    'startat',
    'tc',
    'in'
  ].flatMap(withUnits)
]
const END_KEYS = [
  ...WITH_UNITS('end'),
  ...['endoffset', 'endtimeinseconds'].flatMap(withUnits),
  ...['to', 'stop', 'stoptime', 'until', 'tend', 'enddatetime', 'endedat', 'endat', 'out'].flatMap(withUnits)
]
const LENGTH_KEYS = ['duration', 'dur', 'length'].flatMap(withUnits)

export interface Times {
  start: Clock | null
  end: Clock | null
  length: Clock | null
  /** The keys that were read. */
  keys: string[]
}

/** Reads the times of an entry. Throws for one that is none, with the path of its key. */
export function findTimes(entry: JsonRecord, path: readonly PropertyKey[]): Times {
  const keys: string[] = []
  function first(names: readonly string[], isTime: boolean): Clock | null {
    let refused: string | null = null
    for (const { key, value } of findKeys(entry, names)) {
      const clock = readClock(value, unitOfKey(key))
      if (clock) {
        keys.push(key)
        return clock
      }
      if (isTime && typeof value !== 'object') refused ??= key
    }
    if (refused === null) return null
    throw new UnreadableTranscript(
      `${[...path, refused].join('.')}: expected a number of seconds from 0 to ${LIMITS.recordingSeconds}.`
    )
  }
  const [pair] = findKeys(entry, ['timestamp', 'timestamps', 'time', 'times', 'span', 'interval'])
  if (Array.isArray(pair?.value) && pair.value.length === 2) {
    const [start, end] = pair.value.map(value => readClock(value, null))
    if (start || end) return { start: start ?? null, end: end ?? null, length: null, keys: [pair.key] }
  }
  return { start: first(START_KEYS, true), end: first(END_KEYS, true), length: first(LENGTH_KEYS, false), keys }
}

function unitOfKey(key: string): Clock['unit'] {
  const plain = plainKey(key)
  if (/(?:ms|millis|milliseconds)$/.test(plain)) return 'ms'
  return /(?:seconds?|secs?)$/.test(plain) || /^(?:start|end|from|to)s$/.test(plain) ? 's' : null
}

const DECIMAL = /^-?\d{1,12}(?:[.,]\d{1,9})?(s|ms)?$/
const CLOCK = /^-?\d{1,4}(?::\d{1,2}){1,3}(?:[.,]\d{1,9})?$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})?$/
/** A number above is no time of a recording, but of an epoch. */
const FIRST_EPOCH_SECONDS = 1e9
const FIRST_EPOCH_MS = 1e11
const LAST_EPOCH_MS = 1e13

function readClock(value: unknown, unit: Clock['unit']): Clock | null {
  if (typeof value === 'number') return numberClock(value, unit)
  if (typeof value === 'string') return textClock(value.trim(), unit)
  if (!isRecord(value)) return null
  const [found] = findKeys(value, ['relative', 'seconds', 'offset', 'ms', 'absolute', 'time', 'value'])
  if (!found) return null
  const inner = readClock(found.value, plainKey(found.key) === 'seconds' ? 's' : (unitOfKey(found.key) ?? unit))
  const nanos = typeof value.nanos === 'number' ? value.nanos / 1e9 : 0
  return inner && { ...inner, value: inner.value + nanos }
}

function numberClock(value: number, unit: Clock['unit']): Clock | null {
  if (!Number.isFinite(value) || value > LAST_EPOCH_MS) return null
  if (value >= FIRST_EPOCH_MS) return { value: value / 1000, unit: 's', isAbsolute: true }
  if (value >= FIRST_EPOCH_SECONDS && unit !== 'ms') return { value, unit: 's', isAbsolute: true }
  return { value: Math.max(0, value), unit, isAbsolute: false }
}

function textClock(text: string, unit: Clock['unit']): Clock | null {
  const [decimal, suffix] = DECIMAL.exec(text) ?? []
  if (decimal !== undefined) {
    const written = suffix === 's' || suffix === 'ms' ? suffix : null
    // A number with a fraction that is written as text counts seconds.
    return numberClock(Number.parseFloat(text.replace(',', '.')), written ?? unit ?? (/[.,]/.test(text) ? 's' : null))
  }
  if (CLOCK.test(text)) {
    const seconds = parseCueTime(text)
    return Number.isFinite(seconds) ? { value: seconds, unit: 's', isAbsolute: false } : null
  }
  const instant = DATE_TIME.test(text) ? Date.parse(text.replace(' ', 'T').replace(',', '.')) : Number.NaN
  return Number.isNaN(instant) ? null : { value: instant / 1000, unit: 's', isAbsolute: true }
}

/** The times of the entries of a list, and the characters that were said in them. */
export type Timed = Times & { characters: number }

/** No one says fewer characters in a unit, if the times have ends; without ends there may be silence between them. */
const SILENCE = 20

/** Returns whether numbers without a unit count milliseconds: whole numbers, and more than the characters that were said. */
export function countMilliseconds(all: readonly Timed[]) {
  let characters = 0
  let units = 0
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  let hasEnds = true
  for (const { start, end, length, characters: said } of all) {
    if (start === null || start.unit !== null) continue
    if (![start, end, length].every(clock => clock === null || clock.unit !== null || Number.isInteger(clock.value)))
      return false
    const until = end?.value ?? (length === null ? null : start.value + length.value)
    if (until === null) hasEnds = false
    else units += until - start.value
    first = Math.min(first, start.value)
    last = Math.max(last, start.value)
    characters += said
  }
  return hasEnds ? characters < units : characters * SILENCE < last - first
}
