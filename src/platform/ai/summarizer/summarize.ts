import type { SummaryPart } from '../../../contract/summary-parts.ts'
import { rankByFrequency } from '../../text/frequency.ts'
import { primaryLanguage } from '../../text/language-code.ts'
import { isCharacter } from '../../text/words.ts'
import type { Conversation, Summary } from '../ai.ts'
import { pickDecisions } from './decisions.ts'
import { detectLanguage } from './detect-language.ts'
import { ENGLISH_EMPTY } from './english.ts'
import { findItems } from './items.ts'
import { pickKeyPoints } from './key-points.ts'
import { findKeywords } from './keywords.ts'
import { type Language, openLanguage } from './language.ts'
import { renderMinutes, selectSections } from './markdown.ts'
import { toOutline } from './outline.ts'
import { writeOverview } from './overview.ts'
import { pickQuestions } from './picking.ts'
import { findPurpose, toTitle } from './purpose.ts'
import { readSentences, type Sentence } from './sentences.ts'
import { splitTopics } from './topics.ts'
import { nameOf } from './wording.ts'

const MAX_TITLE_SUBJECTS = 3
const MIN_POINTS = 3
const MAX_POINT_CHARACTERS = 280
/** More than three hours of speech without a pause: a longer segment is hardly speech. */
const MAX_SEGMENT_CHARACTERS = 200_000
/** About 35 hours of speech. */
const MAX_CHARACTERS = 2_000_000
/** About 16 hours of speech in a script without spaces, whose characters take eight times the memory: each pair is a word. */
const MAX_DENSE_CHARACTERS = 250_000

/** Summarises the first `maxCharacters` of a conversation; the summary says when that is not all of it. */
export function summarizeOffline(conversation: Conversation, maxCharacters = MAX_CHARACTERS): Summary {
  const segments = firstCharacters(conversation.segments, maxCharacters)
  const code = primaryLanguage(conversation.language) ?? detectLanguage(segments.map(({ text }) => text).join(' '))
  const language = openLanguage(code ?? 'en')
  const sentences = readSentences(segments, language)
  const items = findItems({ ...conversation, segments }, sentences, language)
  const { template = null } = conversation
  const hasPart = (part: SummaryPart) => template === null || template.sections.some(section => section.part === part)
  const decisions = pickDecisions(sentences, segments, language)
  const questions = pickQuestions(sentences, language.isEnglish).filter(question =>
    decisions.every(({ index }) => index !== question.index)
  )
  // A decision without a section of its own may be a key point.
  const elsewhere = [...(hasPart('decisions') ? decisions : []), ...(hasPart('questions') ? questions : []), ...items]
  const used = new Set(elsewhere.map(({ index }) => index))
  const speakers = rankByFrequency(sentences.flatMap(({ speaker, words }) => words.map(() => speaker)))
  const topics = pickTopics(sentences, used, speakers, language)
  const subjects = topics.flatMap(({ keywords: [text], points }) => {
    const named = points.find(point => text !== undefined && point.text.toLowerCase().includes(text.toLowerCase()))
    return text === undefined ? [] : [{ text, lines: named?.lines ?? [] }]
  })
  const purpose = findPurpose(sentences, language)
  const names = speakers.length > 0 ? speakers : segments.map(({ speaker }) => speaker)
  const minutes = {
    overview: writeOverview({ speakers: names, subjects, purpose, decisions, items }, language),
    topics: topics.map(topic => ({
      ...topic,
      start: segments[topic.points[0]?.segment ?? -1]?.start ?? null
    })),
    decisions,
    questions,
    items,
    participants: listParticipants(names, segments),
    isComplete: countCharacters(segments) === countCharacters(conversation.segments)
  }
  const title = toTitle(purpose, subjects.map(({ text }) => text).slice(0, MAX_TITLE_SUBJECTS), language)
  const actionItems = items.map(({ text, assignee, dueDate, sourceStart, sources }) => ({
    text,
    assignee,
    dueDate,
    sourceStart,
    sources
  }))
  const sections = selectSections(minutes, language.code, template)
  const leftOut = template?.sections.map(({ heading }) => heading).filter(isNoneOf(sections))
  // A conversation needs a summary, and gets the usual one.
  if (template && sections.length === 0)
    return { ...summarizeOffline({ ...conversation, template: null }, maxCharacters), ...(leftOut && { leftOut }) }
  return {
    summary: renderMinutes(minutes, language.code, sections),
    outline: toOutline(minutes, segments, language.code, sections),
    ...(leftOut && { leftOut }),
    ...(title !== undefined && { title }),
    actionItems,
    language: code
  }
}

function isNoneOf(sections: readonly { heading: string }[]) {
  return (heading: string) => sections.every(section => section.heading !== heading)
}

/** The speakers, each with the first line that they say. */
function listParticipants(names: readonly string[], segments: Conversation['segments']) {
  const firstLines = new Map(segments.map(({ speaker }, index) => [speaker, index] as const).reverse())
  return [...new Set(names)].flatMap(name => (nameOf(name) === '' ? [] : [{ name, line: firstLines.get(name) }]))
}

/** Each topic with its keywords and key points. The sentences in `used` stand in other sections. */
function pickTopics(
  sentences: readonly Sentence[],
  used: ReadonlySet<number>,
  speakers: readonly string[],
  language: Language
) {
  const topics = splitTopics(sentences)
  const names = new Set(speakers.flatMap(name => name.toLowerCase().split(' ')))
  const points = pickKeyPoints(topics, used, language)
  const keywords = findKeywords(topics, points, names, language)
  const picked = points.map((ofTopic, at) => ({ keywords: keywords[at] ?? [], points: ofTopic }))
  const isEmpty = used.size === 0 && picked.every(topic => topic.points.length === 0)
  const said = sentences.filter(
    ({ words, text }) =>
      words.length > 2 && text.length <= MAX_POINT_CHARACTERS && !(language.isEnglish && ENGLISH_EMPTY.test(text))
  )
  // Too short or too broken to choose from.
  return isEmpty ? [{ keywords: [], points: said.slice(0, MIN_POINTS) }] : picked
}

function firstCharacters(segments: Conversation['segments'], maxCharacters: number) {
  let left = maxCharacters
  return segments.flatMap(segment => {
    const cost = isDense(segment.text) ? MAX_CHARACTERS / MAX_DENSE_CHARACTERS : 1
    const text = segment.text.slice(0, Math.min(left / cost, MAX_SEGMENT_CHARACTERS)).replace(/[\ud800-\udbff]$/, '')
    left -= text.length * cost
    // An empty one stays, so that the others keep their indexes, and none follows the last that is read.
    return text === '' && segment.text !== '' ? [] : [{ ...segment, text }]
  })
}

/** Returns whether most of the text is in scripts without spaces, by a sample of its characters. */
function isDense(text: string) {
  let [dense, others] = [0, 0]
  const step = Math.max(1, Math.min(97, Math.floor(text.length / 16)))
  for (let at = 0; at < text.length; at += step) {
    if (isCharacter(text.charAt(at))) dense++
    else others++
  }
  return dense > others
}

function countCharacters(segments: Conversation['segments']) {
  return segments.reduce((sum, { text }) => sum + text.length, 0)
}
