import { PassThrough } from 'node:stream'

/** Proxies give up on an answer of which nothing comes for a minute, and clients after five. */
const PAUSE_MS = 5_000

/** The headers of an answer that begins before its content is known. */
export const BEGUN_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  // nginx would keep the blanks until it has a few kilobytes of them.
  'x-accel-buffering': 'no'
}

/**
 * A JSON answer to a request that takes long. Its head is sent at once, then a line break for each step and a space every few seconds, which JSON
 * ignores, so that nobody takes the connection for dead, and then the value. `run` goes on if the client leaves. An error ends the answer without
 * its value, since its status was sent.
 */
export function beginAnswer(run: (onStep: () => void) => Promise<object>) {
  const stream = new PassThrough()
  const write = (text: string) => void (stream.writable && stream.write(text))
  const timer = setInterval(() => write(' '), PAUSE_MS)
  const done = run(() => write('\n'))
    .then(
      value => void (stream.writable && stream.end(JSON.stringify(value))),
      (error: unknown) => {
        stream.destroy(error instanceof Error ? error : new Error('The answer failed'))
        throw error
      }
    )
    .finally(() => clearInterval(timer))
  write(' ')
  return { stream, done }
}
