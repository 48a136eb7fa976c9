import { type Outline, type Statement, toSources } from '../../text/outline.ts'
import type { Segment } from '../../text/segment.ts'
import { headingOf, listTopics, type Minutes, type MinutesSection } from './markdown.ts'
import type { Sentence } from './sentences.ts'
import { nameOf, wordingOf } from './wording.ts'

/** The sections of minutes in parts, each with the lines that it comes from. */
export function toOutline(
  minutes: Minutes,
  segments: readonly Segment[],
  language: string,
  sections: readonly MinutesSection[]
): Outline {
  const parts = new Set(sections.map(({ part }) => part))
  const own = parts.has('overview') ? minutes.overview : { text: '', lines: [] }
  const overview = [own.text, minutes.isComplete ? '' : wordingOf(language).partial].filter(Boolean).join(' ')
  return {
    overview: overview === '' ? null : toStatement(overview, own.lines, segments),
    sections: sections.flatMap(section => toSections(minutes, section, segments)),
    decisions: parts.has('decisions') ? quote(minutes.decisions, segments) : [],
    questions: parts.has('questions') ? quote(minutes.questions, segments) : []
  }
}

/** The sections of one that has no part of the outline of its own. */
function toSections(
  minutes: Minutes,
  { heading, part }: MinutesSection,
  segments: readonly Segment[]
): Outline['sections'] {
  const topics = listTopics(minutes)
  switch (part) {
    case 'participants': {
      const points = minutes.participants.map(({ name, line }) =>
        toStatement(nameOf(name), line === undefined ? [] : [line], segments)
      )
      return [{ heading, points }]
    }
    case 'topics': {
      const named = topics.filter(({ keywords }) => keywords.length > 0)
      const points = named.map(({ keywords, points }) =>
        toStatement(
          headingOf(keywords),
          points.flatMap(({ lines }) => lines),
          segments
        )
      )
      return [{ heading, points }]
    }
    case 'key_points':
      return topics.map(({ keywords, points }) => ({
        heading: (topics.length > 1 && headingOf(keywords)) || null,
        points: quote(points, segments)
      }))
    default:
      return []
  }
}

function toStatement(text: string, lines: readonly number[], segments: readonly Segment[]): Statement {
  return { text, speaker: null, sources: toSources(lines, segments) }
}

function quote(sentences: readonly Sentence[], segments: readonly Segment[]): Statement[] {
  return sentences.map(({ speaker, text, lines }) => ({
    text,
    speaker: nameOf(speaker) || null,
    sources: toSources(lines, segments)
  }))
}
