import closeWithGrace from 'close-with-grace'
import { openLog } from '../interfaces/http/log.ts'
import type { Config } from '../platform/config/config.ts'
import { writeCompiledCode } from '../platform/work/compile-cache.ts'
import { linkWarning } from './compose.ts'
import { reusePortWarning } from './reuse-port.ts'
import { type Server, startServer } from './start.ts'

/** Starts a server and stops it gracefully on a signal: exit code 0. A second signal ends the process at once. */
export async function runServer(config: Config, onReady?: (server: Server) => Promise<void>) {
  const log = openLog(config.logLevel)
  const server = await startServer(config, log)
  let stopping = false
  closeWithGrace({ delay: 33_500 + 1_000 * config.public.drainSeconds, logger: log }, async ({ err, signal }) => {
    stopping = true
    if (err) log.error(err, 'stopping after an error')
    else log.info({ signal }, 'stopping')
    await server.stop(err)
    log.info('stopped')
  })
  void server.database.engine?.lost.then(reason => {
    log.fatal({ reason }, 'the embedded database ended by itself')
    process.exit(1)
  })
  log.info({ url: server.url }, 'ready')
  for (const warning of [linkWarning(config), reusePortWarning(config)]) if (warning) log.warn(warning)
  writeCompiledCode()
  try {
    await onReady?.(server)
  } catch (error) {
    // A server that stops meanwhile interrupts `onReady`, which is not an error.
    if (!stopping) throw error
  }
}
