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

export const LOCK_SETTINGS = { lock_timeout: '5s' }

/** Ends the transaction of a program that is gone, and with it its locks. */
const IDLE_SETTINGS = { idle_in_transaction_session_timeout: '30s' }

/** A migration holds a lock of its session between its transactions, too. */
export const MIGRATION_SETTINGS = { ...IDLE_SETTINGS, idle_session_timeout: '30s' }

export const SERVER_SETTINGS = {
  TimeZone: 'UTC',
  statement_timeout: '15s',
  ...LOCK_SETTINGS,
  ...IDLE_SETTINGS,
  // Otherwise PostgreSQL keeps a lost connection for two hours, and one network failure after the other leaves none for others.
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  ...SEARCH_SETTINGS
}

/** Detects within a minute that a connection is lost while a statement runs, however long that takes. Linux waits for two hours. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 }

const URL_OPTIONS = /([?&])options=([^&#]*)&?/

/** The connection to a URL. The settings are appended to the options of the URL, which the driver would send instead of them. */
export function connectionTo(url: string, settings: Record<string, string>) {
  const ofUrl = new URLSearchParams(`options=${URL_OPTIONS.exec(url)?.[2] ?? ''}`).get('options')
  const options = [ofUrl, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)]
  return { connectionString: url.replace(URL_OPTIONS, '$1'), options: options.join(' ') }
}
