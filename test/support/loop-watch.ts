/**
 * Preloaded into a server, with `LOOP_WATCH` the path of a file: appends a line for each time that the main thread ran for more than 10 ms
 * without a pause, in milliseconds of processor time, so that a busy machine makes no difference.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const path = process.env.LOOP_WATCH
if (isMainThread && path !== undefined) {
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms > 10) appendFileSync(path, `${ms}\n`)
    before = process.threadCpuUsage()
  }, 1).unref()
}
