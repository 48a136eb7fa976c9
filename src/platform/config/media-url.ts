import { z } from 'zod'
import type { Refusal } from '../core/api-error.ts'
import { httpUrl } from './settings.ts'

export interface BucketAddress {
  bucket: string
  /** The prefix of every key: empty, or ending in a slash. */
  prefix: string
  region: string
  endpoint: string | undefined
  /** The URL by which clients reach the endpoint, if it is another one. */
  publicEndpoint: string | undefined
  /** The bucket is in the host name, not in the path. */
  virtualHosted: boolean
}

export const mediaUrl = z.string().transform((text, context) => {
  const read = readMediaUrl(text)
  if ('bucket' in read) return read
  context.addIssue({ code: 'custom', message: read.expected ?? '', params: { problem: read.problem } })
  return z.NEVER
})

const PARAMETERS = ['region', 'endpoint', 'public_endpoint', 'style']

/** Returns the bucket, or why its address is refused. */
function readMediaUrl(text: string): BucketAddress | Refusal {
  if (!/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]([/?]|$)/.test(text) || !URL.canParse(text))
    return {
      expected:
        's3://bucket?region=…&endpoint=…, where the bucket has 3 to 63 lower-case letters, digits, dots and hyphens'
    }
  const { host, pathname, searchParams } = new URL(text)
  const unknown = [...searchParams.keys()].find(name => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    return { problem: `has no parameter ${unknown}`, expected: 'region, endpoint, public_endpoint and style' }
  const [region = 'us-east-1', endpoint, publicEndpoint, style = 'path'] = PARAMETERS.map(
    name => searchParams.get(name) || undefined
  )
  for (const [name, url] of Object.entries({ endpoint, public_endpoint: publicEndpoint }))
    if (url !== undefined && !httpUrl.safeParse(url).success) return { expected: `an http or https URL as the ${name}` }
  if (publicEndpoint && !endpoint) return { problem: 'has a public_endpoint alone', expected: 'endpoint beside it' }
  if (style !== 'path' && style !== 'virtual') return { expected: 'path or virtual as the style' }
  const path = pathname.replace(/^\/+|\/+$/g, '')
  return {
    bucket: host,
    prefix: path && `${path}/`,
    region,
    endpoint,
    publicEndpoint,
    virtualHosted: style === 'virtual'
  }
}
