/**
 * The part of the Postgres wire protocol that is needed to share one session among several clients:
 * cutting a byte stream into units that leave the session ready, and keeping prepared statements apart.
 */

const SSL_REQUEST = 80877103
const GSS_REQUEST = 80877104
const CANCEL_REQUEST = 80877102
const QUERY = 0x51
const SYNC = 0x53
const TERMINATE = 0x58
const PARSE = 0x50
const BIND = 0x42
const DESCRIBE = 0x44
const CLOSE = 0x43
const STATEMENT = 0x53
const READY_FOR_QUERY = 0x5a
const ERROR = 0x45

/** How the names of Parlance's own connections begin. Another program would leave settings and tables in the one session of all. */
const OWN_NAMES = 'parlance '
/** FATAL, and the code of a connection that the server does not want. */
const REFUSAL = Buffer.from(
  'SFATAL\0VFATAL\0C08004\0MThe embedded database serves Parlance alone; use the parlance command, or DATABASE_URL with a PostgreSQL of your own\0\0'
)

type MessageUnit =
  | { kind: 'refuse-encryption' }
  | { kind: 'refuse'; answer: Buffer }
  | { kind: 'leave' }
  | { kind: 'run'; bytes: Uint8Array }

/** Malformed bytes: the messages after them cannot be separated. */
class ProtocolError extends Error {}

/** Collects the bytes of one client and yields whole units, each ending where the server answers "ready". */
export class UnitReader {
  private chunks: Buffer[] = []
  private received = 0
  /** The length of the next message, or of its header while that is incomplete. */
  private needed = 0
  private started = false
  private messages: Buffer[] = []
  private readonly prefix: Buffer
  /** The statements that this client has prepared, by the name that the engine knows. */
  readonly prepared = new Set<string>()
  /** The statement timeout of this client; 0 for none. */
  statementTimeoutMs = 0

  /** `client` keeps the names of this client's prepared statements apart from those of others. */
  constructor(client: number) {
    this.prefix = Buffer.from(`c${client}_`)
  }

  *push(chunk: Buffer): Generator<MessageUnit> {
    this.chunks.push(chunk)
    this.received += chunk.length
    // Joining a message at each of its chunks would take quadratic time.
    if (this.received < this.needed) return
    let rest = Buffer.concat(this.chunks)
    for (let message = this.first(rest); message; message = this.first(rest)) {
      rest = rest.subarray(message.length)
      const unit = this.started ? this.continueUnit(message) : this.start(message)
      if (unit) yield unit
    }
    this.chunks = rest.length > 0 ? [rest] : []
    this.received = rest.length
  }

  /** Returns the first message, if it is complete. */
  private first(bytes: Buffer) {
    const header = this.started ? 1 : 0
    this.needed = header + 4
    if (bytes.length < this.needed) return
    this.needed = header + bytes.readInt32BE(header)
    // A length counts itself, and a greeting has a code after it.
    if (this.needed < (this.started ? 5 : 8)) throw new ProtocolError('A message without a length')
    return bytes.length < this.needed ? undefined : bytes.subarray(0, this.needed)
  }

  private start(message: Buffer): MessageUnit {
    const code = message.readInt32BE(4)
    if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'refuse-encryption' }
    if (code === CANCEL_REQUEST) return { kind: 'leave' }
    this.started = true
    const parameters = readParameters(message.toString('utf8', 8))
    this.statementTimeoutMs = Number(parameters.get('statement_timeout')) || 0
    if (parameters.get('application_name')?.startsWith(OWN_NAMES)) return { kind: 'run', bytes: message }
    return { kind: 'refuse', answer: errorMessage(REFUSAL) }
  }

  private continueUnit(message: Buffer): MessageUnit | undefined {
    const type = message[0]
    if (type === TERMINATE) return { kind: 'leave' }
    this.messages.push(this.renamed(message))
    if (type !== QUERY && type !== SYNC) return
    const bytes = Buffer.concat(this.messages)
    this.messages = []
    return { kind: 'run', bytes }
  }

  /** Adds this client's prefix to the prepared statement that the message names. The unnamed statement stays unnamed. */
  private renamed(message: Buffer) {
    const at = statementNameAt(message)
    if (at === undefined || message[at] === 0) return message
    const renamed = Buffer.concat([message.subarray(0, at), this.prefix, message.subarray(at)])
    renamed.writeInt32BE(message.readInt32BE(1) + this.prefix.length, 1)
    const name = renamed.toString('utf8', at, renamed.indexOf(0, at))
    if (message[0] === PARSE) this.prepared.add(name)
    if (message[0] === CLOSE) this.prepared.delete(name)
    return renamed
  }
}

function errorMessage(fields: Buffer) {
  const header = Buffer.alloc(5)
  header[0] = ERROR
  header.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([header, fields])
}

/** The names and values of a greeting, each of which ends with a zero. */
function readParameters(text: string) {
  const words = text.split('\0')
  return new Map(words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? '']] : [])))
}

function statementNameAt(packet: Buffer) {
  switch (packet[0]) {
    case PARSE:
      return 5
    case BIND:
      return packet.indexOf(0, 5) + 1
    case DESCRIBE:
    case CLOSE:
      return packet[5] === STATEMENT ? 6 : undefined
    default:
      return undefined
  }
}

/**
 * Returns the last message of an engine that gives up, for example on a full disk; it never answers again. Undefined for any
 * other answer, which ends with "ready".
 */
export function panicIn(answer: Buffer) {
  if (answer[answer.length - 6] === READY_FOR_QUERY) return undefined
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readInt32BE(at + 1)) {
    if (answer[at] !== ERROR) continue
    const fields = answer.toString('utf8', at + 5, at + 1 + answer.readInt32BE(at + 1)).split('\0')
    if (fields.includes('VPANIC')) return fields.find(field => field.startsWith('M'))?.slice(1) ?? 'unknown'
  }
}

/** Returns whether the answer to a unit leaves the session inside a transaction. */
export function leavesTransactionOpen(answer: Buffer) {
  const ready = answer.length - 6
  return ready >= 0 && answer[ready] === READY_FOR_QUERY && answer[ready + 5] !== 'I'.charCodeAt(0)
}
