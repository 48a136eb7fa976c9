import { expect, test } from 'vitest'
import { parseTranscript } from '../../support/transcript.ts'

function said(speaker: string, start: number | null, end: number | null, text: string) {
  return { speaker, start, end, text }
}

function read(...lines: string[]) {
  return parseTranscript('a.txt', lines.join('\n'))
}

test('reads names in front of the text, and appends lines without one', () => {
  expect(read('Ada Lovelace: Good morning.', 'All well?', '', 'Yes?', 'Bob:', 'Hello.')).toEqual({
    segments: [said('Ada Lovelace', null, null, 'Good morning. All well? Yes?'), said('Bob', null, null, 'Hello.')],
    language: null,
    durationSeconds: null
  })
})

test('reads times in front of the name, each turn lasting until the next and the last one for no time', () => {
  expect(read('[00:12:03] Ada: One', 'more', '[00:12:05.5] Bob: Two', '[00:12:04] Two again')).toEqual({
    segments: [
      said('Ada', 723, 724, 'One more'),
      said('Bob', 724, 725.5, 'Two again'),
      said('Bob', 725.5, 725.5, 'Two')
    ],
    language: null,
    durationSeconds: null
  })
})

test.each([
  ['• 25:10', 1510],
  ['• 1:25:10', 5110],
  ['• 99999999999:00', null],
  ['', null]
])('the duration is the length that the head of an Otter file names: %s', (length, seconds) => {
  const lines = [`Mon, Mar 2, 2026 10:00AM ${length}`, '', 'Ada  0:00', 'Hello.', '', 'Bob  0:14', 'Thanks.']
  expect(read(...lines)).toMatchObject({
    segments: [said('Ada', 0, 14, 'Hello.'), said('Bob', 14, 14, 'Thanks.')],
    durationSeconds: seconds
  })
})

test.each([
  [
    'a header of name and time, as Otter writes it',
    ['Ada Lovelace  0:12', 'Budget: fine.', '', 'Bob  1:00:00', 'Two', 'Transcribed by https://otter.ai']
  ],
  ['a header with the time in brackets', ['Ada Lovelace (00:12)', 'Budget: fine.', 'Bob [1:00:00]', 'Two']],
  [
    'a title above the headers',
    ['Weekly review', 'Monday', '', 'Ada Lovelace  0:12', 'Budget: fine.', 'Bob  1:00:00', 'Two']
  ],
  ['names followed by times', ['Ada Lovelace (00:12): Budget: fine.', 'Bob (1:00:00): Two']],
  ['bare times before names', ['0:12 Ada Lovelace: Budget: fine.', '1:00:00 Bob: Two']],
  ['names in brackets', ['[Ada Lovelace] 00:12', 'Budget: fine.', '[Bob] 1:00:00', 'Two']]
])('reads %s', (_, lines) => {
  expect(read(...lines).segments).toEqual([
    said('Ada Lovelace', 12, 3600, 'Budget: fine.'),
    said('Bob', 3600, 3600, 'Two')
  ])
})

test('reads times without names', () => {
  const segments = [said('Speaker', 0, 5, 'welcome to'), said('Speaker', 5, 5, 'the show')]
  expect([
    read('0:00', 'welcome to', '0:05', 'the show').segments,
    read('(00:00) welcome to', '(00:05) the show').segments
  ]).toEqual([segments, segments])
})

test('reads ranges of times with their ends', () => {
  expect(read('[00:00.000 --> 00:04.000]  One', '[00:05.000 --> 00:06.500]  Two')).toEqual({
    segments: [said('Speaker', 0, 4, 'One'), said('Speaker', 5, 6.5, 'Two')],
    language: null,
    durationSeconds: 6.5
  })
})

test('takes a title that ends in a time for text among names in front of the text', () => {
  expect(read('Weekly Review 10:30', 'Ada: One', 'Bob: Two').segments).toEqual([
    said('Speaker', null, null, 'Weekly Review 10:30'),
    said('Ada', null, null, 'One'),
    said('Bob', null, null, 'Two')
  ])
})

test('gives turns without a time theirs between the others', () => {
  expect(read('[00:00:03] Ada: One', 'Bob: Two', '[00:00:09] not led by a name').segments).toEqual([
    said('Ada', 3, 6, 'One'),
    said('Bob', 6, 9, 'Two'),
    said('Bob', 9, 9, 'not led by a name')
  ])
})

test('takes a lone time for text', () => {
  expect(read('Ada: One', 'Bob: Two', '[00:00:09] not led by a name').segments).toEqual([
    said('Ada', null, null, 'One'),
    said('Bob', null, null, 'Two [00:00:09] not led by a name')
  ])
})

test('keeps the words before the first header, at the beginning', () => {
  const opening = 'Good morning everybody, the account number is 4711, please write it down.'
  expect(read(opening, '', 'Ada Lovelace  0:12', 'Thank you.', 'Bob  0:18', 'Yes.').segments).toEqual([
    said('Speaker', 0, 12, opening),
    said('Ada Lovelace', 12, 18, 'Thank you.'),
    said('Bob', 18, 18, 'Yes.')
  ])
})

test.each([
  'https://example.com: the site',
  'See https://example.com',
  '10:30 is when it starts',
  'We meet at 10:30',
  'Note: bring the slides',
  'The plan is: go on',
  'What he said: nothing',
  'Fun fact: it works',
  'Step 2: turn it on',
  'It went well. However: not again',
  'Ratio 3:1',
  ': odd'
])('finds no speaker in %s', line => {
  expect(read(line).segments).toEqual([said('Speaker', null, null, line)])
})

test.each([
  ['Dr. Nía O’Neil-Smith (Acme)', 'Dr. Nía O’Neil-Smith (Acme): Hi'],
  ['Lovelace, Ada', 'Lovelace, Ada: Hi'],
  ['Juan de la Cruz', 'Juan de la Cruz: Hi'],
  ['Speaker 1', 'Speaker 1: Hi'],
  ['SPEAKER_00', '[SPEAKER_00]: Hi'],
  ['李雷', '李雷：Hi'],
  ['Ada', '**Ada:** Hi'],
  ['ADA', '>> ADA: Hi'],
  ['iPhone (2)', 'iPhone (2): Hi'],
  [
    'The Acting Chair (Hon. Ada Lovelace (Marylebone, Ind.))',
    'The Acting Chair (Hon. Ada Lovelace (Marylebone, Ind.)): Hi'
  ]
])('finds the speaker %s', (speaker, line) => {
  expect(read(line).segments).toEqual([said(speaker, null, null, 'Hi')])
})

test('makes a segment of each paragraph where nobody is named', () => {
  expect(read('One', 'goes on.', '', 'Two.').segments).toEqual([
    said('Speaker', null, null, 'One goes on.'),
    said('Speaker', null, null, 'Two.')
  ])
})
