import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Meter } from '../features/access/meter.ts'
import type { Services } from '../features/services.ts'
import { buildApp } from '../interfaces/http/app.ts'
import type { Config } from '../platform/config/config.ts'
import { chooseTracing } from './compose.ts'
import { listen, PUBLIC_PORT } from './listen.ts'
import { watchArrivals } from './reuse-port.ts'

interface PublicPortOptions {
  services: Services
  config: Config
  meter: Meter
  log: FastifyBaseLogger
}

interface PublicPort {
  /** The URL where it listens, without a slash at its end. */
  url: string
  /** Keeps serving until a load balancer has seen that this server is not ready. */
  drain(): Promise<void>
}

/** Opens the API's application and listens on the public port. */
export async function openPublicPort(options: PublicPortOptions, opened: AsyncDisposableStack): Promise<PublicPort> {
  const { services, config, meter, log } = options
  const tracing = await chooseTracing(config, reason => log.warn({ reason }, 'the collector refuses traces'))
  opened.defer(async () => tracing?.close())
  const { trustProxy, corsOrigins, keepAliveSeconds } = config.public
  const app = await buildApp(services, {
    logger: log,
    trustProxy,
    corsOrigins,
    keepAliveTimeoutMs: 1_000 * keepAliveSeconds,
    meter,
    tracing: tracing?.plugin
  })
  const acceptWaiting = watchArrivals(app.server)
  app.addHook('preClose', acceptWaiting)
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
      await setTimeout(1_000 * config.public.drainSeconds)
    }
  }
}
