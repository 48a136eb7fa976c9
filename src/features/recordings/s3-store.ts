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
import { codeOf } from '../../platform/core/error-code.ts'
import { connectionFailure } from '../../platform/net/connection-failure.ts'
import type { Outbound } from '../../platform/net/proxies.ts'
import { agentFor } from '../../platform/net/tunnel-agent.ts'
import type { MediaStore } from '../../platform/ports/media-store.ts'
import { DOWNLOAD_PREFIX } from './downloads.ts'
import { checkedKey, MediaError, PRESIGNED_SECONDS } from './store.ts'

interface S3Options extends Outbound {
  bucket: string
  /** Precedes every key; empty, or ends with a slash. */
  prefix: string
  region: string
  /** The URL of an S3-compatible server other than Amazon's. */
  endpoint: string | undefined
  /** The URL by which clients reach that server, if it is another one. */
  publicEndpoint?: string | undefined
  /** Puts the bucket into the host name, where it is in the path of other servers than Amazon's. */
  virtualHosted?: boolean
  /** Undefined if the AWS client has to find some. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined
  /** The socket timeout, and the deadline of a request without a recording. */
  timeoutMs?: number
}

/** A server that drips its response never reaches the socket timeout, so a recording also has a deadline by its size. */
const MIN_BYTES_PER_MS = 50

/** The maximum that one PutObject can store. */
const MAX_BYTES = 5 * 1024 ** 3

