import { Gauge, type Registry } from 'prom-client'
import type { OpenDatabase } from '../db/open.ts'

/** Gauges of this process's database connections, read at each scrape. */
export function connectionMetrics(registry: Registry, { load }: Pick<OpenDatabase, 'load'>) {
  function openGauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void) {
    new Gauge({
      ...{ name, help, labelNames, registers: [registry] },
      collect() {
        read(this)
      }
    })
  }
  const ofConnections = 'Connections, by pool: requests, slow; and state: idle, busy'
  openGauge('parlance_database_pool_connections', ofConnections, ['pool', 'state'], gauge => {
    for (const [pool, { total, idle }] of Object.entries(load().pools)) {
      gauge.set({ pool, state: 'idle' }, idle)
      gauge.set({ pool, state: 'busy' }, total - idle)
    }
  })
  openGauge('parlance_database_pool_waiting', 'Callers that wait for a connection, by pool', ['pool'], gauge => {
    for (const [pool, { waiting }] of Object.entries(load().pools)) gauge.set({ pool }, waiting)
  })
  const ofStatements = 'Statements of reads that were sent and not answered yet'
  openGauge('parlance_database_statements_in_flight', ofStatements, [], gauge => gauge.set(load().inFlight))
}
