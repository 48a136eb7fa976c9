import { countValues } from '../../text/frequency.ts'
import {
  ENGLISH_EMPTY,
  ENGLISH_MEETING,
  ENGLISH_OPEN,
  ENGLISH_ROUGH,
  ENGLISH_SMALL_TALK,
  ENGLISH_TELLING
} from './english.ts'
import * as other from './other-languages.ts'
import type { Sentence } from './sentences.ts'

const MAX_QUESTIONS = 3
/** In a topic with few sentences, key points may have fewer terms. */
const SHORT_TOPIC_SENTENCES = 20
/** Two sentences with this share of terms in common are one. */
const MAX_OVERLAP = 0.4
/** In a language without rules, the first sentence of a topic weighs this much more than its last: people say first what it is about. */
const FIRST_WEIGHT = 1.3
/** The weight of the whole conversation's terms beside those of the topic. */
const OVERALL_WEIGHT = 1.5
/** An answer follows within this many sentences, and has this many words. */
const ANSWER_SENTENCES = 6
const MIN_ANSWER_WORDS = 5
/** A speaker who goes on for this many words does not wait for an answer. */
const RHETORICAL_WORDS = 35
const YES_OR_NO = /^(?:yes|yeah|yep|no|nope|right|exactly|correct|sure|true|ja|nein|oui|non|sí|si)(?!\p{L})/iu
const UNSURE =
  /\b(?:I don['’]t know|no idea|not sure|we['’]ll (?:see|find out|check)|who knows|weiß ich (?:noch )?nicht|ne sais pas|no (?:lo )?sé)(?!\p{L})|不知道/iu
const TELLING_WEIGHT = 1.3
const NUMBERS = /[%€$£]|\b\d{2,}\b/
/** The beginning of a sentence that depends on the sentences around it. */
const DEPENDENT_START = /^(?:it|that|this|these|those|they|he|she|there|here|them)(?:['’](?:s|re|ll|ve|d))? /i
const PERSONAL_START = /^(?:I|I['’]\p{L}+|my|you|you['’]\p{L}+|do|does|tell|let|please|if) /iu

/** The sentences that say most about a topic, in the order of the conversation. */
export function pickKeyPoints(
  topic: readonly Sentence[],
  count: number,
  { overall = new Map(), isEnglish }: { overall?: ReadonlyMap<string, number>; isEnglish: boolean }
): Sentence[] {
  const frequencies = countValues(topic.flatMap(({ terms }) => terms))
  const minTerms = topic.length < SHORT_TOPIC_SENTENCES ? 2 : 3
  const candidates = topic.filter(({ isComplete, isQuestion, terms, text }) => {
    const isEmpty = isEnglish && ENGLISH_EMPTY.test(text)
    return isComplete && !isQuestion && new Set(terms).size >= minTerms && !isEmpty
  })
  const places = new Map(topic.map((sentence, place) => [sentence, place / topic.length]))
  const weigh = (sentence: Sentence) =>
    isEnglish ? weighEnglish(sentence) : FIRST_WEIGHT - (FIRST_WEIGHT - 1) * (places.get(sentence) ?? 1)
  return pickBest(candidates, count, sentence => scorePoint(sentence, frequencies, overall) * weigh(sentence))
}

/** Questions without an answer, and sentences that call something open. */
export function pickQuestions(sentences: readonly Sentence[], isEnglish: boolean): Sentence[] {
  const open = isEnglish ? ENGLISH_OPEN : other.OPEN
  const found = sentences.filter(({ isComplete, isQuestion, terms, text, index, speaker }) => {
    if (!isComplete || !isQuestion) return isComplete && open.test(text)
    const isAsked = terms.length > 1 && !(isEnglish && ENGLISH_SMALL_TALK.test(text))
    return isAsked && !isAnswered(speaker, sentences.slice(index + 1, index + 1 + ANSWER_SENTENCES), open)
  })
  return pickBest(found, MAX_QUESTIONS, ({ terms }) => terms.length)
}

function isAnswered(asker: string, following: readonly Sentence[], open: RegExp) {
  let ownWords = 0
  for (const { speaker, words, text, isQuestion } of following) {
    if (speaker === asker) ownWords += words.length
    else if (open.test(text) || UNSURE.test(text)) return false
    else if (YES_OR_NO.test(text) || (!isQuestion && words.length >= MIN_ANSWER_WORDS)) return true
    if (ownWords > RHETORICAL_WORDS) return true
  }
  return false
}

/** The sentences with the highest scores that differ from each other, in the order of the conversation. */
export function pickBest(sentences: readonly Sentence[], count: number, scoreOf: (sentence: Sentence) => number) {
  const scored = sentences.map(sentence => ({ sentence, score: scoreOf(sentence) }))
  const picked: Sentence[] = []
  for (const { sentence } of scored.sort((a, b) => b.score - a.score)) {
    if (picked.length < count && picked.every(other => overlap(other, sentence) < MAX_OVERLAP)) picked.push(sentence)
  }
  return picked.sort((a, b) => a.index - b.index)
}

function overlap(a: Sentence, b: Sentence) {
  const [left, right] = [new Set(a.terms), new Set(b.terms)]
  return left.intersection(right).size / (Math.min(left.size, right.size) + 1)
}

/** The terms of a sentence and their frequency, in every language. */
function scorePoint(
  { terms, text, words, isFluent }: Sentence,
  frequencies: ReadonlyMap<string, number>,
  overall: ReadonlyMap<string, number>
) {
  const sum = [...new Set(terms)].reduce(
    (total, term) =>
      total + Math.log(1 + (frequencies.get(term) ?? 0)) + OVERALL_WEIGHT * Math.log(1 + (overall.get(term) ?? 0)),
    0
  )
  const density = sum / (words.length + 6) ** 0.9
  return density * (NUMBERS.test(text) ? TELLING_WEIGHT : 1) * (isFluent ? 1 : 0.6)
}

/** The words of a sentence that make it weigh more or less in English. Other languages have words that look like them. */
function weighEnglish({ text }: Sentence) {
  const weights = [
    ENGLISH_TELLING.test(text) && !NUMBERS.test(text) ? TELLING_WEIGHT : 1,
    DEPENDENT_START.test(text) ? 0.35 : 1,
    PERSONAL_START.test(text) ? 0.8 : 1,
    ENGLISH_ROUGH.test(text) ? 0.4 : 1,
    ENGLISH_MEETING.test(text) ? 0.4 : 1
  ]
  return weights.reduce((score, weight) => score * weight, 1)
}
