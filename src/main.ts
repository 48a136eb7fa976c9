import closeWithGrace from 'close-with-grace'
import { linkWarning } from './compose.ts'
import type { Config } from './config.ts'
import { openLog } from './http/log.ts'
import { type Server, startServer } from './serve.ts'

/** Serves until a signal comes, then stops gracefully: exit code 0. A second signal ends the process at once. */
export async function main(config: Config, ready?: (server: Server) => Promise<void>) {
  const log = openLog(config.logLevel)
  const server = await startServer(config, log)
  let stopping = false
  closeWithGrace({ delay: 35_000, logger: log }, async ({ err, signal }) => {
    stopping = true
    if (err) log.error(err, 'stopping after a fault')
    else log.info({ signal }, 'stopping')
    await server.stop()
    log.info('stopped')
  })
  void server.database.engine?.lost.then(reason => {
    log.fatal({ reason }, 'the embedded database ended by itself')
    process.exit(1)
  })
  log.info({ url: server.url, ...(config.workers > 1 && { workers: config.workers }) }, 'ready')
  const warning = linkWarning(config)
  if (warning) log.warn(warning)
  try {
    await ready?.(server)
  } catch (fault) {
    // Of a server that was stopped meanwhile it is no fault that the rest could not be done.
    if (!stopping) throw fault
  }
  return server
}
