import { readFileSync } from 'node:fs'
import { codeOf } from '../core/error-code.ts'

export type Variables = Record<string, string | undefined>

/** Settings of which only whether they are set is ever shown: keys, certificates and tokens. */
export const KEYS = [
  'SECRET_KEY',
  'APP_API_KEY',
  'OPENAI_API_KEY',
  'EMBEDDING_API_KEY',
  'TRANSCRIPTION_API_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'OUTBOUND_CLIENT_CERT',
  'OUTBOUND_CLIENT_KEY',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS'
]

/** Settings that may be in a file, which `<name>_FILE` names: these, and the URLs that may hold a password. */
export const SECRETS = ['DATABASE_URL', 'DATABASE_REPLICA_URL', ...KEYS, 'HTTPS_PROXY', 'HTTP_PROXY', 'SMTP_URL']

/** Other programs read these in lower case, and prefer that. */
const ALSO_IN_LOWER_CASE = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']

/** Why the file of a secret cannot be read. A container runtime makes a folder in place of a file that is not there. */
const UNREADABLE: Record<string, (path: string) => string> = {
  ENOENT: path => `there is no file ${path}; create it, or correct the path`,
  ENOTDIR: path => `there is no file ${path}; create it, or correct the path`,
  EISDIR: path => `${path} is a folder; name the file with the secret`,
  EACCES: path => `${path} may not be read by the server's user; let that user read it`
}

/** The variables that are set, with the secrets that files hold, and a sentence for each file that cannot be used. */
export function readVariables(environment: Variables) {
  const variables = given(environment)
  const errors: string[] = []
  for (const name of SECRETS) {
    const path = variables[`${name}_FILE`]
    if (path === undefined) continue
    const found =
      variables[name] === undefined ? readSecret(path) : { problem: `${name} is set as well; set only one of them` }
    if (found.problem === undefined) variables[name] = found.secret
    else errors.push(`${name}_FILE: ${found.problem}`)
  }
  return { variables, errors }
}

/** An empty value counts as not set. */
function given(environment: Variables): Variables {
  const lowerCase = ALSO_IN_LOWER_CASE.map(name => [name, environment[name.toLowerCase()]] as const)
  const isSet = ([, value]: readonly [string, string | undefined]) => value !== undefined && value !== ''
  return Object.fromEntries([...Object.entries(environment), ...lowerCase].filter(isSet))
}

/** Editors and `echo` end a file with a line break, which is no part of the secret. */
function readSecret(path: string): { secret: string; problem?: undefined } | { problem: string } {
  try {
    const secret = readFileSync(path, 'utf8').trimEnd()
    return secret === '' ? { problem: `${path} is empty; write the secret into it` } : { secret }
  } catch (error) {
    const code = codeOf(error)
    return { problem: UNREADABLE[code]?.(path) ?? `${path} cannot be read (${code}); name another file` }
  }
}
