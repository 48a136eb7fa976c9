import type { FastifyPluginCallback } from 'fastify'
import type { Outbound } from '../../platform/net/proxies.ts'

/** Exports a trace of each request to a collector. Its libraries are loaded only with a collector. */
export interface Tracing {
  /** Register it before any route or hook. */
  plugin: FastifyPluginCallback
  /** Exports the remaining spans, with a short deadline. */
  close(): Promise<void>
}

export interface TracingSettings extends Outbound {
  /** Base URL of the collector's OTLP/HTTP endpoint, without a slash at its end. */
  endpoint: string
  /** The share of requests that are traced, from 0 to 1. */
  ratio: number
  /** Attributes of this service in each trace, such as `service.name`. */
  attributes: Record<string, string>
  /** Sent to the collector with each export. */
  headers?: Record<string, string> | undefined
  version: string
}
