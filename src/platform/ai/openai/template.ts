import { escapeMarkdown } from '../../text/escape.ts'
import type { Outline } from '../../text/outline.ts'
import { headingKey, type Template, type TemplateSection } from '../../text/template.ts'
import type { ExtractedItem } from '../ai.ts'
import { wordingOf } from '../summarizer/wording.ts'
import { list } from './markdown.ts'
import { toLine } from './text.ts'

/** The field of an answer that fills a section of a template. All other sections are filled with points. */
const FIELDS = new Map([
  ['overview', 'overview'],
  ['decisions', 'decisions'],
  ['questions', 'questions'],
  ['action_items', 'action_items']
])

/** The sections of a template as instructions, beside those of every summary. */
export function templateInstructions({ sections }: Template): string {
  const listed = sections.map(({ heading, content, part }, at) => {
    const field = FIELDS.get(part ?? '')
    const place = field === undefined ? '' : ` (in ${field})`
    return `${at + 1}. ${toLine(heading, 200)}${place}${content === '' ? '' : `: ${toLine(content, 2_000)}`}`
  })
  return `The owner of the conversation wants these sections in place of the usual ones. Behind the colon is what belongs there:
${listed.join('\n')}
What belongs to a section is given as points with its heading as topic or heading, word for word, unless the section names another field. Leave decisions and questions
empty if no section names them. Points that belong to no section are left out. A section for which nothing was said stays empty; never
invent anything to fill one.`
}

type Found = { outline: Outline; items: readonly ExtractedItem[] }

/** A summary by the sections of a template, which has the usual ones if none of those has content. */
export function followTemplate({ outline, items }: Found, { sections }: Template, language: string) {
  const { by, keyPoints } = wordingOf(language)
  const parts = new Set(sections.map(({ part }) => part))
  const others = listOthers(outline, sections, parts)
  const pointsOf = ({ heading, part }: TemplateSection) => [
    ...outline.sections.flatMap(topic => (headingKey(topic.heading ?? '') === headingKey(heading) ? topic.points : [])),
    ...(part === 'key_points' ? others : [])
  ]
  const write = (section: TemplateSection) => {
    const own = new Map([
      ['overview', escapeMarkdown(outline.overview?.text ?? '')],
      ['decisions', list(outline.decisions)],
      ['questions', list(outline.questions)],
      ['action_items', listItems(items, by)]
    ])
    return [own.get(section.part ?? ''), list(pointsOf(section))].filter(Boolean).join('\n\n')
  }
  const written = sections.map(section => ({ ...section, content: write(section), points: pointsOf(section) }))
  const filled = written.filter(({ content }) => content !== '')
  const leftOut = written.filter(({ content }) => content === '').map(({ heading }) => heading)
  if (filled.length === 0) return { leftOut }
  const last = parts.has('key_points') || others.length === 0 ? [] : [{ heading: null, points: others }]
  const named = filled.map(({ heading, points }) => ({ heading, points })).filter(({ points }) => points.length > 0)
  return {
    leftOut,
    markdown: [...filled, ...last.map(({ points }) => ({ heading: keyPoints, content: list(points) }))],
    outline: {
      overview: parts.has('overview') ? outline.overview : null,
      sections: [...named, ...last],
      decisions: parts.has('decisions') ? outline.decisions : [],
      questions: parts.has('questions') ? outline.questions : []
    }
  }
}

/** The statements that belong to no section. They are shown all the same, because nobody would miss them. */
function listOthers(
  outline: Outline,
  sections: readonly TemplateSection[],
  parts: ReadonlySet<TemplateSection['part']>
) {
  const headings = new Set(sections.map(({ heading }) => headingKey(heading)))
  return [
    ...outline.sections.flatMap(({ heading, points }) => (headings.has(headingKey(heading ?? '')) ? [] : points)),
    ...(parts.has('decisions') ? [] : outline.decisions),
    ...(parts.has('questions') ? [] : outline.questions)
  ]
}

function listItems(items: readonly ExtractedItem[], by: string) {
  return items
    .map(
      ({ text, assignee, dueDate }) =>
        `${list([{ text, speaker: assignee, sources: [] }])}${dueDate === null ? '' : ` (${by} ${dueDate})`}`
    )
    .join('\n')
}
