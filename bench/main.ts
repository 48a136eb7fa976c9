import { parseArgs } from 'node:util'
import { measureDeliveries } from './deliveries.ts'
import { measurePolls } from './feed.ts'
import { measureImports } from './import.ts'
import { measureBulk, measureLibrary } from './library.ts'
import { describeMachine } from './machine.ts'
import { isRead, measureReads } from './read.ts'
import { measureSearchLatency } from './search-latency.ts'
import { measureSearchQuality } from './search-quality.ts'
import { table } from './table.ts'

const USAGE = `npm run bench -- [list] [detail] [feed] [library] [bulk] [deliveries] [import] [search] [options]

Without names, everything is measured.

list      GET /v1/sessions, 20 rows, against bare Fastify + pg
detail    GET /v1/sessions/{id}, against bare Fastify + pg
feed      a poll of /v1/events with nothing new, against detail
library   filters and stats with 100,000 sessions against 1,000
bulk      an export of 50 long sessions with their transcripts
deliveries  webhooks a second, against graphile-worker; and how soon after the change
import    the QMSum meetings, on the embedded database and on Postgres
search    how well QMSum's meetings are found; latency for owners of 1,000 to
          1,000,000 passages (--passages N,N), against the same SQL by hand

--rounds N     rounds of each target, in turns (6)
--seconds N    length of a round (4)
--reseed       make the database parlance_bench anew
--profile DIR  leave a CPU profile of the product's server there
--passages N,N sizes of owners for the latency of search (1000,100000,1000000)
--qmsum DIR    where QMSum's *.jsonl are (or QMSUM_DIR)

DATABASE_URL names a PostgreSQL with pgvector on this machine. The databases
parlance_bench and parlance_bench_* are made beside the one it names.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '4' },
    reseed: { type: 'boolean', default: false },
    profile: { type: 'string' },
    passages: { type: 'string', default: '1000,100000,1000000' },
    qmsum: { type: 'string' },
    help: { type: 'boolean', default: false }
  }
})

const OTHERS = ['feed', 'library', 'bulk', 'deliveries', 'import', 'search']

async function main() {
  if (values.help) return console.log(USAGE)
  const unknown = positionals.find(name => !isRead(name) && !OTHERS.includes(name))
  if (unknown !== undefined) throw new Error(`There is no benchmark "${unknown}"\n\n${USAGE}`)
  const chosen = positionals.length > 0 ? positionals : ['list', 'detail', ...OTHERS]
  console.log(`${await describeMachine()}\n`)

  const tables: string[] = []
  const plan = { rounds: Number(values.rounds), seconds: Number(values.seconds), reseed: values.reseed }
  const reads = chosen.filter(isRead)
  if (reads.length > 0) tables.push(table(await measureReads(reads, { ...plan, profileDir: values.profile })))
  if (chosen.includes('feed')) tables.push(table(await measurePolls(plan)))
  if (chosen.includes('library')) tables.push(table(await measureLibrary(values.reseed)))
  if (chosen.includes('bulk')) tables.push(table(await measureBulk(values.reseed)))
  if (chosen.includes('deliveries')) {
    const { rates, delays } = await measureDeliveries(plan)
    tables.push(table(rates), table(delays))
  }
  if (chosen.includes('import')) tables.push(table(await measureImports(values.qmsum ?? process.env.QMSUM_DIR)))
  if (chosen.includes('search')) {
    tables.push(table(await measureSearchQuality(values.qmsum ?? process.env.QMSUM_DIR, values.reseed)))
    tables.push(table(await measureSearchLatency(values.passages.split(',').map(Number), values.reseed)))
  }
  console.log(`\n${tables.join('\n\n')}`)
}

// Through exit, so that servers under measurement are ended too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

try {
  await main()
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault)
  process.exitCode = 1
}
