import { alike } from './key-points.ts'
import type { Sentence } from './sentences.ts'
import type { Lexicon } from './words/lexicon.ts'

const MOST_DECISIONS = 5
const MOST_QUESTIONS = 4
/** So many sentences after a question, its answer is no longer expected. */
const ANSWER_WITHIN = 6
const ANSWER_WORDS = 5
/** Who goes on for so many words after asking did not ask to be answered. */
const RHETORICAL_WORDS = 35

/** Sentences that settle something for the group. */
export function pickDecisions(sentences: readonly Sentence[], lexicon: Lexicon): Sentence[] {
  const found = sentences.filter(
    ({ whole, question, text, terms }) =>
      whole && !question && terms.length > 0 && lexicon.decided.test(text) && !lexicon.hypothetical.test(text) && !lexicon.empty.test(text)
  )
  return best(
    found,
    MOST_DECISIONS,
    sentence => weightOf(sentence) + (/\b(?:decid|agree|decision|entschied|beschl|décid|decid|acord)/i.test(sentence.text) ? 2 : 0)
  )
}

/** Questions nobody answered soon after, and sentences that call something open. */
export function pickQuestions(sentences: readonly Sentence[], lexicon: Lexicon): Sentence[] {
  const asked = sentences.filter(sentence => isQuestion(sentence, lexicon) && isOpen(sentence, sentences, lexicon))
  const stated = sentences.filter(({ whole, question, text, terms }) => whole && !question && terms.length > 1 && lexicon.open.test(text))
  return best([...stated, ...asked], MOST_QUESTIONS, sentence => weightOf(sentence) + (sentence.question ? 0 : 1))
}

function isQuestion({ whole, question, text, terms }: Sentence, lexicon: Lexicon) {
  return (
    whole && question && !/[—–]/.test(text) && new Set(terms).size > 1 && !lexicon.socialQuestion.test(text) && !lexicon.empty.test(text)
  )
}

function isOpen(asked: Sentence, sentences: readonly Sentence[], lexicon: Lexicon) {
  let own = 0
  for (const next of sentences.slice(asked.at + 1, asked.at + 1 + ANSWER_WITHIN)) {
    if (next.speaker === asked.speaker) {
      own += next.words.length
      if (own > RHETORICAL_WORDS) return false
      continue
    }
    if (lexicon.open.test(next.text) || UNSURE.test(next.text)) return true
    if (next.words.length >= ANSWER_WORDS && !next.question) return false
    if (AFFIRMS.test(next.text)) return false
  }
  return true
}

const UNSURE =
  /^(?:I don['’]t know|(?:that['’]s a )?good question|no idea|not sure|I['’]m not sure|we['’]ll (?:have to )?(?:see|find out|check)|who knows|keine Ahnung|weiß ich (?:noch )?nicht|je ne sais pas|no (?:lo )?sé)\b/i
const AFFIRMS = /^(?:yes|yeah|yep|no|nope|right|exactly|correct|sure|true|ja|nein|oui|non|sí|si)\b/i

function weightOf({ terms, words }: Sentence) {
  return new Set(terms).size / Math.sqrt(words.length + 4)
}

function best(found: readonly Sentence[], most: number, weight: (sentence: Sentence) => number) {
  const picked: Sentence[] = []
  for (const sentence of [...found].sort((a, b) => weight(b) - weight(a))) {
    if (picked.length < most && picked.every(other => alike(other, sentence) < 0.5)) picked.push(sentence)
  }
  return picked.sort((a, b) => a.at - b.at)
}
