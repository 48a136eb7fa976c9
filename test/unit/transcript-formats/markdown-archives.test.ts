import { expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { linesOf } from '../../support/transcript.ts'

function read(text: string, name = 'talk.md') {
  return parseDocument(name, text)
}

function lines(text: string) {
  return linesOf('talk.md', text).slice(1)
}

const FRONT = `---
title: 'Bridges & Paint'
transcript_by: someone
date: '2026-03-02'
tags:
  - 'water'
  - steel
speakers:
  - 'Ines Duarte'
  - 'Tom Berger'
---
`
const TALK = '## Introduction\n\nInes Duarte: 00:00:01\n\nIs it open?\n\nTom Berger: 00:00:03\n\nYes.\n'

test('front matter gives title, date and tags, is not spoken, and warnings name its other keys', () => {
  const { document, startedAt, warnings } = read(FRONT + TALK)
  expect(document).toMatchObject({ title: 'Bridges & Paint', tags: ['water', 'steel'] })
  expect(document.segments).toEqual([
    { speaker: 'Ines Duarte', start: 1, end: 3, text: 'Is it open?' },
    { speaker: 'Tom Berger', start: 3, end: 3, text: 'Yes.' }
  ])
  expect(startedAt).toEqual({ text: '2026-03-02T00:00:00', utc: false })
  expect(warnings).toEqual([
    'The front matter has keys that are not used: transcript_by',
    'Line 12 is left out, because it is not speech: Introduction'
  ])
})

test('front matter stands in plain text, too', () => {
  expect(read(FRONT + TALK, 'talk.txt').document.segments).toHaveLength(2)
})

test('front matter that is not strict YAML is read line by line', () => {
  const { document, startedAt } = read(
    '---\ntitle: Part 1: the bridge\ndate: 2026-03-02\nspeaker: Ines Duarte\n---\nHello there.\n'
  )
  expect(document).toMatchObject({
    title: 'Part 1: the bridge',
    segments: [{ speaker: 'Ines Duarte', text: 'Hello there.' }]
  })
  expect(startedAt?.text).toBe('2026-03-02T00:00:00')
})

test('aliases that grow as they are read are not expanded', () => {
  const bomb = [
    'a: &a ["x","x","x","x","x","x","x","x","x"]',
    ...'bcdefghij'.split('').map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghij'[at]}`).join(',')}]`)
  ]
  const { document } = read(`---\ntitle: Bomb\n${bomb.join('\n')}\ntags: *j\n---\nHello there.\n`)
  expect(document).toMatchObject({ title: 'Bomb', segments: [{ text: 'Hello there.' }] })
})

test.each([
  ['a rule that does not close', '---\nInes: Hello.\nTom: Good morning.'],
  ['names between two rules', '---\nInes: Hello.\n---\nTom: Good morning.\nInes: Fine.\nTom: Good.']
])('%s is no front matter', (_, text) => {
  expect(
    read(text)
      .document.segments?.map(({ text: said }) => said)
      .join(' ')
  ).toContain('Hello.')
})

test('a file of front matter alone holds no speech', () => {
  expect(() => read('---\ntitle: Bridges\neditor: someone\n---\n')).toThrow('The file holds no speech.')
})

test('headings that name speakers in turn lead their turns', () => {
  expect(
    lines('# Bridge\n\n### Ines Duarte\n\nIs it open?\n\n### Tom Berger\n\nYes.\n\n### Ines Duarte\n\nGood.\n')
  ).toEqual(['Ines Duarte | Is it open?', 'Tom Berger | Yes.', 'Ines Duarte | Good.'])
})

test('topics of a list that somebody reads out are no speakers, and their words stay with who reads', () => {
  const text = `**Ines Duarte:** This week:

- **Wed**: We paint the bridge
- **Fri**: We open it

**Tom Berger:** Good.
`
  expect(lines(text)).toEqual([
    'Ines Duarte | This week: Wed: We paint the bridge Fri: We open it',
    'Tom Berger | Good.'
  ])
  const listed = '- **Ines Duarte**: Is it open?\n- **Tom Berger**: Yes.\n'
  expect(lines(listed)).toEqual(['Ines Duarte | Is it open?', 'Tom Berger | Yes.'])
})

test('a colon behind a bold name that has one is said, and a time with frames is neither said nor a part of a name', () => {
  const text = `**Ines Duarte:** How do I leave?

**Tom Berger:** :q. Nothing else.

**Break:** [00:19:38:01]

**Ines Duarte:** [00:19:40:12] Thanks.
`
  expect(
    read(text).document.segments?.map(({ speaker, text, start }) => [speaker, text, Math.floor(start ?? 0)])
  ).toEqual([
    ['Ines Duarte', 'How do I leave?', expect.any(Number)],
    ['Tom Berger', ':q. Nothing else.', expect.any(Number)],
    ['Ines Duarte', 'Thanks.', 1180]
  ])
})

test('a bold name that opens a monologue leads all of it', () => {
  expect(lines('**Ines Duarte:** Welcome.\n\nTom is away.\n\nSo it is just me.\n\nBye.\n')).toEqual([
    'Ines Duarte | Welcome. Tom is away. So it is just me. Bye.'
  ])
})

test('a bold name that comes again leads its turns, although most paragraphs have none, and other bold words do not', () => {
  const text = `Some notes.\n\n**Ines Duarte:** One.\n\nTwo.\n\nThree.\n\n**Note:** four.\n\n**Ines Duarte:** Five.\n\nSix.\n\nSeven.\n`
  expect(lines(text).at(-1)).toBe('Ines Duarte | Five. Six. Seven.')
  expect(lines(text).at(-2)).toContain('Note: four.')
})

test('times in brackets anchor turns, escaped or not, and are not spoken', () => {
  const text = [
    '**Ines Duarte:** Is it open? \\[00:03\\] I have waited.',
    '\\[04:08\\] And the paint?',
    '**Tom Berger:** Yes. \\[unintelligible 00:05:11.26\\]',
    '**Break:** \\[00:05:10.12\\]',
    '**Ines Duarte:**\\[05:42\\] Good. [laughter]'
  ].join('\n\n')
  expect(lines(text)).toEqual([
    '0–248 Ines Duarte | Is it open? I have waited.',
    expect.stringMatching(/^248–.* Ines Duarte \| And the paint\?$/),
    expect.stringMatching(/Tom Berger \| Yes\. \[unintelligible\]$/),
    '342–342 Ines Duarte | Good. [laughter]'
  ])
})

test('words that announce sounds and scenes are nobody', () => {
  const text =
    '**Ines Duarte:** Hello.\n\n**Jingle:** La la.\n\n**Outro:** Bye.\n\n**Song extract:** Oh.\n\n**Dawn Song:** I am a person.\n\n**Ines Duarte:** Bye.'
  expect(read(text).document.speakers?.map(({ person }) => person)).toEqual(['Ines Duarte', 'Dawn Song'])
})
