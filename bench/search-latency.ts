import { Client } from 'undici'
import { issueToken } from '../src/features/access/tokens.ts'
import { EXACT_UNTIL } from '../src/features/ingest/vector-indexes.ts'
import { queryWordsOf, stemByLibrary } from '../src/features/library/index/terms.ts'
import { findLexicalCandidates, scoreSessions } from '../src/features/search/candidates.ts'
import { findFound } from '../src/features/search/excerpts.ts'
import { CANDIDATES, rankSessions } from '../src/features/search/operations.ts'
import { findQueryTerms, weighWords } from '../src/features/search/query-terms.ts'
import { findSimilarities, listNearest } from '../src/features/search/similarities.ts'
import { openBundledEmbeddings } from '../src/platform/ai/embedder/local-embeddings.ts'
import { openQueryEmbedder } from '../src/platform/ai/query-embedder.ts'
import { sql } from '../src/platform/db/drizzle.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { MODEL_FOLDER } from './in-process.ts'
import { percentile } from './load.ts'
import { MODEL, ownerOf, seedPassages } from './search-seed.ts'
import { startProduct } from './server.ts'
import { rounded } from './table.ts'

/** Queries that are not measured: a server that has just started still compiles its code and reads from disk. */
const WARM_UP = 160
/** The p95 of 270 queries varies by a tenth between runs. A fast search has time for more queries. */
const MEASURED = { small: 1_500, large: 270 }
const SHOWN = 10

/** Measures search for owners of different size, in turns with the same SQL by hand, one request at a time. */
export async function measureSearchLatency(sizes: readonly number[], again: boolean) {
  const url = await seedPassages(sizes, again)
  const opened = await openDatabase({ url, dataDir: '', share: false, name: 'parlance bench', onError: console.error })
  const tokens = new Map<number, string>()
  for (const size of sizes) {
    tokens.set(size, (await issueToken(opened.db, ownerOf(size), 'bench', ['sessions:search'], new Date())).token)
  }
  await opened.close()
  const server = await startProduct({ DATABASE_URL: url })
  const client = new Client(server.url)
  const byHand = await openByHand(url)
  try {
    const rows = []
    let asked = 0
    const nextQuery = () => queryOf(asked++)
    for (const size of sizes) rows.push(await compare(client, byHand, size, tokens.get(size) ?? '', nextQuery))
    return rows
  } finally {
    await byHand.close()
    await client.close()
    await server.stop()
  }
}

async function compare(
  client: Client,
  byHand: Awaited<ReturnType<typeof openByHand>>,
  size: number,
  token: string,
  nextQuery: () => string
) {
  const latencies: { product: number[]; hand: number[] } = { product: [], hand: [] }
  const queries = WARM_UP + (size <= EXACT_UNTIL ? MEASURED.small : MEASURED.large)
  for (let n = 0; n < queries; n++) {
    const products = async (query: string) => {
      const { statusCode, headers, body } = await client.request({
        method: 'POST',
        path: '/v1/sessions/search',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query })
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`A search answers with ${statusCode}: ${text}`)
      if (headers['x-search-mode'])
        throw new Error('A query got no embedding in time: this machine is too busy for the benchmark')
    }
    const ways = [
      { name: 'product' as const, search: products },
      { name: 'hand' as const, search: (query: string) => byHand.search(ownerOf(size), query) }
    ]
    // The two ways get different queries and take turns to go first: the second way reads from memory what the first has read.
    for (const { name, search } of n % 2 ? ways.toReversed() : ways) {
      const query = nextQuery()
      const from = performance.now()
      await search(query)
      if (n >= WARM_UP) latencies[name].push(performance.now() - from)
    }
  }
  const [product, hand] = [latencies.product, latencies.hand].map(all => all.sort((a, b) => a - b))
  const p95 = { product: percentile(product ?? [], 0.95), hand: percentile(hand ?? [], 0.95) }
  return {
    search: `${size.toLocaleString('en')} passages`,
    'p50 ms': rounded(percentile(product ?? [], 0.5), 1),
    'p95 ms': rounded(p95.product, 1),
    'by hand p50 ms': rounded(percentile(hand ?? [], 0.5), 1),
    'by hand p95 ms': rounded(p95.hand, 1),
    'p95 / by hand': rounded(p95.product / p95.hand, 2),
    // A small owner has no vector index.
    'recall of vectors': size <= EXACT_UNTIL ? 1 : rounded(await byHand.recall(ownerOf(size)), 3)
  }
}

