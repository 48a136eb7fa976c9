import { join } from 'node:path'
import { offlineAi } from '../src/ai/offline.ts'
import { openDatabase } from '../src/db/open.ts'
import { openQueryEmbeddings, type QueryEmbeddings } from '../src/search/query-embeddings.ts'
import { type Search, searchSessions } from '../src/search/search.ts'
import { openStems } from '../src/search/stems.ts'
import { openVectorIndexes } from '../src/search/vector-indexes.ts'
import { weightsOf } from '../src/search/weights.ts'
import { INDEX_VERSION } from '../src/search-index/index-session.ts'
import { databaseUrl, findLabel, labelDatabase, recreateDatabase, withClient } from './database.ts'
import { measureImport, temporaryDirectory } from './import.ts'
import { convertMeetings, type Question, readQuestions } from './qmsum.ts'
import { rounded } from './table.ts'

/** Where QMSum's meetings are, with all that is made of them, once their quality was measured. */
export const MEETINGS = 'parlance_bench_search'
const FOUND_AMONG = 10

/** How well meetings are found by questions and by their summaries: by words, by vectors, and by both. A row each. */
export async function measureSearchQuality(folder: string | undefined, again: boolean) {
  if (!folder) throw new Error('search: name the folder of QMSum’s *.jsonl with --qmsum DIR or QMSUM_DIR')
  const url = databaseUrl(MEETINGS)
  await importOnce(folder, again)
  const questions = readQuestions(folder)
  const meetings = await withClient(url, async client => {
    const { rows } = await client.query('select external_id, session_id, user_id from sessions')
    return new Map(rows.map(row => [String(row.external_id), { id: String(row.session_id), userId: String(row.user_id) }]))
  })
  const opened = await openDatabase({ url, dataDir: '', share: false, name: 'parlance bench', onError: console.error })
  const ai = offlineAi()
  const clock = { now: () => new Date() }
  const vectors = openQueryEmbeddings(ai, clock, 60_000)
  const none: QueryEmbeddings = { model: vectors.model, find: async () => undefined }
  const usual = {
    replica: opened.db,
    slow: opened.db,
    vectors,
    stems: openStems(opened.db),
    indexes: openVectorIndexes(opened.db),
    weights: weightsOf(vectors.model)
  }
  const ways: Record<string, Search> = {
    lexical: { ...usual, vectors: none },
    vector: { ...usual, weights: { session: 1e6, passage: 1e6 } },
    fused: usual
  }
  const rows = []
  try {
    for (const part of [...new Set(questions.map(({ part }) => part))]) {
      for (const [way, search] of Object.entries(ways)) {
        console.log(`Searching ${part}: ${way} …`)
        const mine = questions.filter(question => question.part === part)
        const asked = await ask(
          search,
          mine.filter(({ spans }) => spans.length > 0),
          meetings,
          ({ question }) => question
        )
        const summarised = await ask(search, mine, meetings, ({ summary }) => summary)
        rows.push({
          search: `${part}, ${way}`,
          questions: asked.queries,
          'nDCG@10': rounded(asked.ndcg, 4),
          'found %': rounded(asked.found * 100, 1),
          'passage %': rounded(asked.passage * 100, 1),
          summaries: summarised.queries,
          'nDCG@10 of summaries': rounded(summarised.ndcg, 4)
        })
      }
    }
  } finally {
    await ai.close()
    await opened.close()
  }
  return rows
}

type Meetings = Map<string, { id: string; userId: string }>

async function ask(search: Search, questions: Question[], meetings: Meetings, queryOf: (question: Question) => string) {
  let [ndcg, found, passage] = [0, 0, 0]
  for (const question of questions) {
    const meeting = meetings.get(question.meeting)
    if (!meeting) throw new Error(`${question.meeting} is not in ${MEETINGS}; import it with --reseed`)
    const asked = { query: queryOf(question), limit: FOUND_AMONG, filter: {}, passages: true }
    const { results } = await searchSessions(search, meeting.userId, asked)
    const rank = results.findIndex(({ id }) => id === meeting.id)
    if (rank < 0) continue
    ndcg += 1 / Math.log2(rank + 2)
    found++
    const passages = results[rank]?.passages ?? []
    if (passages.some(({ start, end }) => question.spans.some(({ from, to }) => (start ?? 0) < to && (end ?? 0) > from))) passage++
  }
  const queries = questions.length
  return { queries, ndcg: ndcg / queries, found: found / queries, passage: passage / Math.max(found, 1) }
}

/** The meetings as the product takes them in, with everything it makes of them. */
async function importOnce(folder: string, again: boolean) {
  const label = `search ${INDEX_VERSION}`
  if (!again && (await findLabel(MEETINGS)) === label) return
  await recreateDatabase(MEETINGS)
  const file = join(temporaryDirectory(), 'meetings.jsonl')
  const meetings = await convertMeetings(folder, file)
  await measureImport('postgres', { DATABASE_URL: databaseUrl(MEETINGS) }, file, meetings)
  await labelDatabase(MEETINGS, label)
}
