import { codeOf } from '../platform/core/error-code.ts'

/** The exit code that a shell shows of a program that SIGPIPE has ended. Node ignores that signal. */
const ENDED_BY_SIGPIPE = 141

/** Ends the process without a word once nobody reads its output any more, as other programs do before `head`. */
export function endWithReader() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      if (codeOf(error) !== 'EPIPE') throw error
      process.exit(ENDED_BY_SIGPIPE)
    })
  }
}
