const VOICE = /<v(?:\.[^\s<>]*)?\s([^<>]*)>/i
// Only tags of caption formats: `<laughs>` is text.
const TAG = /<(?:\/?(?:[bcipsuv]|rt|ruby|lang|font|em|strong|span)(?:[.\s][^<>]*)?|[\d:.]+)>/gi
const LINE_BREAK = /<br\s?\/?>/gi
const OVERRIDE = /\{\\[^{}]*\}/g
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp|lrm|rlm));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' }

/** Splits the text of a cue into voices. Text before the first voice, or without one, has a null speaker. */
export function parseVoices(text: string) {
  const [before = '', ...voices] = text.split(VOICE)
  const said: { speaker: string | null; text: string }[] = []
  if (voices.length === 0 || plainText(before).trim() !== '') said.push({ speaker: null, text: plainText(before) })
  for (let at = 0; at < voices.length; at += 2) said.push({ speaker: decoded(voices[at] ?? ''), text: plainText(voices[at + 1] ?? '') })
  return said
}

function plainText(text: string) {
  return decoded(text.replace(LINE_BREAK, '\n').replace(TAG, '').replace(OVERRIDE, ''))
}

function decoded(text: string) {
  return text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? ''
    return character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

/** An entity must not add characters that were removed: NUL and lone surrogates. */
function character(code: number) {
  const storable = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return storable ? String.fromCodePoint(code) : ''
}
