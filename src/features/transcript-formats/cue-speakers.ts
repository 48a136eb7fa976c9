import { isName, isPersonName, knownSpeaker, trimMarks } from '../../platform/text/speaker-name.ts'
import type { WallTime } from '../../platform/text/wall-time.ts'
import type { ParsedCue } from './cues.ts'
import { mayBeName } from './layouts/header.ts'

/** Webex: a number, the name in quotation marks, and the number of the person. */
const QUOTED = /^(?:\d{1,9}\s+)?"([^"]{1,200})"(?:\s*\(\d{1,20}\))?$/
const NUMBERED = /^\d{1,9}\s*[-–—.:)|]\s*/
const MIN_SHARE = 0.9

/** Returns the speaker that the identifier of each cue names, or null if the identifiers of a file are no names. */
export function speakersOfIds(cues: readonly ParsedCue[]): (string | null)[] | null {
  const quoted = cues.map(({ id }) => QUOTED.exec((id ?? '').slice(0, MAX_ID))?.[1] ?? null)
  if (countKnown(quoted) >= cues.length * MIN_SHARE) return quoted.map(knownSpeaker)
  const names = cues.map(({ id }) => nameIn(id ?? ''))
  if (countKnown(names) < cues.length * MIN_SHARE) return null
  const distinct = new Set(names.filter(name => name !== null))
  const isRepeated = distinct.size < countKnown(names)
  return isRepeated || [...distinct].every(name => isName(name) && isPersonName(name)) ? names : null
}

const MAX_ID = 300

function countKnown(names: readonly (string | null)[]) {
  return names.filter(name => name !== null).length
}

/** Identifiers that programs count or compute have digits and slashes, as in `cue-12` and `1f0c9e/3-0`. */
function nameIn(id: string) {
  const name = trimMarks(id.slice(0, MAX_ID)).replace(NUMBERED, '').replace(/:$/, '')
  const isComputed = /[/_]|\d{3}|^[a-z]+[ -]?\d+$|^[\da-f-]{8,}$/i.test(name) && !/^speaker[ _]?\d+$/i.test(name)
  return isComputed || !mayBeName(name) || !/\p{L}/u.test(name) ? null : knownSpeaker(name)
}

interface SpokenCue {
  speaker: string | null
  text: string
}

interface ReadMetadata {
  spoken: SpokenCue[]
  language: string | null
  startedAt: WallTime | null
}

/** Teams can write what it knows of each cue as JSON. Returns null unless each cue is such an object. */
export function readMetadata(cues: readonly ParsedCue[]): ReadMetadata | null {
  if (
    !cues.every(({ lines }) =>
      lines
        .find(line => line.trim() !== '')
        ?.trimStart()
        .startsWith('{')
    )
  )
    return null
  const spoken: SpokenCue[] = []
  let language: string | null = null
  let startedAt: WallTime | null = null
  for (const { lines, start } of cues) {
    const data = parse(lines.join('\n'))
    const text = textIn(data, 'spokenText') ?? textIn(data, 'text')
    if (!data || text === null) return null
    spoken.push({ speaker: knownSpeaker(textIn(data, 'speakerName') ?? textIn(data, 'speaker')), text })
    language ??= textIn(data, 'spokenLanguage')
    startedAt ??= startOf(textIn(data, 'startDateTime'), start)
  }
  return { spoken, language, startedAt }
}

function parse(text: string): object | null {
  try {
    const data: unknown = JSON.parse(text)
    return typeof data === 'object' ? data : null
  } catch {
    return null
  }
}

function textIn(data: object | null, key: string) {
  const value: unknown = data && Object.entries(data).find(([name]) => name === key)?.[1]
  return typeof value === 'string' ? value : null
}

/** The clock of the file begins that many seconds before its first cue. */
function startOf(instant: string | null, seconds: number): WallTime | null {
  const ms = Date.parse(instant ?? '') - seconds * 1000
  return Number.isNaN(ms) ? null : { text: new Date(ms).toISOString().slice(0, 19), utc: true }
}
