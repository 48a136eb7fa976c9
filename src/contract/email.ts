import { z } from 'zod'
import { sentOnce } from './common.ts'
import { LIMITS } from './limits.ts'

const error = 'an e-mail address'

/** zod's pattern, except that the last label of the domain may be international. */
const ADDRESS = /^(?!\.)(?!.*\.\.)[a-z0-9_'+.-]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/

/** Letters, marks, digits, joiners, hyphens and dots of all scripts. A slash would end the host of a URL. */
const INTERNATIONAL_DOMAIN = /^(?=.*\P{ASCII})[\p{L}\p{M}\p{N}\p{Join_Control}.。．｡-]{1,253}$/u

/** Returns the form in which addresses are stored and compared: lower case, with the domain in ASCII. */
export function normalizeEmail(text: string) {
  const email = text.trim().toLowerCase()
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (!INTERNATIONAL_DOMAIN.test(domain)) return email
  return email.slice(0, -domain.length) + (URL.parse(`http://${domain}`)?.hostname ?? '')
}

export const emailAddress = z
  .string(sentOnce(error))
  .overwrite(normalizeEmail)
  .max(LIMITS.sharing.email, error)
  .regex(ADDRESS, error)
  .meta({ format: 'email', pattern: undefined, examples: ['ada@example.com'] })
