import { randomBytes, randomInt } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

export type Encoding = 'br' | 'gzip'

const { BROTLI_OPERATION_FLUSH, BROTLI_PARAM_QUALITY, Z_SYNC_FLUSH } = zlib.constants

/** A page is made for one reader, so it is compressed quickly rather than well. */
const GZIP = { level: 4 }
const BROTLI = { params: { [BROTLI_PARAM_QUALITY]: 4 } }

const [brotli, gzip] = [promisify(zlib.brotliCompress), promisify(zlib.gzip)]

/** Compresses a whole page. */
export async function compressPage(document: string, encoding: Encoding) {
  const bytes = Buffer.from(document + padding())
  return encoding === 'br' ? await brotli(bytes, BROTLI) : await gzip(bytes, GZIP)
}

/** Compresses a page that goes on. What is written of it arrives at once, and not when the compressor has enough for a block. */
export function compressPieces(document: Readable, encoding: Encoding): Readable {
  const compressor =
    encoding === 'br'
      ? zlib.createBrotliCompress({ ...BROTLI, flush: BROTLI_OPERATION_FLUSH })
      : zlib.createGzip({ ...GZIP, flush: Z_SYNC_FLUSH })
  // The response sees the error of the compressor, which is the one of the page.
  return pipeline(document, compressor, () => {})
}

const MAX_PADDING = 100

/**
 * A comment of random length. A page may repeat what a link sent, such as the words of a search, beside what is stored: without it the length of a
 * compressed answer would tell an observer whether the two are alike (the BREACH attack). Django's GZipMiddleware adds as much.
 */
function padding() {
  return `<!-- ${randomBytes(MAX_PADDING).toString('base64url').slice(0, randomInt(MAX_PADDING))} -->`
}
