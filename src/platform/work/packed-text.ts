import zlib from 'node:zlib'

/** A text that is kept until somebody reads it. A long one is compressed, and takes a fraction of its memory until then. */
export type PackedText = string | Uint8Array

/** The highest speed, because spoken words are short of a tenth of their length with it already. */
const LEVEL = 1
const CHUNK_BYTES = 64 * 1024

export function packText(text: string): Uint8Array {
  return zlib.deflateRawSync(text, { level: LEVEL })
}

/** The bytes of the text, in pieces that are made when they are read. */
export async function* unpackText(packed: PackedText): AsyncGenerator<Uint8Array> {
  if (typeof packed === 'string') {
    if (packed !== '') yield Buffer.from(packed)
    return
  }
  const text = zlib.createInflateRaw({ chunkSize: CHUNK_BYTES })
  text.end(packed)
  yield* text
}
