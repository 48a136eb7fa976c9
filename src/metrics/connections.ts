import { Gauge, type Registry } from 'prom-client'
import type { OpenDatabase } from '../db/open.ts'

/** What this process does with its connections to the database, at each scrape. */
export function connectionMetrics(registry: Registry, { load }: Pick<OpenDatabase, 'load'>) {
  const registers = [registry]
  new Gauge({
    name: 'parlance_database_pool_connections',
    help: 'Connections of the pool',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle } = load().pool
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'busy' }, total - idle)
    }
  })
  new Gauge({
    name: 'parlance_database_pool_waiting',
    help: 'Requests that wait for a connection of the pool',
    registers,
    collect() {
      this.set(load().pool.waiting)
    }
  })
  new Gauge({
    name: 'parlance_database_statements_under_way',
    help: 'Statements sent and not answered, by kind of connection',
    labelNames: ['lane'],
    registers,
    collect() {
      for (const [lane, underWay] of Object.entries(load().lanes)) this.set({ lane }, underWay)
    }
  })
}
