import type { FastifyBaseLogger } from 'fastify'
import { openAdmissions } from './accounts/admission.ts'
import { chooseTracing, clock, publicUrlOf } from './compose.ts'
import type { Config } from './config.ts'
import type { Closers } from './core/closers.ts'
import type { OpenDatabase } from './db/open.ts'
import type { Deps } from './deps.ts'
import { buildApp } from './http/app.ts'
import { listen, PUBLIC_PORT } from './http/listen.ts'
import type { Meter } from './metrics/meter.ts'

export interface PublicParts extends Pick<Deps, 'jobs' | 'media' | 'ai' | 'sender'> {
  config: Config
  database: OpenDatabase
  meter: Meter
  log: FastifyBaseLogger
}

export interface PublicPort {
  /** Where it listens, without a slash at its end. */
  url: string
  /** Goes on with serving for as long as others may need to notice that this process is leaving. */
  drain(): Promise<void>
}

/** Serves the public port in this process. */
export async function openPublicPort({ config, database, meter, log, ...given }: PublicParts, opened: Closers): Promise<PublicPort> {
  const { rateLimits, secretKey, searchWaitMs } = config
  const admissions = openAdmissions(database.express, clock, rateLimits)
  opened.push(() => admissions.stop())
  const tracing = await chooseTracing(config, reason => log.warn({ reason }, 'the collector takes no traces'))
  opened.push(async () => tracing?.close())
  const { db, searches, comparisons } = database
  const deps = {
    ...given,
    db,
    searches,
    comparisons,
    clock,
    admissions,
    rateLimits,
    secretKey,
    searchWaitMs,
    publicUrl: publicUrlOf(config)
  }
  const app = await buildApp(deps, { logger: log, trustProxy: config.public.trustProxy, meter, tracing: tracing?.plugin })
  opened.push(() => app.close())
  const url = await listen(app, { host: config.public.host, port: config.public.port }, PUBLIC_PORT)
  return {
    url,
    async drain() {
      // What comes while a balancer still sends it is served, and each answer says that its connection closes: a client
      // that were to find out by itself may lose the request it finds out by.
      app.server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
      app.server.keepAliveTimeout = 1
      await new Promise(wake => setTimeout(wake, DRAIN_MS))
    }
  }
}

/** How long requests are still taken after readiness is off, for whoever routes them to notice. */
const DRAIN_MS = 1_500
