/** Which limit refused a request: a token's minute or day, or the client address's. */
export type Limit = 'minute' | 'day' | 'address'

/** What the public port tells of its requests. Called on the hot path: it counts, and does nothing else. */
export interface Meter {
  /** A request has come. */
  began(): void
  /** It is over: answered, or given up by the client. */
  ended(): void
  /** It was answered. `route` is the template; undefined where the path is none. */
  answered(method: string, route: string | undefined, status: number, ms: number): void
  refused(limit: Limit): void
}

/** For an application that nobody measures. */
export const NO_METER: Meter = { began() {}, ended() {}, answered() {}, refused() {} }
