import { OperatorError } from '../platform/core/operator-error.ts'
import { loggable } from '../platform/db/errors.ts'
import { printable } from '../platform/text/printable.ts'

/** Prints one sentence on standard error, without a stack. */
export function reportError(error: unknown) {
  console.error(printable(error instanceof OperatorError ? error.message : `Failed: ${rootCause(error)}`))
}

/** Ends the program if it was given arguments: its settings come from the environment. */
export function refuseArguments(program: string) {
  const [argument] = process.argv.slice(2)
  if (argument === undefined) return
  console.error(
    `${program} takes no argument such as ${argument}: set environment variables (docs/configuration.md), or run: npm run -s parlance -- --help`
  )
  process.exit(2)
}

/** The message of the innermost cause, without anything that may hold users' data. */
function rootCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof OperatorError) return error.message
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return rootCause(error.errors[0])
  if (error.cause instanceof Error) return rootCause(error.cause)
  const { message, code } = loggable(error)
  return message === error.message ? error.message : `${message} (SQLSTATE ${code})`
}
