import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { DOWNLOAD_PREFIX } from './downloads.ts'
import { checkedKey, MediaError, type MediaStore, PRESIGNED_SECONDS } from './media.ts'

export interface S3Options {
  bucket: string
  /** Stands before every key; empty, or with a slash at its end. */
  prefix: string
  region: string
  /** Another server than Amazon's. */
  endpoint: string | undefined
  /** How long its server may be silent, and how long a request without a recording may take. */
  waitMs?: number
}

/** A server that drips its answer without end is never silent. Slower than this is nobody's line. */
const LEAST_BYTES_PER_MS = 50

/** What one request can store; a larger recording would have to be sent in parts. */
const MOST_BYTES = 5 * 1024 ** 3

/** Keeps recordings in a bucket, which sends them itself. Credentials come from where the AWS tools look for them. */
export function s3Media({ bucket, prefix, region, endpoint, waitMs = 120_000 }: S3Options): MediaStore {
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Other servers than Amazon's refuse the checksums that the SDK adds of its own accord.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would speak on the console. What it has to say comes as an error.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: { connectionTimeout: 5_000, socketTimeout: waitMs }
  })
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + checkedKey(key) })
  const timeFor = (bytes = 0) => waitMs + Math.ceil(bytes / LEAST_BYTES_PER_MS)
  const within = (bytes?: number) => ({ abortSignal: AbortSignal.timeout(timeFor(bytes)) })
  const told = <T>(work: () => Promise<T>) => work().catch((fault: unknown) => Promise.reject(toMediaError(fault, bucket)))

  async function put(key: string, path: string, contentType: string) {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw new MediaError('The recording is larger than 5 GiB, the most that goes into the bucket at once.')
    const about = { ContentLength: size, ContentType: contentType, ContentDisposition: 'inline', CacheControl: 'private' }
    await client.send(new PutObjectCommand({ ...at(key), ...about, Body: createReadStream(path) }), within(size))
    return size
  }

  async function get(key: string, path: string) {
    // The SDK heeds the signal until the whole body is there, whose length only the answer tells.
    const late = new AbortController()
    let timer = setTimeout(() => late.abort(), waitMs)
    try {
      const { Body, ContentLength } = await client.send(new GetObjectCommand(at(key)), { abortSignal: late.signal })
      if (!(Body instanceof Readable)) throw new MediaError('The bucket answered without the recording.')
      clearTimeout(timer)
      timer = setTimeout(() => late.abort(), timeFor(ContentLength))
      await pipeline(Body, createWriteStream(path, { mode: 0o600 }))
    } catch (fault) {
      throw late.signal.aborted ? late.signal.reason : fault
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    put: (key, path, contentType) => told(() => put(key, path, contentType)),
    async withFile(key, use) {
      const folder = await mkdtemp(join(tmpdir(), DOWNLOAD_PREFIX))
      try {
        const path = join(folder, `recording${extname(key)}`)
        await told(() => get(key, path))
        return await use(path)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    delete: key => told(async () => void (await client.send(new DeleteObjectCommand(at(key)), within()))),
    async check() {
      const probe = { Bucket: bucket, Key: `${prefix}parlance-check` }
      await told(async () => {
        await client.send(new PutObjectCommand({ ...probe, Body: 'check' }), within())
        await client.send(new GetObjectCommand(probe), within()).then(({ Body }) => Body?.transformToString())
        await client.send(new DeleteObjectCommand(probe), within())
      })
      return `s3://${bucket}/${prefix}${endpoint ? ` at ${endpoint}` : ''}`
    },
    close: () => client.destroy(),
    source: {
      // A bucket checks the method too.
      presign: (key, method, from) =>
        told(() => {
          const command = method === 'HEAD' ? new HeadObjectCommand(at(key)) : new GetObjectCommand(at(key))
          return getSignedUrl(client, command, { signingDate: from, expiresIn: PRESIGNED_SECONDS })
        })
    }
  }
}

function toMediaError(fault: unknown, bucket: string) {
  if (fault instanceof MediaError) return fault
  const name = fault instanceof Error ? fault.name : ''
  const status = fault instanceof S3ServiceException ? fault.$metadata.httpStatusCode : undefined
  if (name === 'NoSuchBucket') return new MediaError(`There is no bucket ${bucket}; create it, or correct MEDIA_URL.`)
  if (name === 'NoSuchKey') return new MediaError('The recording is not in the bucket.')
  if (name === 'CredentialsProviderError')
    return new MediaError('There are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  if (status === 401 || status === 403) return new MediaError(`The bucket ${bucket} refuses the credentials (${name}).`, { cause: fault })
  if (name === 'AbortError') return new MediaError(`The store of the bucket ${bucket} answers too slowly.`, { cause: fault })
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : name || 'unknown fault'
  if (code === 'ENOSPC') return new MediaError(`The disk for temporary files is full: ${tmpdir()}`, { cause: fault })
  return new MediaError(`The store of the bucket ${bucket} cannot be used (${status ? `${status} ${name}` : code}).`, { cause: fault })
}
