import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Meter } from '../../features/access/meter.ts'

/** The label for unknown paths, so that a scanner adds no series. */
const UNKNOWN = { method: 'any', route: 'unknown' }

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Counts and durations of the public port's requests, by route template, never by path. */
export function requestMetrics(registry: Registry): Meter {
  const registers = [registry]
  const duration = new Histogram({
    name: 'parlance_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer, by method, route template and status class; unknown paths are the route unknown',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: SECONDS,
    registers
  })
  let inFlight = 0
  new Gauge({
    name: 'parlance_http_requests_in_flight',
    help: 'Requests in flight',
    registers,
    collect() {
      this.set(inFlight)
    }
  })
  const refusals = new Counter({
    name: 'parlance_rate_limit_refusals_total',
    help: 'Requests refused with 429, by limit: minute, day, address',
    labelNames: ['limit'] as const,
    registers
  })
  for (const limit of ['minute', 'day', 'address'] as const) refusals.inc({ limit }, 0)

  return {
    began: () => void inFlight++,
    ended: () => void inFlight--,
    answered(method, route, status, ms) {
      const labels = route === undefined ? UNKNOWN : { method, route }
      duration.observe({ ...labels, status: `${Math.floor(status / 100)}xx` }, ms / 1_000)
    },
    refused: limit => refusals.inc({ limit })
  }
}
