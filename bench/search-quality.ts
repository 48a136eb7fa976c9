import type { SearchResult } from '../src/contract/search.ts'
import { issueToken } from '../src/features/access/tokens.ts'
import type { Ai } from '../src/platform/ai/ai.ts'
import { openBundledEmbeddings } from '../src/platform/ai/embedder/local-embeddings.ts'
import { joinAi } from '../src/platform/ai/join-ai.ts'
import { openSummarizer } from '../src/platform/ai/summarizer/open-summarizer.ts'
import type { OpenDatabase } from '../src/platform/db/open.ts'
import { bootstrapMean, type Interval } from './bootstrap.ts'
import { buildBenchApp, MODEL_FOLDER } from './in-process.ts'
import { cachedAi } from './made-cache.ts'
import { openLibraries, ownerOf } from './search-libraries.ts'
import type { Query, QuerySet } from './sets/query-set.ts'
import { makeSets } from './sets/sets.ts'

const FOUND_AMONG = 10
const AT_ONCE = 4
/** Later than every session, for queries whose meaning does not depend on the date. */
const NOW = new Date('2027-01-01T00:00:00Z')

export interface QualityRow {
  set: string
  way: Way
  queries: number
  ndcg: Interval
  first: Interval
  /** The share of queries whose right session has a best passage that answers them. Counts only found sessions with known answers. */
  passage: Interval | undefined
  /** The gain in nDCG@10 over terms alone. */
  gain: Interval | undefined
}

export const WAYS = ['words', 'vectors', 'both'] as const
export type Way = (typeof WAYS)[number]

export interface QualityOptions {
  qmsum: string
  /** The beginnings of the names of sets; all sets if empty. */
  names: readonly string[]
  ways: readonly Way[]
  again: boolean
}

/** Measures the ranking of the right session for each set: by terms alone, by vectors alone, and by both. */
export async function measureSearchQuality({ qmsum, names, ways, again }: QualityOptions): Promise<QualityRow[]> {
  if (!qmsum) throw new Error('quality: name the folder of QMSum’s *.jsonl with --qmsum DIR or QMSUM_DIR')
  const { libraries, sets } = makeSets(qmsum)
  const chosen = sets.filter(({ name }) => names.length === 0 || names.some(beginning => name.startsWith(beginning)))
  if (chosen.length === 0) throw new Error(`--sets: there are ${sets.map(({ name }) => name).join(', ')}`)
  const offline = joinAi({ summaries: openSummarizer(), embeddings: await openBundledEmbeddings(MODEL_FOLDER) })
  try {
    const { ai, made } = await cachedAi(offline)
    const opened = await openLibraries(libraries, ai, made, again)
    try {
      return await measureSets(opened, ai, chosen, ways)
    } finally {
      await opened.close()
    }
  } finally {
    await offline.close()
  }
}

async function measureSets(opened: OpenDatabase, ai: Ai, sets: readonly QuerySet[], ways: readonly Way[]) {
  const { rows: sessions } = await opened.pool.query('select user_id, external_id, session_id from sessions')
  const sessionIds = new Map(sessions.map(row => [`${row.user_id} ${row.external_id}`, String(row.session_id)]))
  const searches: Record<Way, SearchBy> = {
    words: await openSearch(opened, { ...ai, embed: async () => [] }),
    vectors: openVectorSearch(opened, ai),
    both: await openSearch(opened, ai)
  }
  const rows: QualityRow[] = []
  for (const { name, library, queries } of sets) {
    const userId = ownerOf(library)
    let words: Score[] | undefined
    for (const way of ways) {
      console.log(`Searching ${name}: ${way} …`)
      const scores = await scoreAll(queries, query =>
        searches[way](userId, query, sessionIds.get(`${userId} ${query.session}`) ?? '')
      )
      if (way === 'words') words = scores
      rows.push(toRow(name, way, scores, way === 'words' ? undefined : words))
    }
  }
  return rows
}

/** The result of a query. */
interface Score {
  session: string
  ndcg: number
  first: number
  /** 1 if the best passage of the right session answers the query, else 0. Undefined if that is unknown. */
  passage: number | undefined
}

/** Returns the ids of sessions, best first, and the best passage of the right session. */
type SearchBy = (
  userId: string,
  query: Query,
  right: string
) => Promise<{ sessionIds: string[]; right: string; best: Span | undefined }>

interface Span {
  start: number | null
  end: number | null
}

