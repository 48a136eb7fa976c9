import { z } from 'zod'
import { pathId, sentOnce, timestamp } from './common.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'

export const uploadId = pathId('The id of the upload.', 'upl_01m7x9fbe4fey9tg3s33gak8w3')

/** The version of the tus protocol. */
export const TUS_VERSION = '1.0.0'
export const TUS_EXTENSIONS = [
  'creation',
  'creation-defer-length',
  'creation-with-upload',
  'termination',
  'expiration',
  'checksum'
] as const
export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256', 'md5'] as const

/** The content type of a part. */
export const PART_TYPE = 'application/offset+octet-stream'

const lengthError = `a whole number from 1 to ${LIMITS.uploadBytes}`
const oneLengthError = `${lengthError}, or Upload-Defer-Length: 1 in its place`
const deferError = '1, or leave it out'
const offsetError = `a whole number from 0 to ${LIMITS.uploadBytes}`
const metadataError = `at most ${FIELD_LIMITS.uploadMetadata} characters of ASCII with filename, the name of the file in base64`
const concatError = 'the file as one upload: this server joins none'
const checksumError = `the algorithm ${CHECKSUM_ALGORITHMS.join(', ')} and the digest in base64`

/** A header that holds a whole number. */
function wholeHeader(min: number, error: string) {
  return z
    .string(error)
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .refine(value => value >= min && value <= LIMITS.uploadBytes, error)
}

/** The header that the plugin checks before others, because a wrong version has an answer of its own. */
const version = z
  .string()
  .max(FIELD_LIMITS.tusVersion)
  .optional()
  .meta({ description: 'The version of tus.', examples: [TUS_VERSION] })

export const TusHeaders = z.looseObject({ 'tus-resumable': version })

export const CreateUploadHeaders = TusHeaders.extend({
  'upload-length': wholeHeader(1, lengthError)
    .optional()
    .meta({
      description: 'The bytes of the whole file. Required without `Upload-Defer-Length`.',
      examples: ['1048576']
    }),
  // No enumeration, whose value the reference page would send beside a length.
  'upload-defer-length': z.string(deferError).regex(/^1$/, deferError).optional().meta({
    description:
      '`1` in place of `Upload-Length` while the length is not known, as of a recording that goes on. A PATCH sends it later.'
  }),
  'upload-metadata': z
    .string(metadataError)
    .max(FIELD_LIMITS.uploadMetadata, metadataError)
    .regex(/^[!-~ ]+$/, metadataError)
    .meta({
      description: '`filename` and the name of the file in base64. Clients may send more pairs, which are not used.',
      examples: ['filename d2Vla2x5LnZ0dA==']
    }),
  // Refused before its bytes are sent: a client that sends parts side by side would find out when it asks to join them.
  'upload-concat': z.undefined(concatError).optional().meta({ description: 'Refused: this server joins no uploads.' })
}).refine(sent => (sent['upload-length'] === undefined) !== (sent['upload-defer-length'] === undefined), {
  path: ['upload-length'],
  error: oneLengthError
})

export const AppendHeaders = TusHeaders.extend({
  'upload-offset': wholeHeader(0, offsetError).meta({
    description: 'The number of bytes that the server has already.',
    examples: ['0']
  }),
  'upload-length': wholeHeader(1, lengthError).optional().meta({
    description:
      'The bytes of the whole file, once they are known: with the last bytes or before, for an upload that began with `Upload-Defer-Length`.'
  }),
  'upload-checksum': z
    .string(checksumError)
    .regex(new RegExp(`^(?:${CHECKSUM_ALGORITHMS.join('|')}) [A-Za-z0-9+/]{20,60}={0,2}$`), checksumError)
    .max(FIELD_LIMITS.uploadChecksum, checksumError)
    .optional()
    .meta({
      description: 'A digest of the body. If it differs, the body is refused with 460 and nothing of it is kept.'
    })
})

/** An upload in parts. */
export const PartUpload = z
  .object({
    id: z.string().meta({ description: 'The id by which the file is imported.' }),
    offset: z.number().int().meta({ description: 'The bytes that have arrived.' }),
    bytes: z.number().int().nullable().meta({
      description: 'The bytes of the whole file. Null for an upload that began with `Upload-Defer-Length`.'
    }),
    expires_at: timestamp.meta({ description: 'When the upload is removed.' })
  })
  .meta({ id: 'PartUpload' })

/** The query parameter that names a finished upload. */
export const finishedUpload = z
  .string(sentOnce('the id of a finished upload'))
  .max(FIELD_LIMITS.id, 'the id of a finished upload')
  .optional()
  .meta({
    description:
      'The id of a finished upload to `/v1/uploads`, whose file is imported. Send no body and no `file` with it.'
  })
