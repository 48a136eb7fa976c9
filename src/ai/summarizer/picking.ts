import { ENGLISH_DECIDED, ENGLISH_EMPTY, ENGLISH_HYPOTHETICAL, ENGLISH_OPEN, ENGLISH_SMALL_TALK, ENGLISH_TELLING } from './english.ts'
import * as other from './other-languages.ts'
import type { Sentence } from './sentences.ts'
import { countValues } from './topics.ts'

const MAX_DECISIONS = 5
const MAX_QUESTIONS = 4
/** In a topic with few sentences, key points may have fewer terms. */
const SHORT_TOPIC_SENTENCES = 20
const MAX_CANDIDATES = 60
/** Two sentences with this share of terms in common are one. */
const MAX_OVERLAP = 0.4
/** Every further point of the same speaker counts less. */
const REPEATED_SPEAKER_WEIGHT = 0.75
const RARE_TERM_WEIGHT = 0.25
/** An answer follows within this many sentences, and has this many words. */
const ANSWER_SENTENCES = 6
const MIN_ANSWER_WORDS = 5
/** A speaker who goes on for this many words does not wait for an answer. */
const RHETORICAL_WORDS = 35
const YES_OR_NO = /^(?:yes|yeah|yep|no|nope|right|exactly|correct|sure|true|ja|nein|oui|non|sí|si)(?!\p{L})/iu
const UNSURE =
  /\b(?:I don['’]t know|no idea|not sure|we['’]ll (?:see|find out|check)|who knows|weiß ich (?:noch )?nicht|ne sais pas|no (?:lo )?sé)(?!\p{L})|不知道/iu
/** A sentence that leans on its neighbours or on the moment. */
const LEANING_START = /^(?:it|that|this|these|those|they|he|she|there|here|them)(?:['’]s|['’]re)? /i
const LEANING_WORD = /^(?:it|that|this|there|here|things?|stuff|them|ones?|whatever|something|those|it's|that's)$/
const PERSONAL_START = /^(?:I|I['’]\p{L}+|my|you|you['’]\p{L}+|do|does|tell|let|please|if) /iu

/** The sentences that say most about a topic, in the order of the conversation. */
export function pickKeyPoints(topic: readonly Sentence[], mentions: ReadonlyMap<string, number>, count: number): Sentence[] {
  // A term weighs by its frequency in the topic, and by the share of its mentions that fall there.
  const frequent = [...countValues(topic.flatMap(({ terms }) => terms))].filter(([, here]) => here > 1)
  const weights = new Map(frequent.map(([term, here]) => [term, Math.log(1 + here) * (0.5 + here / (mentions.get(term) ?? here))]))
  const minTerms = topic.length < SHORT_TOPIC_SENTENCES ? 2 : 3
  const candidates = topic.filter(({ isComplete, isQuestion, terms, text }) => {
    return isComplete && !isQuestion && new Set(terms).size >= minTerms && !ENGLISH_EMPTY.test(text)
  })
  return pickBest(candidates, count, sentence => scorePoint(sentence, weights))
}

/** Sentences that settle something. */
export function pickDecisions(sentences: readonly Sentence[], isEnglish: boolean): Sentence[] {
  const decided = isEnglish ? ENGLISH_DECIDED : other.DECIDED
  const found = sentences.filter(({ isComplete, isQuestion, text }) => {
    return isComplete && !isQuestion && decided.test(text) && !ENGLISH_HYPOTHETICAL.test(text)
  })
  return pickBest(found, MAX_DECISIONS, termDensity)
}

/** Questions without an answer, and sentences that call something open. */
export function pickQuestions(sentences: readonly Sentence[], isEnglish: boolean): Sentence[] {
  const open = isEnglish ? ENGLISH_OPEN : other.OPEN
  const found = sentences.filter(({ isComplete, isQuestion, terms, text, index, speaker }) => {
    if (!isComplete || !isQuestion) return isComplete && open.test(text)
    const isAsked = terms.length > 1 && !ENGLISH_SMALL_TALK.test(text)
    return isAsked && !isAnswered(speaker, sentences.slice(index + 1, index + 1 + ANSWER_SENTENCES), open)
  })
  return pickBest(found, MAX_QUESTIONS, termDensity)
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
function pickBest(sentences: readonly Sentence[], count: number, scoreOf: (sentence: Sentence) => number) {
  const scored = sentences.map(sentence => ({ sentence, score: scoreOf(sentence) }))
  const left = scored.sort((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES)
  const picked: Sentence[] = []
  while (picked.length < count && left.length > 0) {
    const spoken = countValues(picked.map(({ speaker }) => speaker))
    const gains = left.map(({ sentence, score }) => score * REPEATED_SPEAKER_WEIGHT ** (spoken.get(sentence.speaker) ?? 0))
    const [best] = left.splice(gains.indexOf(Math.max(...gains)), 1)
    if (best && picked.every(other => overlap(other, best.sentence) < MAX_OVERLAP)) picked.push(best.sentence)
  }
  return picked.sort((a, b) => a.index - b.index)
}

function overlap(a: Sentence, b: Sentence) {
  const [left, right] = [new Set(a.terms), new Set(b.terms)]
  return left.intersection(right).size / (Math.min(left.size, right.size) + 1)
}

function termDensity({ terms, words }: Sentence) {
  return new Set(terms).size / Math.sqrt(words.length + 4)
}

function scorePoint({ terms, text, words }: Sentence, weights: ReadonlyMap<string, number>) {
  const sum = [...new Set(terms)].reduce((total, term) => total + (weights.get(term) ?? RARE_TERM_WEIGHT), 0)
  const factors = [
    ENGLISH_TELLING.test(text) || /[%€$£]|\b\d{2,}\b/.test(text) ? 1.3 : 1,
    words.length > 32 ? 0.75 : words.length < 9 ? 0.85 : 1,
    LEANING_START.test(text) ? 0.6 : 1,
    0.9 ** words.filter(word => LEANING_WORD.test(word)).length,
    PERSONAL_START.test(text) ? 0.8 : 1
  ]
  return factors.reduce((score, factor) => score * factor, sum / (words.length + 6) ** 0.75)
}
