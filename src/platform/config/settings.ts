import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** Parsers of setting values. */

export const port = (fallback: number) =>
  z
    .string()
    .refine(text => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'a port number from 0 to 65535')
    .transform(Number)
    .default(fallback)

export const count = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'a whole number from 1')
    .transform(Number)
    .default(fallback)

export const tokens = (min: number) =>
  z
    .string()
    .refine(text => /^\d{1,7}$/.test(text) && Number(text) >= min, `a number of tokens from ${min}`)
    .transform(Number)

/** A quota, where 0 is no limit. */
export const quota = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'a whole number, or 0 for no limit')
    .transform(Number)
    .default(fallback)

/** A number of days, where 0 is for ever. */
export const days = z
  .string()
  .regex(/^\d{1,5}$/, 'a whole number of days, or 0 for ever')
  .transform(text => Number(text) || undefined)
  .optional()

export const seconds = (fallback: number, max: number) =>
  z
    .string()
    .refine(text => /^\d{1,5}(\.\d{1,3})?$/.test(text) && Number(text) <= max, `a number of seconds from 0 to ${max}`)
    .transform(Number)
    .default(fallback)

export const booleanSetting = z
  .enum(['true', 'false', '1', '0'], 'true or false')
  .transform(value => value === 'true' || value === '1')
  .default(false)

export const cidrs = z
  .string()
  .transform(text => text.split(',').map(cidr => cidr.trim()))
  .refine(list => list.every(cidr => ipaddr.isValidCIDR(cidr)), 'networks such as 10.0.0.0/8,::1/128')
  .optional()

const originsError = 'origins such as https://app.example.com,https://tools.example.com'

export const origins = z
  .string()
  .transform(text => text.split(',').map(origin => origin.trim()))
  .refine(list => list.every(isOrigin), originsError)
  .optional()

export const hostNames = z
  .string()
  .transform(text => text.split(',').map(name => name.trim().toLowerCase()))
  .refine(
    list => list.every(name => /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(name)),
    'names such as admin.example.com,metrics.example.com'
  )

/** Apps and extensions have schemes of their own, such as capacitor://localhost, for which URL knows no origin. */
function isOrigin(text: string) {
  if (/^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text
  return /^[a-z][a-z0-9+.-]{0,30}:\/\/[\w.-]{1,200}$/.test(text)
}

const proxiesError =
  'the number of proxies in front, such as 1, or their addresses and networks, such as 10.0.0.0/8,::1'

/** `true` would trust the whole X-Forwarded-For header, which every client can forge. */
export const proxies = z
  .string()
  .transform(text =>
    text === 'false' ? false : /^\d{1,2}$/.test(text) ? Number(text) || false : text.split(',').map(part => part.trim())
  )
  .refine(
    trusted => !Array.isArray(trusted) || trusted.every(part => isIP(part) !== 0 || ipaddr.isValidCIDR(part)),
    proxiesError
  )
  .default(false)

export const mailbox = z
  .string()
  .regex(
    /^(?:[^<>@\p{Cc}"]*<[^\s<>@"]+@[^\s<>@"]+>|[^\s<>@"]+@[^\s<>@"]+)$/u,
    'an address such as Parlance <parlance@example.com>'
  )

const SEVERAL_HOSTS = 'names several hosts; name one address that leads to the primary server, such as that of HAProxy'

export const postgresUrl = z
  .string()
  .refine(url => !namesSeveralHosts(url), { error: SEVERAL_HOSTS, params: { problem: SEVERAL_HOSTS }, abort: true })
  .refine(
    isPostgresUrl,
    'a URL such as postgres://user:password@host:5432/database, with / ? # @ of the password encoded'
  )
  .superRefine((url, context) => {
    const missing = missingFileOf(url)
    if (!missing) return
    const message = `names a file that is not there: ${missing}`
    context.addIssue({ code: 'custom', message, params: { problem: message } })
  })
  // The driver verifies certificates for all of these; only verify-full does so without a warning.
  .transform(url =>
    /uselibpqcompat/.test(url) ? url : url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
  )

/** As libpq takes them, with a comma after a host or its port. The driver does not. */
function namesSeveralHosts(url: string) {
  return /^postgres(ql)?:\/\/(?:[^@/?#]*@)?[^@/?#]*,[^@/?#]*(?:[/?#]|$)/.test(url)
}

/** With a socket parameter the driver ignores the host. An @ after the host belongs to a password that is not percent-encoded. */
function isPostgresUrl(url: string) {
  const text = url.replace('@/', '@socket/')
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false
  const { pathname, hash } = new URL(text)
  return !`${pathname}${hash}`.includes('@')
}

/** Returns a certificate file of the URL that does not exist. The driver reads these files as soon as it has the URL. */
function missingFileOf(url: string) {
  const parameters = URL.parse(url.replace('@/', '@socket/'))?.searchParams
  const paths = ['sslrootcert', 'sslcert', 'sslkey'].map(name => parameters?.get(name))
  return paths.find(path => path && !existsSync(path))
}

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https URL' })
  .transform(url => url.replace(/\/+$/, ''))

export const proxyUrl = z
  .string()
  .refine(url => isProxyUrl(url), 'a URL such as http://proxy.example:3128, with the user and password percent-encoded')

function isProxyUrl(text: string) {
  if (!/^https?:\/\/./.test(text) || !URL.canParse(text) || !decodes(text)) return false
  const { pathname, search, hash } = new URL(text)
  return `${pathname}${search}${hash}` === '/'
}

const NETWORK = /\/\d+$/

export const noProxy = z
  .string()
  .transform(text => text.split(/[\s,]+/).filter(entry => entry !== ''))
  .refine(
    list => list.every(entry => !entry.includes('/') || (NETWORK.test(entry) && ipaddr.isValidCIDR(entry))),
    'hosts and networks such as localhost,.example.com,10.0.0.0/8'
  )
  .optional()

/** nodemailer decodes user and password before it sends them. */
export const smtpUrl = z
  .string()
  .refine(
    url => /^smtps?:\/\/./.test(url) && URL.canParse(url) && decodes(url),
    'smtp://user:password@host:587 or smtps://…'
  )

function decodes(url: string) {
  try {
    return decodeURIComponent(url) !== ''
  } catch {
    return false
  }
}

/** Pairs as OpenTelemetry has them: `name=value`, separated by commas and percent-encoded. */
const pairs = (name: RegExp, error: string) =>
  z
    .string()
    .refine(text => text.split(',').every(pair => name.test(pair)) && decodes(text), error)
    .transform(text =>
      Object.fromEntries(text.split(',').map(pair => pair.split('=').map(part => decodeURIComponent(part.trim()))))
    )
    .pipe(z.record(z.string(), z.string()))
    .optional()

export const resourceAttributes = pairs(
  /^\s*[^\s=]+\s*=[^=]*$/,
  'pairs such as deployment.environment.name=production,team=notes, with , and = of a value encoded'
)

export const headers = pairs(
  /^\s*[\w!#$&'*+.^`|~-]+\s*=(?!.*%(?:0|1|7f))[^=]*$/i,
  'pairs such as authorization=Bearer%20abc,x-team=notes, with , and = of a value encoded'
)
