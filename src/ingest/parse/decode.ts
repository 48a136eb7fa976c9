import { storable } from '../../contract/import-document.ts'
import { UnreadableTranscript } from './transcript.ts'

export const MAX_TEXT_BYTES = 64 * 1024 * 1024

/** Decodes a file by its byte order mark, else as UTF-8, else as windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > MAX_TEXT_BYTES) throw new UnreadableTranscript('The text is larger than 64 MiB: send it in parts.')
  return storable(decode(bytes))
}

function decode(bytes: Uint8Array) {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return utf16(Buffer.from(bytes.subarray(2)))
  if (first === 0xfe && second === 0xff) return utf16(swapped(bytes.subarray(2)))
  const marked = first === 0xef && second === 0xbb && third === 0xbf
  try {
    return new TextDecoder('utf-8', { fatal: !marked }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

// Buffer keeps lone surrogates, so that they can be removed; TextDecoder would write U+FFFD.
function utf16(littleEndian: Buffer) {
  return littleEndian.toString('utf16le')
}

function swapped(bytes: Uint8Array) {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16()
}
