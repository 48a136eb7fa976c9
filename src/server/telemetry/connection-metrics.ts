import { Gauge, type Registry } from 'prom-client'
import type { OpenDatabase } from '../../platform/db/open.ts'

/** Gauges of this process's database connections, read at each scrape. */
export function connectionMetrics(registry: Registry, { load }: Pick<OpenDatabase, 'load'>) {
  const registers = [registry]
  new Gauge({
    name: 'parlance_database_pool_connections',
    help: 'Connections, by pool: requests, slow; and state: idle, busy',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { total, idle }] of Object.entries(load().pools)) {
        this.set({ pool, state: 'idle' }, idle)
        this.set({ pool, state: 'busy' }, total - idle)
      }
    }
  })
  new Gauge({
    name: 'parlance_database_pool_waiting',
    help: 'Callers that wait for a connection, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(load().pools)) this.set({ pool }, waiting)
    }
  })
  new Gauge({
    name: 'parlance_database_statements_in_flight',
    help: 'Statements of reads that were sent and not answered yet',
    registers,
    collect() {
      this.set(load().inFlight)
    }
  })
}
