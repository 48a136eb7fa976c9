/** Picks the sentences that say most about a conversation, topic by topic. */
import { countValues } from '../../text/frequency.ts'
import { ENGLISH_EMPTY, ENGLISH_MEETING, ENGLISH_ROUGH, ENGLISH_TORN, HAS_NUMBER } from './english.ts'
import type { Language } from './language.ts'
import { MAX_OVERLAP, overlap, pickBest } from './picking.ts'
import { openRanker } from './ranker.ts'
import type { Sentence } from './sentences.ts'
import { type Surveyed, surveySentences } from './survey.ts'

/** In a topic with few sentences, key points may have fewer terms. */
const SHORT_TOPIC_SENTENCES = 20
/** The words of all key points: so many, one more for each WORDS_PER_WORD that are said, but no more than a share of these. */
const MIN_WORDS = 160
const WORDS_PER_WORD = 400
const MAX_WORDS = 250
const MAX_SHARE = 0.2
const MIN_POINTS = 3
/** A longer last point may exceed the words by this many. */
const SPARE_WORDS = 8
/** The rating of a sentence is so much higher if its topic has no point yet. */
const NEW_TOPIC_RATING = 0.5

/** The others come after all of these where too few can be read alone. */
const UNREADABLE_LOSS = 100

/** The beginning of a sentence that depends on the sentences around it. */
const DEPENDENT_START = /^(?:it|that|this|these|those|they|he|she|there|here|them)(?:['’](?:s|re|ll|ve|d))? /i

/** In a language without rules, as many points a topic, and the first sentence of a topic weighs this much more than its last. */
const WORDS_PER_POINT = 110
const MIN_POINTS_PER_TOPIC = 2
const MAX_POINTS = 13
const FIRST_WEIGHT = 1.3
/** The weight of the whole conversation's terms beside those of the topic, and of a sentence with a number or a false start. */
const OVERALL_WEIGHT = 1.5
const NUMBER_WEIGHT = 1.3
const BROKEN_WEIGHT = 0.6

interface Rated {
  sentence: Sentence
  terms: ReadonlySet<string>
  topic: number
  rating: number
}

/** The key points of each topic, in the order of the conversation. The sentences in `used` stand in other sections. */
export function pickKeyPoints(
  topics: readonly (readonly Sentence[])[],
  used: ReadonlySet<number>,
  { isEnglish }: Language,
  rate: (one: Surveyed) => number = openRanker()
): Sentence[][] {
  if (!isEnglish) return pickFrequent(topics, used)
  const candidates = listCandidates(topics, used)
  const readable = new Set(candidates.filter(({ sentence }) => isReadable(sentence)))
  const rated = (readable.size < MIN_POINTS ? candidates : [...readable]).map(one => ({
    sentence: one.sentence,
    rating: rate(one) - (readable.has(one) ? 0 : UNREADABLE_LOSS)
  }))
  const picked = new Set(pickRated(rated, topics))
  return topics.map(topic => topic.filter(sentence => picked.has(sentence)))
}

/** The sentences of English topics that may be key points, surveyed. */
export function listCandidates(topics: readonly (readonly Sentence[])[], used: ReadonlySet<number>): Surveyed[] {
  const short = new Set(topics.filter(({ length }) => length < SHORT_TOPIC_SENTENCES).flat())
  return surveySentences(topics).filter(
    ({ sentence }) => isPossible(sentence, short.has(sentence) ? 2 : 3, used) && !ENGLISH_EMPTY.test(sentence.text)
  )
}

/** Returns whether an English sentence can be read alone, as writing. */
export function isReadable({ text }: Pick<Sentence, 'text'>): boolean {
  return ![DEPENDENT_START, ENGLISH_ROUGH, ENGLISH_TORN, ENGLISH_MEETING].some(pattern => pattern.test(text))
}

function isPossible({ isComplete, isQuestion, terms, index }: Sentence, minTerms: number, used: ReadonlySet<number>) {
  return isComplete && !isQuestion && new Set(terms).size >= minTerms && !used.has(index)
}

/**
 * Takes the sentence with the highest rating, and leaves out those that say the same, until there are enough words. Each step reads all candidates once,
 * and the words bound the steps.
 */
function pickRated(
  candidates: readonly Pick<Rated, 'sentence' | 'rating'>[],
  topics: readonly (readonly Sentence[])[]
): Sentence[] {
  const topicOf = new Map(topics.flatMap((topic, number) => topic.map(sentence => [sentence, number] as const)))
  const said = topics.flat().reduce((sum, { words }) => sum + words.length, 0)
  const enough = Math.min(MAX_WORDS, MIN_WORDS + said / WORDS_PER_WORD, said * MAX_SHARE)
  const covered = new Set<number>()
  const picked: Sentence[] = []
  let words = 0
  let left: Rated[] = candidates.map(({ sentence, rating }) => ({
    sentence,
    terms: new Set(sentence.terms),
    topic: topicOf.get(sentence) ?? 0,
    rating
  }))
  const ratingOf = ({ rating, topic }: Rated) => rating + (covered.has(topic) ? 0 : NEW_TOPIC_RATING)
  while (left.length > 0 && (words < enough || picked.length < MIN_POINTS)) {
    const best = left.reduce((a, b) => (ratingOf(b) > ratingOf(a) ? b : a))
    picked.push(best.sentence)
    covered.add(best.topic)
    words += best.sentence.words.length
    const room = picked.length < MIN_POINTS ? Number.POSITIVE_INFINITY : enough + SPARE_WORDS - words
    left = left.filter(
      ({ sentence, terms }) => sentence.words.length <= room && overlap(terms, best.terms) < MAX_OVERLAP
    )
  }
  return picked
}

/** In a language without rules: the sentences of each topic with the most frequent terms, and rather the first. */
export function pickFrequent(
  topics: readonly (readonly Sentence[])[],
  used: ReadonlySet<number>,
  perTopic = countPerTopic(topics)
): Sentence[][] {
  const sentences = topics.flat()
  const overall = countValues(sentences.flatMap(({ terms }) => terms))
  return topics.map(topic => {
    const frequencies = countValues(topic.flatMap(({ terms }) => terms))
    const minTerms = topic.length < SHORT_TOPIC_SENTENCES ? 2 : 3
    const places = new Map(topic.map((sentence, place) => [sentence, place / topic.length]))
    const weigh = (sentence: Sentence) => FIRST_WEIGHT - (FIRST_WEIGHT - 1) * (places.get(sentence) ?? 1)
    return pickBest(
      topic.filter(sentence => isPossible(sentence, minTerms, used)),
      perTopic,
      sentence => scoreFrequency(sentence, frequencies, overall) * weigh(sentence)
    )
  })
}

function countPerTopic(topics: readonly (readonly Sentence[])[]) {
  const words = topics.flat().reduce((sum, sentence) => sum + sentence.words.length, 0)
  const count = Math.min(MAX_POINTS, Math.max(MIN_POINTS, Math.round(words / WORDS_PER_POINT)))
  return Math.max(MIN_POINTS_PER_TOPIC, Math.round(count / topics.length))
}

/** The terms of a sentence and their frequency, in every language. */
function scoreFrequency(
  { terms, text, words, isFluent }: Sentence,
  frequencies: ReadonlyMap<string, number>,
  overall: ReadonlyMap<string, number>
) {
  const sum = [...new Set(terms)].reduce(
    (total, term) =>
      total + Math.log(1 + (frequencies.get(term) ?? 0)) + OVERALL_WEIGHT * Math.log(1 + (overall.get(term) ?? 0)),
    0
  )
  return (
    (sum / (words.length + 6) ** 0.9) * (HAS_NUMBER.test(text) ? NUMBER_WEIGHT : 1) * (isFluent ? 1 : BROKEN_WEIGHT)
  )
}
