// @module-tag embedded
import { afterAll, expect, test } from 'vitest'
import { openSummarizer } from '../../src/platform/ai/summarizer/open-summarizer.ts'

/** Letters of an utterance. Who backtracks over that many takes hours. */
const LENGTH = 20_000

/** What somebody says over and over again; each has kept an expression of this kind busy somewhere. */
const REPEATED = [
  'um ',
  'um, ',
  'okay, so, yeah, ',
  'sort of ',
  'thank you ',
  'Mr. ',
  'word ',
  'a',
  'é',
  ' ',
  '\t \t',
  '- ',
  '--',
  '.',
  ',',
  ', so ',
  'a:',
  '1:',
  '"',
  '" ',
  '"a ',
  '(',
  '[',
  '{',
  '<',
  '*a ',
  '.!',
  ' because',
  ', and the plan is ',
  'plan to plan to ',
  'abcd abcd of ',
  'action item ',
  'I will ',
  "I'll and so and but ",
  'could you please ',
  'Send it to Ada ',
  'by Friday or next week on Monday ',
  'at 0:00:00:00:00',
  'ich werde das und ',
  'kannst du das und ',
  'je vais le faire et ',
  'pouvez-vous le ',
  'voy a hacerlo y me puedes '
]

const summaries = openSummarizer()
afterAll(() => summaries.close())

test.each(REPEATED)('a conversation of %j, over and over again, is summarised', async said => {
  const much = said.repeat(Math.ceil(LENGTH / said.length))
  const texts = [
    'We ship the plan. Could you send the report by Friday?',
    much,
    `Sure, will do. ${much}`,
    `Could you check that? ${much}x`,
    much
  ]
  const segments = texts.map((text, at) => ({
    speaker: at % 2 ? 'Ada' : 'Ben',
    start: at * 10,
    end: at * 10 + 10,
    text
  }))
  for (const language of ['en', 'de', 'fr', 'es', null]) {
    const made = summaries.summarize(
      { title: '', type: 'meeting', segments, language, day: '2026-03-04' },
      AbortSignal.timeout(20_000)
    )
    expect(typeof (await made).summary).toBe('string')
  }
})

const conversation = (text: string) => ({
  title: '',
  type: 'meeting',
  segments: [
    { speaker: 'Ada', start: 0, end: 10, text: 'Could you send the report by Friday?' },
    { speaker: 'Ben', start: 10, end: 20, text }
  ],
  language: 'en',
  day: '2026-03-04'
})

test.each(['[', '{', '(', '<br>', 'Dr. ', 'の', ' ', 'a. '])(
  'a reply of a megabyte of %j is summarised within the limit, and the summary of somebody else behind it',
  async piece => {
    const [much, little] = await Promise.all([
      summaries.summarize(conversation(piece.repeat(1_000_000 / piece.length))),
      summaries.summarize(conversation('Sure, will do.'))
    ])
    expect(much.summary).toContain('Only the first part of the conversation is summarised.')
    expect(little.actionItems).toMatchObject([{ text: 'Send the report', assignee: 'Ben', dueDate: '2026-03-06' }])
  }
)
