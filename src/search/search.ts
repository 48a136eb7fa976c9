import type { SearchResult } from '../contract/search.ts'
import type { Reader } from '../db/open.ts'
import { wordsOf } from '../terms/words.ts'
import { weightsOfWords } from './asking.ts'
import { type FoundByMeaning, type FoundByWords, scoreCandidates } from './candidates.ts'
import { type Excerpts, excerptsOf } from './excerpts.ts'
import type { Filter } from './filter.ts'
import { rankSessions, type Weights } from './fuse.ts'
import { type Breadth, type Found, type FoundPassage, findFound, listNearest, weighWords } from './queries.ts'
import { type QueryVectors, queryVector } from './query-vectors.ts'
import { type Worth, worthOf } from './score.ts'
import type { Stems } from './stems.ts'
import type { VectorIndexes } from './vector-indexes.ts'

export interface Search {
  /** Asked what is where; what it knows may be a little older than what is shown. */
  comparing: Reader
  showing: Reader
  vectors: QueryVectors
  indexes: VectorIndexes
  stems: Stems
  /** What likeness counts beside words. */
  weights: Weights
}

export interface Answer {
  results: SearchResult[]
  /** Whether meaning was compared, or words only. */
  mode: 'hybrid' | 'lexical'
}

/** Of a query of more words the longest count, which are the rarest. A summary has fewer. */
const ASKED = 64
/** So many words are looked up in the candidates, those that are worth most. */
const LOOKED = 40

/**
 * In a large library each word and each session that is looked at costs, and fewer must do: of 2,000 sessions, what is found among 50 is what is
 * found among 200.
 */
const USUAL = { frequent: 64, promising: 64, candidates: 100 }
const LARGE = { frequent: 12, promising: 3, candidates: 50 }
/** Words times sessions, in a large library: a long query tells more, and needs fewer sessions. */
const MOST_PLACES = 900

/** How wide to look for `words` of which `limit` sessions are shown. */
export function breadthOf(large: boolean, words: number, limit: number): Breadth {
  const most = large ? LARGE : USUAL
  const affordable = large ? Math.ceil(MOST_PLACES / Math.min(words, LOOKED)) : most.candidates
  return { ...most, candidates: Math.max(Math.min(affordable, most.candidates), 2 * limit), enough: limit }
}

/** The owner's sessions that answer the query best, by words and by meaning. */
export async function searchSessions(
  search: Search,
  userId: string,
  { query, limit, filter, passages }: { query: string; limit: number; filter: Filter; passages: boolean }
): Promise<Answer> {
  const { showing, stems, weights, indexes } = search
  const words = longest(weightsOfWords(wordsOf(query)), ASKED)
  if (words.size === 0) return { results: [], mode: 'hybrid' }
  const breadth = breadthOf(indexes.isLarge(userId), words.size, limit)
  const [{ worth, worths }, { near }, scored] = await scoreCandidates(
    search,
    userId,
    weigh(search, userId, words, filter, breadth),
    findNearest(search, userId, query, filter, breadth),
    limit
  )
  const mode = near ? 'hybrid' : 'lexical'
  if (scored.length === 0) return { results: [], mode }

  const likenessWeight = weights.passage * worth
  const ranked = rankSessions(scored, worth, weights).slice(0, limit)
  const found = await findFound(showing, userId, ranked, { likenessWeight, passages }, near)
  const scoreOf = ({ score, likeness = 0 }: FoundPassage) => rounded((score + likenessWeight * likeness) / worth)
  const excerpts = await excerptsOf(found, worths, scoreOf, stems)
  const bySession = new Map(found.map(({ item }, at) => [item.id, { item, excerpt: excerpts[at] }]))
  const results = ranked.flatMap(({ sessionId, likeness }) => {
    const { item, excerpt } = bySession.get(sessionId) ?? {}
    return item && excerpt ? [resultOf(item, excerpt, likeness, passages)] : []
  })
  return { results, mode }
}

/** What the words are worth, and the sessions that promise most of them: done while the query's vector is made. */
async function weigh(
  { comparing }: Search,
  userId: string,
  words: ReadonlyMap<string, number>,
  filter: Filter,
  breadth: Breadth
): Promise<FoundByWords> {
  const { worths, ...found } = await weighWords(comparing, userId, words, filter, breadth)
  return { ...found, worths: tellingOf(worths), worth: worthOfAll(worths) }
}

/** Words that nearly every passage has cost the most to look at and tell the least. */
function tellingOf(worths: Worth[]) {
  const most = Math.max(...worths.map(worthOf))
  const telling = worths.filter(worth => worthOf(worth) >= most / 20)
  return telling.toSorted((a, b) => worthOf(b) - worthOf(a)).slice(0, LOOKED)
}

/** What words can score grows with the query, also with words that nobody says. */
export function worthOfAll(worths: Worth[]) {
  return Math.max(
    worths.reduce((sum, worth) => sum + worthOf(worth), 0),
    1
  )
}

function resultOf({ phone, ...item }: Found['item'], excerpt: Excerpts, likeness: number | undefined, passages: boolean): SearchResult {
  return {
    ...item,
    ...(likeness !== undefined && { similarity: rounded(Math.min(Math.max(likeness, 0), 1)) }),
    snippet: excerpt.snippet,
    ...(passages && { passages: excerpt.passages }),
    ...(phone && { phone })
  }
}

async function findNearest(
  { comparing, vectors, indexes }: Search,
  userId: string,
  query: string,
  filter: Filter,
  breadth: Breadth
): Promise<FoundByMeaning> {
  const vector = await vectors.find(query)
  if (!vector) return { near: undefined, nearest: new Map() }
  const near = queryVector(vectors.model, vector)
  const index = indexes.find(userId, vectors.model, vector.length)
  return { near, nearest: await listNearest(comparing, userId, near, filter, breadth, index) }
}

function longest(words: Map<string, number>, most: number) {
  return words.size <= most ? words : new Map([...words].toSorted(([a], [b]) => b.length - a.length).slice(0, most))
}

function rounded(value: number) {
  return Math.round(value * 1e4) / 1e4
}
