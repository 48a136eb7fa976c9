import type { RateWindow } from '../../platform/ports/admissions.ts'

/** Counts the requests of the public port. It is on the hot path, so it only counts. */
export interface Meter {
  /** A request has arrived. */
  began(): void
  /** The request has ended: answered, or given up by the client. */
  ended(): void
  /** The request was answered. `route` is the template; undefined for an unknown path. */
  answered(method: string, route: string | undefined, status: number, ms: number): void
  refused(limit: RateWindow['window']): void
}

/** For an application without metrics. */
export const NO_METER: Meter = { began() {}, ended() {}, answered() {}, refused() {} }
