import { codeOf } from '../core/error-code.ts'
import { OperatorError } from '../core/operator-error.ts'

/** The address and credentials by which a client connects to the database. */
interface Target {
  host: string
  port: number
  user?: string | undefined
  database?: string | undefined
  /** The setting that names it. */
  setting: DatabaseSetting
}

export type DatabaseSetting = 'DATABASE_URL' | 'DATABASE_REPLICA_URL' | '--to'

/** The server or a pooler before it does not keep the settings of a connection, so that its rows would be read wrongly. */
export class SettingsIgnored extends OperatorError {}

/** A pooler that knows no start-up options. */
const REFUSES_OPTIONS = '08P01'

/** The remedy for each SQLSTATE of the server. */
const ADVICE: Record<string, (said: string, target: Target) => string> = {
  [REFUSES_OPTIONS]: (_, { setting }) => dropsOptions(setting),
  '0A000': said => (/vector/.test(said) ? INSTALL_VECTOR : 'run PostgreSQL 15 or newer'),
  '25006': (_, { setting }) => `name a server that takes changes in ${setting}`,
  '28000': (said, { setting }) =>
    /no encryption|SSL off/.test(said)
      ? `add sslmode=verify-full to ${setting}, or sslmode=no-verify to use TLS without checking the certificate`
      : `correct the user in ${setting}, or let the role connect in pg_hba.conf`,
  '28P01': (_, { setting }) => `correct the user and password in ${setting}, or create the role`,
  '3D000': (_, { setting }) => `create the database, or correct its name in ${setting}`,
  '42501': adviceOnRights,
  '42P07': () => 'these tables are another program’s: give Parlance a database of its own',
  '53300': () => 'raise max_connections of the database server',
  '57P03': () => 'try again in a moment',
  '58P01': () => INSTALL_VECTOR
}
/** The remedy for a pooler that refuses the settings of a connection, or drops them. */
export function dropsOptions(setting: DatabaseSetting) {
  return `name PostgreSQL itself in ${setting}: a pooler such as PgBouncer drops the start-up options (docs/operations/poolers.md)`
}

export function sharesConnections(setting: DatabaseSetting) {
  return `name PostgreSQL itself in ${setting}, or set pool_mode=session at the pooler (docs/operations/poolers.md)`
}

const INSTALL_VECTOR = 'install pgvector on the database server'

/** The remedy by names in the message, because a server may write it in any language. */
function adviceOnRights(said: string, { user = 'the role', database = 'the database' }: Target) {
  if (/vector/.test(said)) return `run as a superuser in ${database}: create extension vector`
  if (/\bpublic\b/.test(said)) return `run as the owner of ${database}: grant usage, create on schema public to ${user}`
  if (said.includes(database)) return `run as the owner of ${database}: grant create on database ${database} to ${user}`
  return 'connect as the role that owns the tables'
}

const UNREACHABLE = /ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES|timeout|terminated/
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_/

/** The server in the sentences for operators. */
export function serverAt({ host, port }: Pick<Target, 'host' | 'port'>) {
  return `The database server at ${host.startsWith('/') ? host : `${host}:${port}`}`
}

/** Returns an error of connecting or migrating as a sentence that says what to do, and any other error unchanged. */
export function explain(error: unknown, target: Target, connected: boolean): unknown {
  if (!(error instanceof Error) || error instanceof OperatorError) return error
  if (error instanceof AggregateError) return explain(error.errors[0], target, connected)
  const code = codeOf(error)
  const server = serverAt(target)
  const advice = ADVICE[code]
  if (advice) {
    const sentence = `${server} says: ${error.message}; ${advice(error.message, target)}`
    return code === REFUSES_OPTIONS ? new SettingsIgnored(sentence, { cause: error }) : unusable(sentence)
  }
  if (error.cause instanceof Error) {
    const explained = explain(error.cause, target, connected)
    return explained === error.cause ? error : explained
  }
  if (connected) return error
  if (/does not support SSL/.test(error.message))
    return unusable(`${server} does not take TLS; turn TLS on there, or set sslmode=disable in ${target.setting}`)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return unusable(
      `${server} has the certificate of another host: ${error.message}; name a host of the certificate in ${target.setting}, or set sslmode=no-verify`
    )
  if (UNTRUSTED.test(code)) {
    // The rest is Node's advice to the person who starts it.
    const [reason] = error.message.split(';')
    const remedy =
      code === 'CERT_HAS_EXPIRED' ? 'renew it there' : `name its authority with sslrootcert=FILE in ${target.setting}`
    return unusable(
      `${server} has a certificate that cannot be trusted: ${reason}; ${remedy}, or set sslmode=no-verify`
    )
  }
  if (/password must be a string/.test(error.message))
    return unusable(`${server} asks for a password; put it into ${target.setting}`)
  if (UNREACHABLE.test(`${code} ${error.message}`))
    return unusable(
      `${server} does not answer: ${error.message}; start it, or correct the host and port in ${target.setting}`
    )
  return unusable(`${server} cannot be used: ${error.message}; correct ${target.setting}`)

  function unusable(sentence: string) {
    return new OperatorError(sentence, { cause: error })
  }
}
