/** Settings of every connection that searches; on a cluster, of its workers too. */
export const SEARCH_SETTINGS = {
  // The planner expects far more rows than a search reads, and would compile statements for several times as long as they run.
  jit: 'off',
  // For the same reason it would start parallel workers: without them a filtered search compares its few sessions five times as fast.
  max_parallel_workers_per_gather: '0',
  // The number of nearest vectors that an index returns. The scan continues if a filter leaves too few.
  'hnsw.ef_search': '128',
  'hnsw.iterative_scan': 'relaxed_order'
}

/** How statements are understood, and how values are written. A server, a database or a role may have other defaults. */
export const VALUE_SETTINGS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  default_transaction_isolation: 'read committed'
}

export const LOCK_SETTINGS = { lock_timeout: '5s' }

/** Ends the transaction of a program that is gone, and with it its locks. */
const IDLE_SETTINGS = { idle_in_transaction_session_timeout: '30s' }

/** A migration may take long. */
export const MIGRATION_SETTINGS = { ...VALUE_SETTINGS, ...IDLE_SETTINGS, statement_timeout: '0' }

export const SERVER_SETTINGS = {
  ...VALUE_SETTINGS,
  statement_timeout: '15s',
  ...LOCK_SETTINGS,
  ...IDLE_SETTINGS,
  // A pool keeps its connections.
  idle_session_timeout: '0',
  // Otherwise PostgreSQL keeps a lost connection for two hours, and one network failure after the other leaves none for others.
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  ...SEARCH_SETTINGS
}

/** Detects within a minute that a connection is lost while a statement runs, however long that takes. Linux waits for two hours. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 }

const URL_OPTIONS = /([?&])options=([^&#]*)&?/

export interface ServerAddress {
  connectionString: string
  /** The search path to send, if that of the role does not serve. */
  searchPath?: string | undefined
}

/** The connection to a URL. The settings are appended to the options of the URL, which the driver would send instead of them. */
export function connectionTo({ connectionString, searchPath }: ServerAddress, settings: Record<string, string>) {
  const ofUrl = new URLSearchParams(`options=${URL_OPTIONS.exec(connectionString)?.[2] ?? ''}`).get('options')
  const sent = { ...settings, ...(searchPath && { search_path: searchPath }) }
  const options = [ofUrl, ...Object.entries(sent).map(([name, value]) => `-c ${name}=${escapeOption(value)}`)]
  return { connectionString: connectionString.replace(URL_OPTIONS, '$1'), options: options.join(' ') }
}

function escapeOption(value: string) {
  return value.replace(/[\\\s]/g, '\\$&')
}
