/** Surveys a conversation for the ranker: what each sentence has in common with the others, and where in the conversation it stands. */
import { countValues } from '../../text/frequency.ts'
import type { Sentence } from './sentences.ts'

/** A sentence with its place among the others. */
export interface Surveyed {
  sentence: Sentence
  /** LexRank: how much a walk from sentence to similar sentence passes here; 1 on average. */
  centrality: number
  /** The sum of its similarities (cosine) with all sentences of its topic, and with all of the conversation. */
  topicSimilarity: number
  overallSimilarity: number
  /** The mean of the logarithms of its terms' frequencies in the topic. */
  topicFrequency: number
  /** The share of its terms that somebody says for the first time, and of those that others say again soon after. */
  newTerms: number
  takenUpTerms: number
  /** 0 is the beginning, 1 the end. */
  place: number
  placeInTopic: number
  /** True if somebody else spoke before. */
  beginsTurn: boolean
  /** The share of the conversation's words that its speaker says. */
  speakerShare: number
  /** True if somebody else has just asked something. */
  isAnswer: boolean
}

interface Weighed {
  /** Numbers of its terms, and the weight of each; the squares of the weights have the sum 1. */
  terms: number[]
  weights: number[]
}

const WALK_STEPS = 5
/** The share of steps that go to any sentence, as in the paper on LexRank. */
const JUMP = 0.15
/** Others take a term up within this many sentences. */
const SOON = 12

/** Surveys all sentences of a conversation, in time that grows with the number of their words. */
export function surveySentences(topics: readonly (readonly Sentence[])[]): Surveyed[] {
  const sentences = topics.flat()
  const weighed = weighTerms(sentences)
  const centralities = walk(weighed)
  const overall = toCentroid(weighed)
  const [fresh, takenUp] = [findNewTerms(sentences), findTakenUp(sentences)]
  const shares = speakerShares(sentences)
  let at = -1
  return topics.flatMap(topic => {
    const centroid = toCentroid(weighed.slice(at + 1, at + 1 + topic.length))
    const counts = countValues(topic.flatMap(({ terms }) => terms))
    return topic.map((sentence, placeInTopic) => {
      at++
      const before = sentences[at - 1]
      const own = weighed[at] ?? { terms: [], weights: [] }
      return {
        sentence,
        centrality: centralities[at] ?? 0,
        topicSimilarity: similarity(own, centroid),
        overallSimilarity: similarity(own, overall),
        topicFrequency: meanFrequency(sentence.terms, counts),
        newTerms: fresh[at] ?? 0,
        takenUpTerms: takenUp[at] ?? 0,
        place: at / sentences.length,
        placeInTopic: placeInTopic / topic.length,
        beginsTurn: before?.speaker !== sentence.speaker,
        speakerShare: shares.get(sentence.speaker) ?? 0,
        isAnswer: before?.isQuestion === true && before.speaker !== sentence.speaker
      }
    })
  })
}

/** The terms of each sentence, weighed by their frequency in it and their rarity in the conversation. */
function weighTerms(sentences: readonly Sentence[]): Weighed[] {
  const numbers = new Map<string, number>()
  const counted = sentences.map(({ terms }) => countValues(terms))
  const containing = countValues(counted.flatMap(counts => [...counts.keys()]))
  return counted.map(counts => {
    const weights = [...counts].map(
      ([term, count]) => count * Math.log(1 + sentences.length / (containing.get(term) ?? 1))
    )
    const length = Math.hypot(...weights) || 1
    const terms = [...counts.keys()].map(term => {
      const number = numbers.get(term) ?? numbers.size
      numbers.set(term, number)
      return number
    })
    return { terms, weights: weights.map(weight => weight / length) }
  })
}

/**
 * LexRank without a matrix of all pairs: the similarities of a sentence with all others have the sum of its products with the sum of all vectors,
 * so a step costs as much as the sentences have terms.
 */
function walk(weighed: readonly Weighed[]): number[] {
  const degrees = spread(
    weighed,
    weighed.map(() => 1)
  )
  let ranks = weighed.map(() => 1)
  for (let step = 0; step < WALK_STEPS; step++) {
    const reached = spread(
      weighed,
      ranks.map((rank, at) => rank / (degrees[at] || 1))
    )
    ranks = reached.map(rank => JUMP + (1 - JUMP) * rank)
  }
  return ranks
}

/** The sum of the similarities of each sentence with all others, each times the other's share. */
function spread(weighed: readonly Weighed[], shares: readonly number[]): number[] {
  const centroid = toCentroid(weighed, shares)
  // Its similarity with itself is 1, unless it has no terms.
  return weighed.map((one, at) =>
    Math.max(0, similarity(one, centroid) - Math.min(one.terms.length, 1) * (shares[at] ?? 0))
  )
}

/** The sum of the vectors, each times its share; by the numbers of terms. */
function toCentroid(weighed: readonly Weighed[], shares?: readonly number[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const [at, { terms, weights }] of weighed.entries()) {
    const share = shares ? (shares[at] ?? 0) : 1
    for (const [place, term] of terms.entries()) sums.set(term, (sums.get(term) ?? 0) + share * (weights[place] ?? 0))
  }
  return sums
}

function similarity({ terms, weights }: Weighed, centroid: ReadonlyMap<number, number>) {
  return terms.reduce((sum, term, at) => sum + (weights[at] ?? 0) * (centroid.get(term) ?? 0), 0)
}

/** The mean of the logarithms of how often the distinct terms are said. */
function meanFrequency(terms: readonly string[], counts: ReadonlyMap<string, number>) {
  const distinct = new Set(terms)
  let sum = 0
  for (const term of distinct) sum += Math.log(counts.get(term) ?? 1)
  return sum / (distinct.size || 1)
}

/** The share of terms that no sentence before has. */
function findNewTerms(sentences: readonly Sentence[]): number[] {
  const said = new Set<string>()
  return sentences.map(({ terms }) => {
    const fresh = terms.filter(term => !said.has(term)).length
    for (const term of terms) said.add(term)
    return fresh / (terms.length || 1)
  })
}

/** The share of terms that another speaker says within the next sentences. */
function findTakenUp(sentences: readonly Sentence[]): number[] {
  // For each term the last two speakers after the sentence, with the place where they say it: of the two, one is another's.
  const later = new Map<string, { speaker: string; at: number }[]>()
  return sentences
    .map(({ terms, speaker }, at) => ({ terms, speaker, at }))
    .reverse()
    .map(({ terms, speaker, at }) => {
      const taken = terms.filter(term =>
        later.get(term)?.some(other => other.speaker !== speaker && other.at - at <= SOON)
      ).length
      for (const term of terms) {
        const others = (later.get(term) ?? []).filter(other => other.speaker !== speaker)
        later.set(term, [{ speaker, at }, ...others.slice(0, 1)])
      }
      return taken / (terms.length || 1)
    })
    .reverse()
}

function speakerShares(sentences: readonly Sentence[]): Map<string, number> {
  const counts = new Map<string, number>()
  let all = 0
  for (const { speaker, words } of sentences) {
    counts.set(speaker, (counts.get(speaker) ?? 0) + words.length)
    all += words.length
  }
  return new Map([...counts].map(([speaker, count]) => [speaker, count / (all || 1)]))
}
