import { ConfigError } from '../config.ts'
import { ApiError } from '../core/api-error.ts'
import { DataDirUnusable } from '../core/data-dir.ts'
import { DataDirInUse } from '../db/embedded/engine.ts'
import { DatabaseUnusable } from '../db/explain.ts'
import { loggable } from '../db/faults.ts'
import { SchemaInUse, SchemaTooNew } from '../db/migrate.ts'
import { CannotListen } from '../http/listen.ts'

/** A command that could not do what it was asked; the message is a sentence for the operator. */
export class CommandFailed extends Error {
  /** Whether the operator has been told already, line by line. */
  readonly reported: boolean

  constructor(message: string, { reported = false } = {}) {
    super(message)
    this.reported = reported
  }
}

/** A command called in a way that its options alone do not rule out. */
export class UsedWrongly extends CommandFailed {}

const OURS = [CannotListen, CommandFailed, ConfigError, DatabaseUnusable, SchemaTooNew, SchemaInUse, DataDirInUse, DataDirUnusable]

/** Waits for what a command shares with the API; what the API would refuse is a command that failed. */
export async function orFail<T>(work: Promise<T>): Promise<T> {
  return await work.catch((fault: unknown) => {
    throw fault instanceof ApiError ? new CommandFailed(fault.message) : fault
  })
}

/** One sentence on standard error, and no stack: whoever runs a command wants to know what to do. */
export function reportFault(fault: unknown) {
  console.error(isOwn(fault) ? reasonOf(fault) : `Failed: ${reasonOf(fault)}`)
}

function isOwn(fault: unknown) {
  return OURS.some(kind => fault instanceof kind)
}

/** What was at the bottom of it, without anything that may hold data. */
export function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  if (isOwn(fault)) return fault.message
  if (fault instanceof AggregateError && fault.errors[0] instanceof Error) return reasonOf(fault.errors[0])
  if (fault.cause instanceof Error) return reasonOf(fault.cause)
  const { message, code } = loggable(fault)
  return message === fault.message ? fault.message : `${message} (SQLSTATE ${code})`
}

/** One value: as JSON, or in words. */
export function show(json: boolean | undefined, value: object, words: string) {
  console.log(json ? JSON.stringify(value) : words)
}

/** A list: a JSON value a line, or a table. */
export function showList(json: boolean | undefined, rows: Record<string, unknown>[]) {
  if (json) for (const row of rows) console.log(JSON.stringify(row))
  else if (rows.length === 0) console.log('None.')
  else console.log(table(rows))
}

function table(rows: Record<string, unknown>[]) {
  const keys = Object.keys(rows[0] ?? {})
  const lines = [keys, ...rows.map(row => keys.map(key => String(row[key] ?? '-')))]
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
