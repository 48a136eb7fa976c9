/**
 * Rates English sentences by how much of them a person would take over into a summary.
 *
 * The model is linear: a sentence has a number for each of FEATURES, and a list of everyday words of which it has some. Each feature, in deviations from
 * its mean, and each word has a weight, and the rating is their sum. `ops/summary-ranker/train.ts` finds the weights in meetings with summaries that
 * people wrote, and ranking.json has them with where they come from. A rating of 1 is one deviation above the mean.
 */
import { ENGLISH_TELLING, HAS_NUMBER } from './english.ts'
import ranking from './ranking.json' with { type: 'json' }
import type { Surveyed } from './survey.ts'

export interface Ranking {
  features: Record<string, { mean: number; deviation: number; weight: number }>
  words: Record<string, number>
}

const PROPOSING = /\b(?:should|could|propos\w+|suggest\w*|recommend\w*|maybe we|let['’]s|why don['’]t)\b/i
const NEGATION = /\b(?:not|no|never)\b|n['’]t\b/i
const FIRST_PERSON = /\b(?:I|my|me)\b/g
const GROUP = /\b(?:we|our|us)\b/gi
const LISTENER = /\b(?:you|your)\b/gi
const PRONOUNS = /\b(?:it|they|he|she|them|this|that|these|those)\b/gi
const HEDGES = /\b(?:maybe|perhaps|probably|I think|I guess|like|just|really|actually|kind|sort)\b/gi

/** The numbers that describe a sentence. */
export const FEATURES: Readonly<Record<string, (one: Surveyed) => number>> = {
  // How much it has in common with the others.
  centrality: ({ centrality }) => Math.log(centrality + 0.1),
  topicSimilarity: ({ topicSimilarity }) => Math.log(1 + topicSimilarity),
  overallSimilarity: ({ overallSimilarity }) => Math.log(1 + overallSimilarity),
  topicFrequency: ({ topicFrequency }) => topicFrequency,
  newTerms: ({ newTerms }) => newTerms,
  takenUpTerms: ({ takenUpTerms }) => takenUpTerms,
  // How long and how dense it is.
  length: ({ sentence }) => Math.log(1 + sentence.words.length),
  terms: ({ sentence }) => new Set(sentence.terms).size,
  termShare: ({ sentence }) => sentence.terms.length / (sentence.words.length || 1),
  commas: ({ sentence }) => countOf(/,/g, sentence.text),
  hasNumber: ({ sentence }) => Number(HAS_NUMBER.test(sentence.text)),
  // Its place in the conversation, and its speaker.
  place: ({ place }) => place,
  isOpening: ({ place }) => Number(place < 0.05),
  placeInTopic: ({ placeInTopic }) => placeInTopic,
  beginsTurn: ({ beginsTurn }) => Number(beginsTurn),
  isAnswer: ({ isAnswer }) => Number(isAnswer),
  speakerShare: ({ speakerShare }) => speakerShare,
  isFluent: ({ sentence }) => Number(sentence.isFluent),
  // How it is said.
  isTelling: ({ sentence }) => Number(ENGLISH_TELLING.test(sentence.text)),
  isProposing: ({ sentence }) => Number(PROPOSING.test(sentence.text)),
  isNegative: ({ sentence }) => Number(NEGATION.test(sentence.text)),
  firstPerson: ({ sentence }) => countOf(FIRST_PERSON, sentence.text),
  group: ({ sentence }) => countOf(GROUP, sentence.text),
  listener: ({ sentence }) => countOf(LISTENER, sentence.text),
  pronouns: ({ sentence }) => countOf(PRONOUNS, sentence.text),
  hedges: ({ sentence }) => countOf(HEDGES, sentence.text)
}

function countOf(pattern: RegExp, text: string) {
  return text.match(pattern)?.length ?? 0
}

/** Returns what rates sentences by a ranking; by default by the one that the package has. */
export function openRanker({ features, words }: Ranking = ranking): (one: Surveyed) => number {
  const weighed = Object.entries(features).map(([name, numbers]) => ({ ...numbers, describe: FEATURES[name] }))
  const weights = new Map(Object.entries(words))
  return one => {
    let rating = 0
    for (const { describe, mean, deviation, weight } of weighed) {
      if (describe) rating += (weight * (describe(one) - mean)) / deviation
    }
    for (const word of new Set(one.sentence.words)) rating += weights.get(word) ?? 0
    return rating
  }
}
