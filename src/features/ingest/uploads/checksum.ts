import { createHash } from 'node:crypto'
import { PassThrough, Transform } from 'node:stream'
import type { CHECKSUM_ALGORITHMS } from '../../../contract/part-upload.ts'
import { ApiError } from '../../../platform/core/api-error.ts'

export interface Checksum {
  algorithm: (typeof CHECKSUM_ALGORITHMS)[number]
  digest: Buffer
}

/** The status of tus for bytes that do not have their checksum. */
const CHECKSUM_MISMATCH = 460

/** Returns a stream that computes the digest of what passes, and a function that throws if it is not the one of the checksum. */
export function hashing(checksum: Checksum | undefined) {
  if (checksum === undefined) return { stream: new PassThrough(), verify() {} }
  const hash = createHash(checksum.algorithm)
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    }
  })
  return {
    stream,
    verify() {
      if (hash.digest().equals(checksum.digest)) return
      throw new ApiError('invalid_request', 'The bytes do not have their checksum; send them again', {
        field: 'upload_checksum',
        status: CHECKSUM_MISMATCH
      })
    }
  }
}
