import { expect, test } from 'vitest'
import type { SummaryPart } from '../../../src/contract/summary-parts.ts'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'
import type { TemplateSection } from '../../../src/platform/text/template.ts'

const SAID: [speaker: string, text: string][] = [
  ['Ada', 'The landing page is almost done, but the pricing section is still missing.'],
  ['Ben', 'The payment provider has not approved our account yet.'],
  ['Ada', 'We decided to launch the landing page in April.'],
  ['Ben', "I'll call the payment provider by Friday."],
  ['Ada', 'What happens with the German translation of the pricing section?'],
  ['Ada', 'The budget for advertising is thirty thousand euros.']
]

const conversation = {
  title: '',
  type: 'meeting',
  segments: SAID.map(([speaker, text], at) => ({ speaker, text, start: at * 5, end: at * 5 + 5 })),
  language: 'en',
  day: '2026-03-04'
}

const section = (heading: string, part: SummaryPart | null): TemplateSection => ({ heading, content: '', part })
const summarizeWith = (...sections: TemplateSection[]) => summarizeOffline({ ...conversation, template: { sections } })
const headingsOf = (summary: string) => [...summary.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)

test('the sections of a template have its headings and its order', () => {
  const { summary, leftOut } = summarizeWith(
    section('To do', 'action_items'),
    section('What we settled', 'decisions'),
    section('Who', 'participants'),
    section('In short', 'overview')
  )
  expect(headingsOf(summary)).toEqual(['To do', 'What we settled', 'Who', 'In short'])
  expect(summary).toContain('## Who\n\n- Ada\n- Ben')
  expect(summary).toContain('## What we settled\n\n- **Ada**: We decided to launch the landing page in April.')
  expect(leftOut).toEqual([])
})

test('a section that cannot be found in a conversation is left out and named', () => {
  const { summary, leftOut } = summarizeWith(section('Decided', 'decisions'), section('Strengths', null))
  expect(headingsOf(summary)).toEqual(['Decided'])
  expect(leftOut).toEqual(['Strengths'])
})

test('a section of which nothing was said is left out and named', () => {
  const { summary, leftOut } = summarizeOffline({
    ...conversation,
    segments: conversation.segments.slice(0, 2),
    template: { sections: [section('Decided', 'decisions'), section('In short', 'overview')] }
  })
  expect(headingsOf(summary)).toEqual(['In short'])
  expect(leftOut).toEqual(['Decided'])
})

test('a template of which no section can be filled gets the usual sections, and all of its own are named', () => {
  const { summary, leftOut } = summarizeWith(section('Strengths', null), section('Weaknesses', null))
  expect(summary).toBe(summarizeOffline(conversation).summary)
  expect(leftOut).toEqual(['Strengths', 'Weaknesses'])
})

test('a decision may be a key point where the template has no section for decisions', () => {
  const points = summarizeWith(section('Points', 'key_points')).summary
  expect(points).toContain('We decided to launch')
  const both = summarizeWith(section('Points', 'key_points'), section('Decided', 'decisions')).summary
  expect(both.split('We decided to launch')).toHaveLength(2)
})

test('the parts of a summary by a template know their lines', () => {
  const { outline } = summarizeWith(section('Who', 'participants'), section('Decided', 'decisions'))
  expect(outline).toEqual({
    overview: null,
    sections: [
      {
        heading: 'Who',
        points: [
          { text: 'Ada', speaker: null, sources: [{ segment: 0, start: 0, end: 5 }] },
          { text: 'Ben', speaker: null, sources: [{ segment: 1, start: 5, end: 10 }] }
        ]
      }
    ],
    decisions: [
      {
        text: 'We decided to launch the landing page in April.',
        speaker: 'Ada',
        sources: [{ segment: 2, start: 10, end: 15 }]
      }
    ],
    questions: []
  })
})

test('topics are named, each with the lines of its points', () => {
  const { summary, outline } = summarizeWith(section('Subjects', 'topics'))
  expect(summary).toMatch(/^## Subjects\n\n- \S/)
  expect(outline!.sections[0]).toMatchObject({ heading: 'Subjects' })
  expect(outline!.sections[0]!.points[0]!.sources.length).toBeGreaterThan(0)
})

test('a heading of a template never becomes other markup', () => {
  expect(summarizeWith(section('<b>[x](y)* #', 'decisions')).summary).toMatch(/^## \\<b\\>\\\[x\\\]\(y\)\\\* #\n\n/)
})

test('a summary of a part of the conversation says so, also where the template has no overview', () => {
  const template = { sections: [section('Decided', 'decisions')] }
  const { summary, outline } = summarizeOffline({ ...conversation, template }, 200)
  expect(summary).toMatch(/^Only the first part of the conversation is summarised\.\n\n## Decided/)
  expect(outline!.overview!.text).toBe('Only the first part of the conversation is summarised.')
})
