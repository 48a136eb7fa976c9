import type { SummaryPart } from '../../contract/summary-parts.ts'
import type { NewSection } from '../../contract/summary-template.ts'
import wordings from '../../platform/ai/summarizer/wording.json' with { type: 'json' }
import { invalid } from '../../platform/core/api-error.ts'
import { headingKey, type TemplateSection } from '../../platform/text/template.ts'

const ENGLISH: [SummaryPart, string[]][] = [
  ['overview', ['Summary', 'Short summary', 'In short', 'TL;DR']],
  ['participants', ['Attendees', 'Speakers']],
  ['topics', ['Topics', 'Subjects']],
  ['key_points', ['Main points', 'Highlights', 'Takeaways', 'Key takeaways']],
  ['decisions', ['Decisions made']],
  ['questions', ['Unanswered questions']],
  ['action_items', ['Action items', 'Actions', 'To do', 'Todos', 'Tasks', 'Follow-ups']]
]

/** The parts by their usual headings: the server's own in every language that it writes, and other English ones. */
const USUAL = new Map<string, SummaryPart>([
  ...ENGLISH.flatMap(([part, headings]) => headings.map(heading => [headingKey(heading), part] as const)),
  ...Object.values(wordings).flatMap(wording => [
    [headingKey(wording.overview), 'overview'] as const,
    [headingKey(wording.participants), 'participants'] as const,
    [headingKey(wording.topics), 'topics'] as const,
    [headingKey(wording.keyPoints), 'key_points'] as const,
    [headingKey(wording.decisions), 'decisions'] as const,
    [headingKey(wording.openQuestions), 'questions'] as const,
    [headingKey(wording.nextSteps), 'action_items'] as const
  ])
])

/** Returns the sections with their parts. Throws invalid_request for a heading or a part that occurs twice. */
export function readSections(sent: readonly NewSection[]): TemplateSection[] {
  const headings = new Set<string>()
  const parts = new Set<SummaryPart>()
  for (const [at, { heading, part }] of sent.entries()) {
    const key = headingKey(heading)
    if (headings.has(key)) throw occursTwice(`sections.${at}.heading`, 'heading')
    headings.add(key)
    if (!part) continue
    if (parts.has(part)) throw occursTwice(`sections.${at}.part`, 'part')
    parts.add(part)
  }
  return sent.map(({ heading, content, part }) => {
    if (part !== undefined) return { heading, content, part }
    const usual = USUAL.get(headingKey(heading)) ?? null
    if (usual === null || parts.has(usual)) return { heading, content, part: null }
    parts.add(usual)
    return { heading, content, part: usual }
  })
}

function occursTwice(field: string, what: string) {
  return invalid({ field, problem: 'it occurs twice', expected: `each ${what} once` })
}
