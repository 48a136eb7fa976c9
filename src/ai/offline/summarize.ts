import { flatText } from '../../core/segment.ts'
import type { Conversation, Summary } from '../ai.ts'
import { findItems, type ScoredItem } from './items.ts'
import { countTerms, pickPoints } from './key-points.ts'
import { detectLanguage } from './language.ts'
import { renderMinutes } from './markdown.ts'
import { pickDecisions, pickQuestions } from './outcomes.ts'
import { phrasesOf } from './phrases.ts'
import { type Sentence, sentencesOf } from './sentences.ts'
import { cutTopics } from './topics.ts'
import { lexiconOf } from './words/languages.ts'
import type { Lexicon } from './words/lexicon.ts'

/** Key points over the whole conversation: some for any, more for longer ones. */
const WORDS_PER_POINT = 110
const FEWEST_POINTS = 3
const MOST_POINTS = 13
const LONGEST_POINT = 280

/** More than three hours of speech without a pause, as a transcript without line breaks is imported: what is longer is hardly speech. */
const SEGMENT_CHARACTERS = 200_000
/** About 35 hours of speech. */
const MOST_CHARACTERS = 2_000_000

/** Reads so many characters of a conversation, and says so in the summary where that is not all of it. */
export function summarizeOffline(given: Conversation, characters = MOST_CHARACTERS): Summary {
  const conversation = { ...given, segments: beginningOf(given.segments, characters) }
  const complete = lengthOf(conversation.segments) === lengthOf(given.segments)
  const language = conversation.language?.slice(0, 2).toLowerCase() ?? detectLanguage(flatText(conversation.segments))
  const lexicon = lexiconOf(language)
  const sentences = sentencesOf(conversation.segments, lexicon)
  const found = findItems(conversation, sentences, lexicon)
  const actionItems = found.map(({ text, assignee, dueDate, sourceStart }) => ({ text, assignee, dueDate, sourceStart }))
  return { summary: minutesOf(conversation, sentences, found, lexicon, complete), actionItems, language }
}

function beginningOf(segments: Conversation['segments'], characters: number) {
  let left = characters
  return segments.flatMap(segment => {
    const text = segment.text.slice(0, Math.min(left, SEGMENT_CHARACTERS)).replace(/[\ud800-\udbff]$/, '')
    left -= text.length
    return text === '' ? [] : [{ ...segment, text }]
  })
}

function lengthOf(segments: Conversation['segments']) {
  return segments.reduce((sum, { text }) => sum + text.length, 0)
}

function minutesOf({ segments }: Conversation, sentences: readonly Sentence[], items: ScoredItem[], lexicon: Lexicon, complete: boolean) {
  const speakers = speakersOf(sentences)
  const decisions = pickDecisions(sentences, lexicon)
  const questions = pickQuestions(sentences, lexicon)
  const used = new Set([...decisions, ...questions, ...items].map(({ at }) => at))
  const topics = cutTopics(sentences)
  const names = new Set(speakers.map(name => name.toLowerCase()))
  const phrases = phrasesOf(topics, names, lexicon)
  const overall = countTerms(sentences)
  const most = pointsPerTopic(sentences, topics.length)
  const shown = topics.map((topic, index) => ({
    phrases: phrases[index] ?? [],
    points: pickPoints(topic, overall, most, used, lexicon)
  }))
  if (shown.every(({ points }) => points.length === 0) && used.size === 0)
    shown.splice(0, shown.length, { phrases: [], points: anyPoints(sentences, lexicon) })
  return renderMinutes(
    { speakers: speakers.length > 0 ? speakers : namesIn(segments), topics: shown, decisions, questions, items, complete },
    lexicon.words
  )
}

function pointsPerTopic(sentences: readonly Sentence[], topics: number) {
  const words = sentences.reduce((sum, sentence) => sum + sentence.words.length, 0)
  const points = Math.min(MOST_POINTS, Math.max(FEWEST_POINTS, Math.round(words / WORDS_PER_POINT)))
  return Math.max(2, Math.round(points / topics))
}

/** For a conversation too short or too broken for choosing: its longest sentences. */
function anyPoints(sentences: readonly Sentence[], { empty }: Lexicon) {
  return sentences
    .filter(({ words, text }) => (words.length > 2 || text.length > 8) && text.length <= LONGEST_POINT && !empty.test(text))
    .sort((a, b) => Number(b.whole) - Number(a.whole) || Math.min(b.words.length, 25) - Math.min(a.words.length, 25))
    .slice(0, FEWEST_POINTS)
    .sort((a, b) => a.at - b.at)
}

function speakersOf(sentences: readonly Sentence[]) {
  const words = new Map<string, number>()
  for (const sentence of sentences) words.set(sentence.speaker, (words.get(sentence.speaker) ?? 0) + sentence.words.length)
  return [...words].sort((a, b) => b[1] - a[1]).map(([speaker]) => speaker)
}

function namesIn(segments: Conversation['segments']) {
  return [...new Set(segments.map(({ speaker }) => speaker))]
}
