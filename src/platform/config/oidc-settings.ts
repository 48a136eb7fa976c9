import { z } from 'zod'
import { emailAddress } from '../../contract/email.ts'
import { OperatorError } from '../core/operator-error.ts'

const issuerError =
  'the https URL that the provider calls itself, without /.well-known/…; http only for a provider on this machine'

const issuerUrl = z.string().refine(isIssuer, issuerError)

/** Whoever could change the answers of a provider could sign in as anyone, so http is for this machine only. */
function isIssuer(text: string) {
  const url = URL.parse(text)
  if (!url || /[?#]/.test(text) || url.username !== '' || url.pathname.includes('/.well-known/')) return false
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
  )
}

/** Domains in the form in which those of addresses are compared. */
const domains = z
  .string()
  .transform(text => text.split(',').map(domain => emailAddress.safeParse(`x@${domain.trim()}`).data?.slice(2) ?? ''))
  .refine(list => !list.includes(''), 'whole domains such as example.com,example.org')
  .optional()

/** The settings of a provider of OpenID Connect. */
export const OIDC_SETTINGS = {
  OIDC_ISSUER: issuerUrl
    .optional()
    .describe(
      'OpenID Connect provider where people sign in to the console: the URL that it calls itself, such as `https://id.example.com/realms/main`. Needs `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`'
    ),
  OIDC_CLIENT_ID: z.string().optional().describe('Id of this server at the provider'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('Its secret at the provider'),
  OIDC_NAME: z
    .string()
    .max(60, 'at most 60 characters')
    .optional()
    .describe('Name of the provider on the sign-in page, such as `Example Inc.`; the host of `OIDC_ISSUER` unless set'),
  OIDC_ALLOWED_DOMAINS: domains.describe(
    'Domains whose addresses may sign in at the provider, separated by commas; `example.com` does not include its subdomains. Every domain unless set. Signing in by mail is not limited by it'
  )
}

type Settings = z.output<z.ZodObject<typeof OIDC_SETTINGS>>

const DEPENDENT = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME', 'OIDC_ALLOWED_DOMAINS'] as const

/** The provider where people sign in. Undefined without one. */
export function oidcProvider(settings: Settings) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = settings
  if (issuer === undefined) {
    const left = DEPENDENT.find(name => settings[name] !== undefined)
    if (left) throw new OperatorError(`OIDC_ISSUER: required with ${left}; set the URL that the provider calls itself`)
    return undefined
  }
  if (clientId === undefined)
    throw new OperatorError('OIDC_CLIENT_ID: required with OIDC_ISSUER; set the id of this server at the provider')
  if (clientSecret === undefined)
    throw new OperatorError('OIDC_CLIENT_SECRET: required with OIDC_ISSUER; set the secret of that id')
  const name = settings.OIDC_NAME ?? new URL(issuer).host
  return { issuer, clientId, clientSecret, name, allowedDomains: settings.OIDC_ALLOWED_DOMAINS ?? [] }
}
