import type { ParsedTranscript } from '../transcript.ts'
import { leftOut } from './no-speech.ts'

/** `(BEGIN VIDEO CLIP)`, `[APPLAUSE]`, `(COMMERCIAL BREAK)`: directions in capitals, alone on their line. */
const DIRECTION = /^\s*(?:\([\p{Lu}\p{N}][\p{Lu}\p{N} ,.'’:;/-]{2,120}\)|\[[\p{Lu}][\p{Lu} ,.'’:;/-]{2,120}\])\s*$/u
/** The record of a parliament: `Mr. BERG. Yes, we signed it.` */
const RECORDED =
  /^\s*((?:The\s(?:[A-Z]{4,20}\s?){1,3}|(?:Mr|Mrs|Ms|Miss|Dr|Senator|Chairman|Chairwoman|Representative)\.?\s\p{Lu}[\p{Lu}'’-]{1,40}(?:\sof\s\p{Lu}\p{L}{2,20})?))\.\s+(?=\S)/u
const SURE_DIRECTION =
  /^(?:BEGIN|END|COMMERCIAL|APPLAUSE|LAUGHTER|CROSSTALK|MUSIC|VIDEO|AUDIO|PAUSE|SILENCE|SINGING|CHEERING|INAUDIBLE|UNIDENTIFIED|SOUNDBITE|THROUGH|VOICE|OFF|ON)\b/

/** Blanks stage directions, and writes the labels of a parliament's record with a colon. */
export function readBroadcast(lines: readonly string[]): { lines: readonly string[]; warnings: string[] } {
  const warnings: string[] = []
  const recorded = lines.filter(line => RECORDED.test(line.slice(0, 120))).length >= 2
  const read = lines.map((line, at) => {
    if (line.length < 140 && DIRECTION.test(line) && isDirection(line.trim().slice(1, -1))) {
      warnings.push(leftOut(at + 1, line))
      return ''
    }
    const [whole, label] = recorded ? (RECORDED.exec(line.slice(0, 120)) ?? []) : []
    return whole === undefined ? line : `${label}: ${line.slice(whole.length)}`
  })
  return { lines: warnings.length > 0 || recorded ? read : lines, warnings }
}

/** Others in capitals and brackets may be names. */
function isDirection(words: string) {
  return SURE_DIRECTION.test(words) || words.split(' ').length > 4
}

const REMARK =
  /\s*[([](?:voice[ -]?over|v\.?\s?o\.?|o\.?\s?s\.?|on[ -]camera|off[ -]camera|off[ -]screen|on screen|cont(?:'|’|inue)d|through (?:an? )?(?:translator|interpreter)|via (?:telephone|phone|video|satellite|zoom|skype)|on (?:the )?(?:phone|telephone|tape|video)|by (?:phone|telephone)|singing|reading|in [A-Za-z]{3,20}|foreign language)[)\]]$/i
const ROLE =
  /^(\p{Lu}[\p{Lu}.'’"“” -]{1,80}),\s+(?!(?:JR|SR|MD|M\.D|PHD|PH\.D|ESQ|II|III|IV)\.?$)[\p{Lu}\p{N}][\p{Lu}\p{N}\p{Ll} .,'’&()/-]{1,100}$/u

/** Removes what broadcasters write behind a name: the role, and from where somebody speaks. A last name alone is that of the full name. */
export function withoutRoles(transcript: ParsedTranscript): ParsedTranscript {
  const names = new Map<string, string>()
  for (const { speaker } of transcript.segments) if (!names.has(speaker)) names.set(speaker, bareName(speaker))
  if ([...names].every(([label, name]) => label === name)) return transcript
  const full = new Set([...names.values()].filter(name => / /.test(name) && isInCapitals(name)))
  const last = new Map<string, string[]>()
  for (const name of full) {
    const word = name.split(' ').at(-1) ?? ''
    last.set(word, [...(last.get(word) ?? []), name])
  }
  const segments = transcript.segments.map(said => {
    const name = names.get(said.speaker) ?? said.speaker
    const meant = isInCapitals(name) ? (last.get(name) ?? []) : []
    return { ...said, speaker: meant.length === 1 ? (meant[0] ?? name) : name }
  })
  return { ...transcript, segments }
}

function bareName(label: string) {
  if (label.length > 200) return label
  const name = label.replace(REMARK, '').replace(/\s+$/, '')
  const bare = ROLE.exec(name)?.[1] ?? name
  return bare === '' ? label : bare
}

function isInCapitals(name: string) {
  return name === name.toUpperCase() && name !== name.toLowerCase()
}
