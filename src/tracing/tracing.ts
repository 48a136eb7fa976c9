import type { FastifyPluginCallback } from 'fastify'

/** Tells a collector of each request. Chosen once, at start; without a collector there is none, and nothing of it is loaded. */
export interface Tracing {
  /** To be registered before any route or hook. */
  plugin: FastifyPluginCallback
  /** Sends what is left, as far as the collector takes it soon. */
  close(): Promise<void>
}

export interface TracingSettings {
  /** Base of the collector's OTLP/HTTP address, without a slash at its end. */
  endpoint: string
  /** Of which part of the requests it is told, from 0 to 1. */
  ratio: number
  version: string
}
