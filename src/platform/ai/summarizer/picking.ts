import { ENGLISH_OPEN, ENGLISH_SMALL_TALK } from './english.ts'
import * as other from './other-languages.ts'
import type { Sentence } from './sentences.ts'

const MAX_QUESTIONS = 3
/** Two sentences with this share of terms in common are one. */
export const MAX_OVERLAP = 0.4
/** An answer follows within this many sentences, and has this many words. */
const ANSWER_SENTENCES = 6
const MIN_ANSWER_WORDS = 5
/** A speaker who goes on for this many words does not wait for an answer. */
const RHETORICAL_WORDS = 35
const YES_OR_NO =
  /^(?:yes|yeah|yep|no|nope|right|exactly|correct|sure|true|ja|nein|oui|non|sí|si|はい|いいえ|ええ|そうです|是的|对|好的)(?!\p{L})/iu
const UNSURE =
  /\b(?:I don['’]t know|no idea|not sure|we['’]ll (?:see|find out|check)|who knows|weiß ich (?:noch )?nicht|ne sais pas|no (?:lo )?sé)(?!\p{L})|不知道|(?:わか|分か)りません/iu

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
  const picked: { sentence: Sentence; terms: ReadonlySet<string> }[] = []
  for (const { sentence } of scored.sort((a, b) => b.score - a.score)) {
    if (picked.length === count) break
    const terms = new Set(sentence.terms)
    if (picked.every(other => overlap(other.terms, terms) < MAX_OVERLAP)) picked.push({ sentence, terms })
  }
  return picked.map(({ sentence }) => sentence).sort((a, b) => a.index - b.index)
}

/** The share of terms that two sentences have in common. */
export function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  return left.intersection(right).size / (Math.min(left.size, right.size) + 1)
}