/** Stores recordings in a bucket, from which clients read them. Unless set, the AWS SDK's default chain finds credentials. */
export function s3Media(options: S3Options): MediaStore {
  const { bucket, prefix, endpoint, publicEndpoint, timeoutMs = 120_000 } = options
  const client = openClient(options, timeoutMs)
  const signer = publicEndpoint ? openClient({ ...options, endpoint: publicEndpoint }, timeoutMs) : client
  const objectOf = (key: string) => ({ Bucket: bucket, Key: prefix + checkedKey(key) })
  const deadlineMs = (bytes = 0) => timeoutMs + Math.ceil(bytes / MIN_BYTES_PER_MS)
  const within = (bytes?: number) => ({ abortSignal: AbortSignal.timeout(deadlineMs(bytes)) })
  const withMediaErrors = <T>(work: () => Promise<T>) =>
    work().catch((error: unknown) => Promise.reject(toMediaError(error, options)))

  async function put(key: string, path: string, contentType: string) {
    const { size } = await stat(path)
    if (size > MAX_BYTES)
      throw new MediaError('The recording is larger than 5 GiB, the most that goes into the bucket at once.')
    const about = {
      ContentLength: size,
      ContentType: contentType,
      ContentDisposition: `inline; filename="recording${extname(key)}"`,
      CacheControl: 'private'
    }
    const bytes = createReadStream(path)
    try {
      await client.send(new PutObjectCommand({ ...objectOf(key), ...about, Body: bytes }), within(size))
    } finally {
      // The SDK leaves it open when the request fails, and the disk would keep the removed file of an upload.
      bytes.destroy()
    }
    return size
  }

  async function get(key: string, path: string) {
    // The size is known only from the response, and the SDK observes the signal until the body has been read.
    const deadline = new AbortController()
    let timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      const { Body, ContentLength } = await client.send(new GetObjectCommand(objectOf(key)), {
        abortSignal: deadline.signal
      })
      if (!(Body instanceof Readable)) throw new MediaError('The bucket answered without the recording.')
      clearTimeout(timer)
      timer = setTimeout(() => deadline.abort(), deadlineMs(ContentLength))
      await pipeline(Body, createWriteStream(path, { mode: 0o600 }))
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    put: (key, path, contentType) => withMediaErrors(() => put(key, path, contentType)),
    async withFile(key, use) {
      const folder = await mkdtemp(join(tmpdir(), DOWNLOAD_PREFIX))
      try {
        const path = join(folder, `recording${extname(key)}`)
        await withMediaErrors(() => get(key, path))
        return await use(path)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    delete: key =>
      withMediaErrors(async () => void (await client.send(new DeleteObjectCommand(objectOf(key)), within()))),
    async check() {
      const probe = { Bucket: bucket, Key: `${prefix}parlance-check` }
      await withMediaErrors(async () => {
        await client.send(new PutObjectCommand({ ...probe, Body: 'check' }), within())
        await client.send(new GetObjectCommand(probe), within()).then(({ Body }) => Body?.transformToString())
        await client.send(new DeleteObjectCommand(probe), within())
      })
      return `s3://${bucket}/${prefix}${endpoint ? ` at ${endpoint}` : ''}`
    },
    close() {
      client.destroy()
      signer.destroy()
    },
    source: {
      // A presigned URL is valid for one method only.
      presign: (key, method, from) =>
        withMediaErrors(() => {
          const command = method === 'HEAD' ? new HeadObjectCommand(objectOf(key)) : new GetObjectCommand(objectOf(key))
          return getSignedUrl(signer, command, { signingDate: from, expiresIn: PRESIGNED_SECONDS })
        })
    }
  }
}

/** The URL of the server that requests go to. */
function serverOf({ bucket, region, endpoint, virtualHosted = false }: S3Options) {
  if (endpoint === undefined) return new URL(`https://${bucket}.s3.${region}.amazonaws.com`)
  const url = new URL(endpoint)
  return virtualHosted ? new URL(`${url.protocol}//${bucket}.${url.host}`) : url
}

function openClient(options: S3Options, timeoutMs: number) {
  const { region, endpoint, virtualHosted = false, credentials } = options
  const url = serverOf(options)
  const agent = agentFor(url, options)
  const agents = agent && { [url.protocol === 'https:' ? 'httpsAgent' : 'httpAgent']: agent }
  return new S3Client({
    region,
    ...(credentials && { credentials }),
    ...(endpoint && { endpoint, forcePathStyle: !virtualHosted }),
    // S3-compatible servers refuse the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK would log to the console. Its errors say the same.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: { connectionTimeout: 5_000, socketTimeout: timeoutMs, ...agents }
  })
}

const BAD_CREDENTIALS = /InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|AuthFailure/
const WRONG_REGION = /PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint/

function toMediaError(error: unknown, { bucket, region }: S3Options) {
  if (error instanceof MediaError) return error
  const name = error instanceof Error ? error.name : ''
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  const because = (sentence: string) => new MediaError(sentence, { cause: error })
  if (name === 'NoSuchBucket') return new MediaError(`There is no bucket ${bucket}; create it, or correct MEDIA_URL.`)
  if (name === 'NoSuchKey') return new MediaError('The recording is not in the bucket.')
  if (name === 'CredentialsProviderError')
    return new MediaError('There are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  if (BAD_CREDENTIALS.test(name) || status === 401)
    return because(
      `The bucket ${bucket} refuses the credentials (${name}); correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`
    )
  if (name === 'RequestTimeTooSkewed')
    return because(`The store of the bucket ${bucket} has another time than this machine; set its clock by NTP.`)
  if (WRONG_REGION.test(name) || status === 301)
    return because(`The bucket ${bucket} is not in the region ${region} (${name}); correct the region in MEDIA_URL.`)
  if (status === 403)
    return because(
      `The bucket ${bucket} does not allow it (${name}); allow s3:PutObject, s3:GetObject and s3:DeleteObject.`
    )
  const code = codeOf(error) || name || 'unknown error'
  if (code === 'ENOSPC') return because(`The disk for temporary files is full: ${tmpdir()}`)
  if (status !== undefined) return because(`The store of the bucket ${bucket} answers ${status} (${name}).`)
  const failure = connectionFailure(error)
  return because(
    failure
      ? `The store of the bucket ${bucket} ${failure.words} (${failure.code}); ${failure.remedy ?? 'start it, or correct the endpoint in MEDIA_URL'}.`
      : `The store of the bucket ${bucket} cannot be used (${code}).`
  )
}
