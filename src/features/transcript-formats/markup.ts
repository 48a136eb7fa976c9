import { decodeHTMLStrict } from 'entities/decode'

const VOICE = /<v(?:\.[^\s<>]*)?\s([^<>]*)>/i
// Only tags of caption formats: `<laughs>` is text.
const TAG = /<(?:\/?(?:[bcipsuv]|rt|ruby|lang|font|em|strong|span)(?:[.\s][^<>]*)?|[\d:.]+)>/gi
const LINE_BREAK = /<br\s?\/?>/gi
const OVERRIDE = /\{\\[^{}]*\}/g
/** A character reference of HTML with its semicolon: without one, `R&D` and the `&copy=2` of an address are text. */
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi

/** Splits the text of a cue into voices. Text before the first voice, or without one, has a null speaker. */
export function parseVoices(text: string) {
  const [before = '', ...voices] = text.split(VOICE)
  const said: { speaker: string | null; text: string }[] = []
  if (voices.length === 0 || plainText(before).trim() !== '') said.push({ speaker: null, text: plainText(before) })
  for (let at = 0; at < voices.length; at += 2)
    said.push({ speaker: decoded(voices[at] ?? ''), text: plainText(voices[at + 1] ?? '') })
  return said
}

function plainText(text: string) {
  return decoded(text.replace(LINE_BREAK, '\n').replace(TAG, '').replace(OVERRIDE, ''))
}

/** The decoder gives U+FFFD for NUL and lone surrogates, which cannot be stored. */
function decoded(text: string) {
  return text.replace(REFERENCE, reference => decodeHTMLStrict(reference).replace('\ufffd', ''))
}
