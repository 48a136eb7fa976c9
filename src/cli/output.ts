import { oneLine } from '../contract/text.ts'
import type { Config } from '../platform/config/config.ts'
import { ApiError, describeError } from '../platform/core/api-error.ts'
import { OperatorError } from '../platform/core/operator-error.ts'
import { printable, printableJson } from '../platform/text/printable.ts'

/** The failure of a command; exit code 1. */
export class CommandFailed extends OperatorError {
  /** True if the errors were printed already, line by line. */
  readonly reported: boolean

  constructor(message: string, { reported = false } = {}) {
    super(message)
    this.reported = reported
  }
}

/** Wrong usage that the option parser cannot detect; exit code 2. */
export class UsedWrongly extends CommandFailed {}

/** Turns an error of an operation into a failed command. `absent` is the sentence for a subject that does not exist. */
export async function orFail<T>(work: Promise<T>, absent?: string): Promise<T> {
  return await work.catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    const isAbsent = error.code === 'not_found' && error.field === undefined && absent !== undefined
    throw new CommandFailed(isAbsent ? absent : describeError(error, 'give'))
  })
}

/** Like `orFail`, and says that the user has no such thing. */
export async function orUnknown<T>(what: string, work: Promise<T>): Promise<T> {
  return await orFail(work, `The user has no ${what}`)
}

/** Prints words, without control characters of others. */
export function print(words: string) {
  console.log(printable(words))
}

/** Prints a line that is no result, such as a warning, on standard error. */
export function printError(words: string) {
  console.error(oneLine(words))
}

/** Prints a value on one line. */
export function printJson(value: object) {
  console.log(printableJson(value))
}

/** Prints one value: as JSON, or as text. */
export function show(json: boolean | undefined, value: object, words: string) {
  if (json) printJson(value)
  else print(words)
}

/** Like `show`, for a command that has changed something: the words end with the database that has the change. */
export function showDone({ config }: { config: Config }, json: boolean | undefined, value: object, words: string) {
  show(json, value, `${words}\n${placeOf(config)}`)
}

/** Names the database of a command, without its password. */
export function placeOf({ database }: Config) {
  return `In ${nameOf(database)}.`
}

function nameOf({ url, dataDir }: Config['database']) {
  if (url === undefined) return `the embedded database in ${dataDir}`
  // A URL with a socket has no host.
  const { host, pathname, searchParams } = new URL(url.replace('@/', '@socket/'))
  return `the database ${decodeURIComponent(pathname.slice(1))} at ${searchParams.get('host') ?? host}`
}

/** Prints a list: one JSON value per line, or a table with one row per line, even if a value contains line breaks. */
export function showList(json: boolean | undefined, rows: Record<string, unknown>[]) {
  if (json) for (const row of rows) printJson(row)
  else print(rows.length === 0 ? 'None.' : table(rows))
}

function table(rows: Record<string, unknown>[]) {
  const keys = Object.keys(rows[0] ?? {})
  const lines = [keys, ...rows.map(row => keys.map(key => oneLine(String(row[key] ?? '-'))))]
  const widths = keys.map((_, column) => Math.max(...lines.map(line => (line[column] ?? '').length)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}
