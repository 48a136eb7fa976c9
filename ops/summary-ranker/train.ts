/**
 * Trains the ranker of the offline summarizer's key points on the train part of QMSum, and shows how good it is:
 *
 *   node ops/summary-ranker/train.ts DIR [--write]
 *
 * DIR has train.jsonl and val.jsonl. Meetings of val are never learned from. For each of the three domains the ranker is also trained without it and
 * tried on it, which tells how well it does on meetings unlike those that it knows. Compared are the key points alone, with human summaries, and with
 * those of LexRank at the same length. --write puts the weights into src/platform/ai/summarizer/ranking.json.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Meeting, readMeetings } from '../../bench/qmsum.ts'
import { rougeOf, stemsOf } from '../../bench/summaries/rouge.ts'
import { domainOf } from '../../bench/summaries/scores.ts'
import { rounded, table } from '../../bench/table.ts'
import { isReadable, listCandidates, pickKeyPoints } from '../../src/platform/ai/summarizer/key-points.ts'
import { openLanguage } from '../../src/platform/ai/summarizer/language.ts'
import { FEATURES, openRanker, type Ranking } from '../../src/platform/ai/summarizer/ranker.ts'
import { readSentences, type Sentence } from '../../src/platform/ai/summarizer/sentences.ts'
import type { Surveyed } from '../../src/platform/ai/summarizer/survey.ts'
import { splitTopics } from '../../src/platform/ai/summarizer/topics.ts'
import { fitRidge } from './ridge.ts'

const OUTPUT = new URL('../../src/platform/ai/summarizer/ranking.json', import.meta.url)
const ENGLISH = openLanguage('en')
const NONE: ReadonlySet<number> = new Set()
/** A word counts if it is said in this share of the meetings of each domain: words of one subject say nothing elsewhere. */
const MIN_WORD_SHARE = 0.25
/** So many words stay, those that change ratings most. */
const MAX_WORDS = 300
const PENALTIES = { features: 30, words: 100 }
/** What makes a sentence good: stems, pairs of stems and topic words that the human summary has as well, for its length. */
const TARGET = { stem: 0.5, pair: 3, term: 1, spareStems: 8 }

interface Prepared {
  part: string
  domain: string
  topics: Sentence[][]
  candidates: Surveyed[]
  targets: number[]
  references: string[]
  /** All words that are said. */
  words: ReadonlySet<string>
}

function prepare(meeting: Meeting): Prepared {
  const topics = splitTopics(readSentences(meeting.document.segments, ENGLISH))
  const references = meeting.questions.flatMap(({ spans, summary }) => (spans.length === 0 ? [summary] : []))
  const candidates = listCandidates(topics, NONE).filter(({ sentence }) => isReadable(sentence))
  const wanted = stemsOf(references[0] ?? '')
  return {
    part: meeting.part,
    domain: domainOf(meeting),
    topics,
    candidates,
    targets: candidates.map(({ sentence }) => targetOf(sentence, wanted)),
    references,
    words: new Set(topics.flat().flatMap(({ words }) => words))
  }
}

function targetOf({ text, terms }: Sentence, wanted: readonly string[]) {
  const stems = stemsOf(text)
  const left = Map.groupBy(wanted, stem => stem)
  const common = stems.filter(stem => left.get(stem)?.pop() !== undefined).length
  const pairs = new Set(pairsOf(stems)).intersection(new Set(pairsOf(wanted))).size
  const named = new Set(terms).intersection(new Set(wanted)).size
  return (TARGET.stem * common + TARGET.pair * pairs + TARGET.term * named) / (stems.length + TARGET.spareStems)
}