async function scoreAll(queries: readonly Query[], search: (query: Query) => ReturnType<SearchBy>): Promise<Score[]> {
  const scores: Score[] = []
  const waiting = [...queries.entries()]
  async function work() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, query] = next
      const { sessionIds, right, best } = await search(query)
      const rank = sessionIds.indexOf(right)
      const ndcg = rank < 0 ? 0 : 1 / Math.log2(rank + 2)
      scores[at] = { session: query.session, ndcg, first: rank === 0 ? 1 : 0, passage: answers(query, best) }
    }
  }
  // The application has one clock, so queries with a time of their own run one by one.
  const atOnce = queries.some(({ now }) => now) ? 1 : AT_ONCE
  await Promise.all(Array.from({ length: atOnce }, work))
  return scores
}

function answers({ spans }: Query, best: Span | undefined) {
  if (!spans || !best) return undefined
  return spans.some(({ from, to }) => (best.start ?? 0) < to && (best.end ?? 0) > from) ? 1 : 0
}

function toRow(set: string, way: Way, scores: Score[], words: Score[] | undefined): QualityRow {
  const meanOf = (measureOf: (score: Score, at: number) => number | undefined) => {
    const values = scores.map((score, at) => ({ session: score.session, value: measureOf(score, at) }))
    const clusters = Map.groupBy(values, ({ session }) => session)
    return bootstrapMean([...clusters.values()].map(cluster => cluster.flatMap(({ value }) => value ?? [])))
  }
  return {
    set,
    way,
    queries: scores.length,
    ndcg: meanOf(({ ndcg }) => ndcg),
    first: meanOf(({ first }) => first),
    passage: scores.some(({ passage }) => passage !== undefined) ? meanOf(({ passage }) => passage) : undefined,
    gain: words && meanOf(({ ndcg }, at) => ndcg - (words[at]?.ndcg ?? 0))
  }
}

/** Opens search through the product's API. An AI without embeddings leaves only terms. */
async function openSearch({ db }: OpenDatabase, ai: Ai): Promise<SearchBy> {
  let now = NOW
  const app = await buildBenchApp(db, ai, { now: () => now })
  const tokens = new Map<string, Promise<string>>()
  const issue = async (userId: string) =>
    (await issueToken(db, userId, 'bench', ['sessions:search', 'transcripts:read'], NOW)).token
  return async (userId, query, right) => {
    const issued = tokens.get(userId) ?? issue(userId)
    tokens.set(userId, issued)
    const authorization = `Bearer ${await issued}`
    now = query.now ?? NOW
    const payload = { query: query.text, limit: FOUND_AMONG, include_passages: query.spans !== undefined }
    const reply = await app.inject({ method: 'POST', url: '/v1/sessions/search', headers: { authorization }, payload })
    if (reply.statusCode !== 200) throw new Error(`A search answered ${reply.statusCode}: ${reply.body}`)
    const { results }: { results: SearchResult[] } = reply.json()
    const best = results.find(({ id }) => id === right)?.passages?.[0]
    return { sessionIds: results.map(({ id }) => id), right, best }
  }
}

/** Opens search that compares the query's vector with those of all passages. */
function openVectorSearch({ pool }: OpenDatabase, ai: Pick<Ai, 'embedder' | 'embed'>): SearchBy {
  const model = ai.embedder?.model ?? ''
  return async (userId, { text }, right) => {
    const [vector] = await ai.embed([text], undefined, 'query')
    if (!vector) return { sessionIds: [], right, best: undefined }
    const near = [userId, model, JSON.stringify(vector)]
    const { rows } = await pool.query(NEAREST_SESSIONS, near)
    const { rows: passages } = await pool.query(NEAREST_PASSAGE, [...near, right])
    return { sessionIds: rows.map(row => row.session_id), right, best: passages[0] }
  }
}

const NEAREST_SESSIONS = `select session_id from embeddings where user_id = $1 and model = $2
  group by session_id order by min(vector <=> $3::halfvec) limit ${FOUND_AMONG}`
const NEAREST_PASSAGE = `select c.starts_at as start, c.ends_at as "end" from embeddings e join passages c using (user_id, session_id, ordinal)
  where user_id = $1 and model = $2 and session_id = $4 order by vector <=> $3::halfvec limit 1`

/** Formats a row for the table. */
export function toTableRow({ set, way, queries, ndcg, first, passage, gain }: QualityRow) {
  return {
    set,
    way,
    queries,
    'nDCG@10': shown(ndcg, 4),
    'over words': gain ? `${gain.mean < 0 ? '' : '+'}${shown(gain, 4)}` : '',
    'right session first %': shown(first, 1, 100),
    'right passage first %': passage ? shown(passage, 1, 100) : ''
  }
}

function shown({ mean, low, high }: Interval, digits: number, times = 1) {
  const [at, from, to] = [mean, low, high].map(value => (value * times).toFixed(digits))
  return `${at} (${from} to ${to})`
}
