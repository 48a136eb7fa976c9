import { expect, test } from 'vitest'
import { withoutRepeatedNames } from '../../../src/features/people/repeated-names.ts'

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