function pairsOf(stems: readonly string[]) {
  return stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`)
}

/** Trains on these meetings. */
function train(meetings: readonly Prepared[]): Ranking {
  const candidates = meetings.flatMap(({ candidates }) => candidates)
  const targets = meetings.flatMap(meeting => meeting.targets)
  const scales = Object.entries(FEATURES).map(([name, describe]) => ({
    name,
    describe,
    ...scaleOf(candidates.map(describe))
  }))
  const learn = (vocabulary: readonly string[]) => {
    const numbers = new Map(vocabulary.map((word, number) => [word, number]))
    const examples = candidates.map((one, at) => ({
      features: scales.map(({ describe, mean, deviation }) => (describe(one) - mean) / deviation),
      words: [...new Set(one.sentence.words)].flatMap(word => numbers.get(word) ?? []),
      target: targets[at] ?? 0
    }))
    return fitRidge(examples, vocabulary.length, PENALTIES)
  }
  const everyday = findEverydayWords(meetings)
  const first = learn(everyday).slice(scales.length)
  const effects = everyday.map((word, at) => {
    const share = candidates.filter(({ sentence }) => sentence.words.includes(word)).length / candidates.length
    return { word, effect: Math.abs(first[at] ?? 0) * Math.sqrt(share * (1 - share)) }
  })
  const kept = effects
    .sort((a, b) => b.effect - a.effect)
    .slice(0, MAX_WORDS)
    .map(({ word }) => word)
    .sort()
  const weights = learn(kept)
  const raw = toRanking(scales, kept, weights, 1)
  return toRanking(scales, kept, weights, scaleOf(candidates.map(openRanker(raw))).deviation)
}

function toRanking(
  scales: readonly { name: string; mean: number; deviation: number }[],
  words: readonly string[],
  weights: readonly number[],
  deviation: number
): Ranking {
  const weightAt = (at: number) => rounded((weights[at] ?? 0) / deviation, 4)
  return {
    features: Object.fromEntries(
      scales.map(({ name, mean, deviation: own }, at) => [
        name,
        { mean: rounded(mean, 4), deviation: rounded(own, 4), weight: weightAt(at) }
      ])
    ),
    words: Object.fromEntries(words.map((word, at) => [word, weightAt(scales.length + at)]))
  }
}

function scaleOf(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return { mean, deviation: Math.sqrt(variance) || 1 }
}

function findEverydayWords(meetings: readonly Prepared[]): string[] {
  const [first, ...others] = [...Map.groupBy(meetings, ({ domain }) => domain).values()].map(ofDomain => {
    const said = Map.groupBy(
      ofDomain.flatMap(({ words }) => [...words]),
      word => word
    )
    return new Set(
      [...said].flatMap(([word, { length }]) => (length >= MIN_WORD_SHARE * ofDomain.length ? [word] : []))
    )
  })
  return [...others.reduce((common, words) => common.intersection(words), first ?? new Set<string>())].sort()
}

/** ROUGE of the key points that a rating picks. */
function measure(name: string, meetings: readonly Prepared[], rate: (one: Surveyed) => number) {
  const scores = meetings.map(({ topics, references }) => {
    const texts = pickKeyPoints(topics, NONE, ENGLISH, rate)
      .flat()
      .map(({ text }) => text)
    return { ...rougeOf(texts.join('\n'), references), words: texts.join(' ').split(' ').length }
  })
  const mean = (of: (score: (typeof scores)[number]) => number) =>
    scores.reduce((sum, score) => sum + of(score), 0) / scores.length
  return {
    [`${name} -1`]: rounded(
      mean(({ one }) => one),
      4
    ),
    [`${name} -2`]: rounded(
      mean(({ two }) => two),
      4
    ),
    [`${name} words`]: rounded(mean(({ words }) => words))
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } }
})
const meetings = readMeetings(positionals[0] ?? '.').map(prepare)
const known = meetings.filter(({ part }) => part === 'train')
const ranking = train(known)
const domains = [...new Set(meetings.map(({ domain }) => domain))]
const byCentrality = ({ centrality }: Surveyed) => centrality
const compare = (name: string, tried: readonly Prepared[], learned: Ranking) => ({
  meetings: name,
  count: tried.length,
  ...measure('ranker', tried, openRanker(learned)),
  ...measure('LexRank', tried, byCentrality)
})
console.log(
  table([
    compare('train', known, ranking),
    compare(
      'val',
      meetings.filter(({ part }) => part !== 'train'),
      ranking
    ),
    ...domains.map(domain =>
      compare(
        `${domain}, unknown`,
        meetings.filter(meeting => meeting.domain === domain),
        train(known.filter(meeting => meeting.domain !== domain))
      )
    )
  ])
)
if (values.write) {
  const madeFrom = {
    data: 'QMSum (Zhong et al., 2021, MIT), https://github.com/Yale-LILY/QMSum: the meetings of its train part and their summaries',
    meetings: known.length,
    sentences: known.reduce((sum, { candidates }) => sum + candidates.length, 0),
    by: 'node ops/summary-ranker/train.ts DIR --write'
  }
  writeFileSync(OUTPUT, `${JSON.stringify({ madeFrom, ...ranking }, null, 2)}\n`)
}