const RECALLED = 20
/** Makes a query of six frequent and rare words, as questions have them. No query repeats, because its vector would be cached. */
export function queryOf(n: number) {
  const spread = (at: number) => (Math.imul(n * 6 + at + 1, 2_654_435_761) >>> 0) / 2 ** 32
  return Array.from({ length: 6 }, (_, at) => `w${Math.floor(Math.exp(3 + 5.9 * spread(at)))}`).join(' ')
}

/** Opens the statements alone, without HTTP, access checks and excerpts, with query embeddings from the same model. */
async function openByHand(url: string) {
  const opened = await openDatabase({ url, dataDir: '', share: false, name: 'by hand', onError: console.error })
  const { db, slow: reader } = opened
  const embeddings = await openBundledEmbeddings(MODEL_FOLDER)
  const embedder = openQueryEmbedder(embeddings, { now: () => new Date() }, 60_000)
  return {
    async search(userId: string, query: string) {
      const { words: asked, compounds } = queryWordsOf(query)
      const words = weighWords(asked)
      const joined = compounds.map(compound => compound.joined)
      const byWords = stemByLibrary(db, userId, [...words.keys(), ...joined]).then(stems =>
        findQueryTerms(reader, userId, words, stems, compounds)
      )
      const byMeaning = embedder.find(query).then(async ({ near }) => {
        if (!near) throw new Error('The model does not answer')
        return { near, nearest: await listNearest(reader, userId, near, undefined, CANDIDATES) }
      })
      const terms = await byWords
      const bounded = await findLexicalCandidates(reader, userId, terms, undefined, CANDIDATES)
      const lexical = [...new Set(bounded.map(({ sessionId }) => sessionId))]
      const { near, nearest } = await byMeaning
      const others = lexical.filter(id => !nearest.has(id))
      const [scored, similarities] = await Promise.all([
        scoreSessions(reader, userId, [...nearest.keys(), ...others], terms),
        findSimilarities(reader, userId, near, sql`and session_id = any(${sql.param(others)}::text[])`, CANDIDATES)
      ])
      const similarityOf = (id: string) => nearest.get(id) ?? similarities.get(id)
      const compared = scored.map(one => ({ ...one, similarity: similarityOf(one.sessionId) }))
      const shown = rankSessions(compared).slice(0, SHOWN)
      return await findFound(reader, userId, shown, near, 1)
    },
    /** Returns the share of the ten nearest sessions that the index finds too, for vectors slightly beside that of a passage. */
    async recall(userId: string) {
      let found = 0
      for (let n = 0; n < RECALLED; n++) {
        const sessionId = `ses_${String(1 + n * 37).padStart(26, '0')}`
        const [row] = await reader.query<{ vector: string }>(sql`
          select vector::text as vector from embeddings where user_id = ${userId} and session_id = ${sessionId} and ordinal = 7`)
        const vector = JSON.parse(row?.vector ?? '[]').map(
          (value: number, at: number) => value + (((at * 7919 + n * 104_729) % 101) / 101 - 0.5) * 0.04
        )
        const near = { model: MODEL, vector }
        const exact = new Set((await findSimilarities(reader, userId, near, undefined, 10)).keys())
        const indexed = await listNearest(reader, userId, near, undefined, CANDIDATES)
        found += [...exact].filter(id => indexed.has(id)).length
      }
      return found / RECALLED / 10
    },
    async close() {
      await Promise.all([embeddings.close(), opened.close()])
    }
  }
}
