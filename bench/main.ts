import { parseArgs } from 'node:util'
import { HOT, measureAgainst } from './against.ts'
import { measureApplication } from './apply.ts'
import { measureBacklogs } from './backlog.ts'
import { measureCluster } from './cluster.ts'
import { measureCorrections } from './correct.ts'
import { measureDeliveries } from './deliveries.ts'
import { measurePolls } from './feed.ts'
import { measureGrowth } from './growth.ts'
import { measureImports } from './import.ts'
import { describeMachine } from './machine.ts'
import { measureTools } from './mcp.ts'
import { COMPARED, measureCompared } from './read.ts'
import type { Figure, Outcome } from './result.ts'
import { openResults } from './save.ts'
import { measureQuality, measureSearch } from './search-figures.ts'
import { WAYS } from './search-quality.ts'
import { measureStarts } from './start.ts'
import { measureSummaries } from './summaries/measure.ts'
import { table } from './table.ts'

const USAGE = `npm run bench -- [part]… [options]

Without names, everything is measured but cluster, which needs CITUS_URL, and import, quality, summaries and search, which need --qmsum. Minutes are for
two cores with nothing else to do, the seeding of the first run (2 minutes) not counted; rounds of other number or length change them.

list        20 sessions, against bare Fastify + pg, without and with admission, the
            idiomatic stack, PostgREST                                                 2
tag folder person detail transcript stats  a read each, against the same by hand       1 each
patch       a change with its event, against a transaction by hand, and the same
            of the idiomatic stack, which list, detail and transcript have as well     1
bulk        an export of 50 long transcripts, against the same by hand                 1
feed        polls of events: a page, and nothing new against a detail                  2
mcp         calls of tools by assistants, against the same over /v1                      5
growth      p95 of every reading route for owners of more and more sessions            8, and seeding
deliveries  webhooks a second, against graphile-worker; how soon after the change      2
correct     a correction of a name in a transcript of 5,000 lines                      1
apply       lists while a term is applied to 1,000 sessions                            4
cluster     latency on a Citus cluster, against one PostgreSQL                         3
start       start to ready, and memory after it                                        1
backlog     1,000 short imports, queued before the server starts                       3
import      the QMSum meetings, on the embedded database and on Postgres               15
quality     how well search finds sessions, by kind of query (--sets, --ways)              5
summaries   how good offline summaries are; with --labels, also items and decisions         1
search      latency for owners of 1,000 to 1,000,000 passages (--passages), against
            the same SQL by hand; quality must have been measured once                 2, and seeding

--rounds N      rounds of each target, in turns (4)
--seconds N     length of a round (3)
--sessions N,N  sizes of owners for growth (1000,100000); 1000000 takes minutes to seed, once
--passages N,N  sizes of owners for the latency of search (1000,100000,1000000)
--sets A,B      sets of queries for quality, by the beginnings of their names (all)
--ways A,B      words, vectors and both for quality (all)
--qmsum DIR     where QMSum's *.jsonl are (or QMSUM_DIR)
--labels DIR    where labels of action items and decisions are (items.jsonl, decisions.jsonl)
--against COMMIT  only compare the hot routes list, detail, transcript, patch and search (or those named) with another commit's, in pairs of
                slices: a ratio of 1.05 is 5 % slower than the commit. 3 minutes, more on a busy machine
--reseed        make the databases anew
--profile DIR   leave CPU profiles of the product's server there, of mcp and the parts against bare Fastify
--save          write what was measured into bench/results.md; parts not measured stay as they are there

DATABASE_URL names a PostgreSQL with pgvector on this machine. The databases parlance_bench and parlance_bench_* are made beside the one
it names. CITUS_URL names a database of a coordinator that knows its nodes, and a superuser of all of them.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '3' },
    sessions: { type: 'string', default: '1000,100000' },
    passages: { type: 'string', default: '1000,100000,1000000' },
    sets: { type: 'string', default: '' },
    ways: { type: 'string', default: WAYS.join(',') },
    qmsum: { type: 'string' },
    labels: { type: 'string' },
    against: { type: 'string' },
    reseed: { type: 'boolean', default: false },
    profile: { type: 'string' },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
})

const plan = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const sessions = values.sessions.split(',').map(Number)
/** True if the database that most parts share is still to be made anew, once per run. */
let reseed = values.reseed
const names = values.sets.split(',').filter(Boolean)
const ways = WAYS.filter(way => values.ways.split(',').includes(way))
const qmsum = values.qmsum ?? process.env.QMSUM_DIR

/** The parts in the order of the main table. */
const PARTS: Record<string, () => Promise<Outcome>> = {
  ...Object.fromEntries(
    COMPARED.map(name => [name, () => measureCompared(name, { ...plan, reseed, profileDir: values.profile })])
  ),
  feed: () => measurePolls({ ...plan, reseed }),
  mcp: () => measureTools({ ...plan, reseed, profileDir: values.profile }),
  growth: () => measureGrowth(sessions, values.reseed),
  deliveries: () => measureDeliveries(plan),
  correct: measureCorrections,
  apply: measureApplication,
  cluster: () => measureCluster(plan),
  start: measureStarts,
  backlog: measureBacklogs,
  import: () => measureImports(qmsum ?? ''),
  quality: () => measureQuality({ qmsum: qmsum ?? '', names, ways, again: values.reseed }),
  summaries: async () => measureSummaries(qmsum ?? '', values.labels),
  search: () => measureSearch(values.passages.split(',').map(Number), values.reseed)
}

/** The parts that use QMSum's meetings and questions. */
const WITH_QMSUM = ['import', 'quality', 'summaries', 'search']

function canMeasure(name: string) {
  return name === 'cluster' ? process.env.CITUS_URL !== undefined : qmsum !== undefined || !WITH_QMSUM.includes(name)
}

async function main() {
  if (values.help) return console.log(USAGE)
  const known = values.against === undefined ? Object.keys(PARTS) : HOT
  const unknown = positionals.find(name => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no benchmark "${unknown}"\n\n${USAGE}`)
  if (values.against !== undefined) {
    const rows = await measureAgainst(values.against, positionals.length > 0 ? positionals : HOT, values.reseed)
    console.log(table(rows))
    return
  }
  if (!(plan.rounds >= 1 && plan.seconds > 0)) throw new Error('--rounds and --seconds: numbers above 0 are needed')
  if (!sessions.every(size => Number.isInteger(size) && size >= 1_000))
    throw new Error('--sessions: numbers from 1000 on are needed, as in 1000,100000')
  const without = positionals.find(name => WITH_QMSUM.includes(name))
  if (without && !qmsum) throw new Error(`${without}: name the folder of QMSum’s *.jsonl with --qmsum DIR or QMSUM_DIR`)
  const chosen = positionals.length > 0 ? positionals : Object.keys(PARTS).filter(canMeasure)

  const facts = { ...(await describeMachine()), Rounds: `${plan.rounds} of ${plan.seconds} s` }
  console.log(
    `${Object.entries(facts)
      .map(([name, fact]) => `${name.padEnd(14)} ${fact}`)
      .join('\n')}\n`
  )
  const figures = new Map<string, Figure[]>()
  const save = values.save ? openResults(facts, Object.keys(PARTS)) : () => {}
  for (const [name, measure] of Object.entries(PARTS)) {
    if (!chosen.includes(name)) continue
    try {
      const outcome = await measure()
      for (const rows of outcome.tables) console.log(`${table(rows)}\n`)
      figures.set(name, outcome.figures)
      save(figures)
    } catch (error) {
      // The other parts are still measured.
      console.error(`${name}: ${reasonOf(error)}\n`)
      process.exitCode = 1
    }
    reseed = false
  }
  const lines = [...figures.values()].flat().map(({ met, ...figure }) => ({ ...figure, met: met ? 'yes' : 'NO' }))
  if (lines.length > 0) console.log(table(lines))
}

function reasonOf(error: unknown) {
  return error instanceof Error ? error.message : String(error)
}

// Exits explicitly, so that servers under measurement end too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

try {
  await main()
} catch (error) {
  console.error(reasonOf(error))
  process.exitCode = 1
}
// Exits explicitly, because servers that were starting would keep the process alive.
process.exit()
