import { storable } from '../../contract/import-document.ts'
import { LIMITS } from '../../contract/limits.ts'
import { decodeLegacy } from './encoding.ts'
import { UnreadableTranscript } from './transcript.ts'

export const MAX_TEXT_BYTES = LIMITS.documentBytes

const UNKNOWN_ENCODING = 'The encoding of the text is uncertain: save it as UTF-8 and send that.'

/** Decodes a file by its byte order mark, else as UTF-8, else by its letters. Refuses a text whose encoding is uncertain. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > MAX_TEXT_BYTES) throw new UnreadableTranscript('The text is larger than 16 MiB: send it in parts.')
  return storable(decode(bytes))
}

function decode(bytes: Uint8Array) {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return utf16(Buffer.from(bytes.subarray(2)))
  if (first === 0xfe && second === 0xff) return utf16(swapped(bytes.subarray(2)))
  const marked = first === 0xef && second === 0xbb && third === 0xbf
  try {
    return unmarkedUtf16(bytes) ?? new TextDecoder('utf-8', { fatal: !marked }).decode(bytes)
  } catch {
    // Other formats are recognised by how their files begin, read as windows-1252.
    const text = isBinary(bytes)
      ? new TextDecoder('windows-1252').decode(bytes)
      : (faultyUtf8(bytes) ?? decodeLegacy(bytes))
    if (text === null) throw new UnreadableTranscript(UNKNOWN_ENCODING)
    return text
  }
}

const SAMPLE_BYTES = 4_096

function isBinary(bytes: Uint8Array) {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  // Tab, line feeds, carriage return and escape occur in texts.
  const controls = sample.filter(byte => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b).length
  return controls > sample.length / 200
}

const MIN_NUL_SHARE = 0.1

/** Every second byte of UTF-16 is NUL where ASCII is written, such as times and line feeds. */
function unmarkedUtf16(bytes: Uint8Array) {
  const sample = bytes.subarray(0, Math.min(bytes.length - (bytes.length % 2), SAMPLE_BYTES))
  const nuls = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = nuls
  if (Math.max(even, odd) < 2 || Math.max(even, odd) < (sample.length / 2) * MIN_NUL_SHARE) return null
  if (Math.min(even, odd) > 0) return null
  return odd > 0 ? utf16(Buffer.from(bytes)) : utf16(swapped(bytes))
}

/** Decodes UTF-8 in which some bytes are damaged. Returns null if more is damaged than sound, as in another encoding. */
function faultyUtf8(bytes: Uint8Array) {
  const text = new TextDecoder().decode(bytes)
  const sound = (text.match(/[^\0-\x7f\ufffd]/gu) ?? []).length
  const damaged = (text.match(/\ufffd/g) ?? []).length
  return damaged * 2 <= sound ? text : null
}

// Buffer keeps lone surrogates, so that they can be removed; TextDecoder would write U+FFFD.
function utf16(littleEndian: Buffer) {
  return littleEndian.toString('utf16le')
}

function swapped(bytes: Uint8Array) {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16()
}
