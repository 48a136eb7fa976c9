import { analyse } from 'chardet'

const SAMPLE_BYTES = 64 * 1024
/** Below this the detector only guesses. */
const MIN_CONFIDENCE = 15
/** A rival that reads the text differently must be less likely by this factor. */
const MAX_RIVAL = 0.9
/** No text has these: C1 controls, private characters and replacements. */
const UNLIKELY = /[\u0080-\u009f\ue000-\uf8ff\ufffd]/
/** Signs that stand within no word. */
const WITHIN_WORDS = /\p{L}[¤¦§©¬®°±¶†‡‰¢¥¯\u00ad]\p{L}/gu
/** The detector's name where the decoder has another, or a larger alphabet. */
const DECODERS: Record<string, string> = { 'KOI8-R': 'koi8-u', 'EUC-KR': 'euc-kr', 'ISO-8859-8': 'windows-1255' }

/** Decodes a text that is not Unicode, or returns null if its encoding is uncertain. */
export function decodeLegacy(bytes: Uint8Array): string | null {
  const sample = linesBeyondAscii(bytes)
  const readings = analyse(sample).flatMap(({ name, confidence }) => {
    const text = decodeStrictly(sample, DECODERS[name] ?? name)
    return text === null ? [] : [{ text, name, confidence }]
  })
  const [best] = readings
  if (!best || best.confidence < MIN_CONFIDENCE) return decodeLatin(bytes)
  const rival = readings.find(({ text }) => text !== best.text)
  if (rival && rival.confidence > best.confidence * MAX_RIVAL) return null
  return new TextDecoder(DECODERS[best.name] ?? best.name).decode(bytes)
}

function decodeStrictly(bytes: Uint8Array, encoding: string) {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return UNLIKELY.test(text) || (text.match(WITHIN_WORDS) ?? []).length > 1 ? null : text
  } catch {
    return null
  }
}

/** A few letters show no encoding, but are the same in those of Western and of Central Europe. */
function decodeLatin(bytes: Uint8Array) {
  const text = new TextDecoder('windows-1252').decode(bytes)
  const isSame = new TextDecoder('windows-1250').decode(bytes) === text
  return isSame && !UNLIKELY.test(text) && !/[^\0-\x7f]{3}/.test(text) ? text : null
}

const NEWLINE = 0x0a

/** Only these lines show the encoding, and a long file has more of them than are needed. */
function linesBeyondAscii(bytes: Uint8Array) {
  const lines: Uint8Array[] = []
  let size = 0
  for (let from = 0; from < bytes.length && size < SAMPLE_BYTES; ) {
    const at = bytes.indexOf(NEWLINE, from)
    const to = at === -1 ? bytes.length : at + 1
    const line = bytes.subarray(from, Math.min(to, from + SAMPLE_BYTES))
    if (line.some(byte => byte > 0x7f)) {
      lines.push(line)
      size += line.length
    }
    from = to
  }
  return Buffer.concat(lines)
}
