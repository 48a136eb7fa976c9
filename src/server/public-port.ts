import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { openAdmissions } from '../accounts/admission.ts'
import { chooseTracing, clock, publicUrlOf } from '../compose.ts'
import type { Config } from '../config/config.ts'
import type { OpenDatabase } from '../db/open.ts'
import { type AppDeps, buildApp } from '../http/app.ts'
import type { Meter } from '../telemetry/meter.ts'
import { listen, PUBLIC_PORT } from './listen.ts'
import { acceptWaiting } from './reuse-port.ts'

interface PublicPortOptions extends Pick<AppDeps, 'jobs' | 'media' | 'ai' | 'sender' | 'transcribes' | 'uploadFolder'> {
  config: Config
  database: OpenDatabase
  meter: Meter
  log: FastifyBaseLogger
}

interface PublicPort {
  /** The URL where it listens, without a slash at its end. */
  url: string
  /** Keeps serving until a load balancer has seen that this server is not ready. */
  drain(): Promise<void>
}

/** A load balancer that asks `/readyz` every second has stopped sending requests by then. */
const DRAIN_MS = 1_500

/** Opens the API's application and listens on the public port. */
export async function openPublicPort(options: PublicPortOptions, opened: AsyncDisposableStack): Promise<PublicPort> {
  const { config, database, meter, log, ...tools } = options
  const { rateLimits, secretKey, searchWaitMs } = config
  const { db, slow, replica } = database
  const admissions = openAdmissions(db, clock, rateLimits)
  opened.defer(() => admissions.stop())
  const tracing = await chooseTracing(config, reason => log.warn({ reason }, 'the collector refuses traces'))
  opened.defer(async () => tracing?.close())
  const publicUrl = publicUrlOf(config)
  const deps = { ...tools, db, slow, replica, clock, admissions, rateLimits, secretKey, searchWaitMs, publicUrl }
  const { trustProxy, corsOrigins } = config.public
  const app = await buildApp(deps, { logger: log, trustProxy, corsOrigins, meter, tracing: tracing?.plugin })
  app.addHook('preClose', () => acceptWaiting(app.server))
  opened.defer(() => app.close())
  const { host, port, reusePort } = config.public
  return {
    url: await listen(app, { host, port, reusePort }, PUBLIC_PORT),
    async drain() {
      // Each answer closes its connection: a client that keeps one may lose the request that it sends while the server closes it.
      app.server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
      app.server.keepAliveTimeout = 1
      await setTimeout(DRAIN_MS)
    }
  }
}
