import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migratedDatabase, onPostgres, rowsOf, serve } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { LONG, loadOf, report, total, UNLIMITED } from './load.ts'

/** Part of FAULTS=long; FAULTS=soak is nothing but this, for SOAK_MINUTES. */
const SOAKS = LONG || process.env.FAULTS === 'soak'
const MINUTES = Number(process.env.SOAK_MINUTES ?? 10)

test.runIf(SOAKS && process.platform === 'linux')(
  'a server under load for long takes no more memory, descriptors, sockets and connections in the end than after its first quarter',
  { timeout: (MINUTES + 5) * 60_000 },
  async () => {
    const fresh = await migratedDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const server = await serve(place)
    const load = await loadOf(place, { sessions: 8 })
    const receiver = await startReceiver((_, before) => (before % 50 === 0 ? 500 : 204))
    await load.subscribe(server, receiver.url)
    const stop = load.start([server])
    const measured: Measure[] = []
    for (let quarter = 0; quarter < 4; quarter++) {
      const least: Measure[] = []
      // The least of a quarter: what is garbage, or under way at one moment, is none of it.
      for (let turn = 0; turn < 15; turn++) {
        await wait((MINUTES * 60_000) / 60)
        least.push(await measure(server.pid, place))
      }
      measured.push(leastOf(least))
    }
    const { strange, statuses } = await stop()
    report(`soaked for ${MINUTES} minutes: ${total(statuses)} requests, ${JSON.stringify(measured)}`)
    expect(strange).toEqual([])
    expect([...statuses.keys()]).toEqual([200])
    await load.check()
    // In the first quarter it still warms up, and the least of it is what it took before that.
    const [first, last] = [measured[1]!, measured[3]!]
    expect(last.mebibytes).toBeLessThan(first.mebibytes * 1.1 + 10)
    expect(last.descriptors).toBeLessThanOrEqual(first.descriptors + 2)
    expect(last.sockets).toBeLessThanOrEqual(first.sockets + 2)
    expect(last.connections).toBeLessThanOrEqual(first.connections + 1)
  }
)

interface Measure {
  mebibytes: number
  descriptors: number
  sockets: number
  /** To the database. */
  connections: number
}

async function measure(pid: number, place: Awaited<ReturnType<typeof migratedDatabase>>): Promise<Measure> {
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  const connections = onPostgres
    ? (
        await rowsOf(
          place,
          "select from pg_stat_activity where datname = current_database() and application_name = 'parlance serve'"
        )
      ).length
    : 0
  const open = readdirSync(`/proc/${pid}/fd`).map(fd => targetOf(`/proc/${pid}/fd/${fd}`))
  return {
    mebibytes: Math.round(Number(resident) / 1_024),
    descriptors: open.length,
    sockets: open.filter(target => target.startsWith('socket:')).length,
    connections
  }
}

function targetOf(link: string) {
  try {
    return readlinkSync(link)
  } catch {
    return 'closed meanwhile'
  }
}

function leastOf(all: Measure[]): Measure {
  const least = (key: keyof Measure) => Math.min(...all.map(one => one[key]))
  return {
    mebibytes: least('mebibytes'),
    descriptors: least('descriptors'),
    sockets: least('sockets'),
    connections: least('connections')
  }
}
