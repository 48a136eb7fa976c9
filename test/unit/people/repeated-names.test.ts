import { expect, test } from 'vitest'
import { mergeRepeatedNames, withoutRepeatedNames } from '../../../src/features/people/repeated-names.ts'

const NAMES = new Set(['Ada Lovelace', 'Ben'])

test.each([
  [
    '## Participants\n\n- Ada Lovelace\n- Ben\n- Ada Lovelace\n\nText',
    '## Participants\n\n- Ada Lovelace\n- Ben\n\nText'
  ],
  ['1. Ben\n2. Ben', '1. Ben'],
  ['**Participants:** Ada Lovelace, Ben, Ada Lovelace', '**Participants:** Ada Lovelace, Ben'],
  ['- Participants: Ben, Ben', '- Participants: Ben'],
  ['Ben, Ben', 'Ben']
])('of %j is left %j', (text, left) => {
  expect(withoutRepeatedNames(text, NAMES)).toBe(left)
})

test.each([
  'Ben, Ada Lovelace and Ben agreed.',
  '- Ben\n\nThen:\n\n- Ben',
  '- Ben: the offer\n- Ben: the plan',
  'Next: Ben, the offer, Ben',
  '- Cy\n- Cy'
])('%j stays', text => {
  expect(withoutRepeatedNames(text, NAMES)).toBe(text)
})

test('a section of names alone has each name once, with the lines of all, and other sections stay', () => {
  const point = (text: string, segment: number, speaker: string | null = null) => ({
    text,
    speaker,
    sources: [{ segment, start: segment, end: null }]
  })
  const outline = {
    overview: null,
    sections: [
      { heading: 'Participants', points: [point('Ben', 4), point('Ada Lovelace', 0), point('Ben', 2)] },
      { heading: 'Agreed', points: [point('Ben', 1), point('The plan', 1)] },
      { heading: 'Said', points: [point('Ben', 1, 'Ben'), point('Ben', 2, 'Ben')] }
    ],
    decisions: [],
    questions: []
  }
  const [people, ...others] = mergeRepeatedNames(outline, NAMES).sections
  expect(people?.points).toEqual([
    { ...point('Ben', 4), sources: [point('Ben', 2).sources[0], point('Ben', 4).sources[0]] },
    point('Ada Lovelace', 0)
  ])
  expect(others).toEqual(outline.sections.slice(1))
})
