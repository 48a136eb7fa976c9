import fc from 'fast-check'

/** A text of any length: one piece over and over again, between two others. */
export interface Pump {
  prefix: string
  piece: string
  suffix: string
}

/** Each of these has kept an expression busy for minutes, here or elsewhere. */
const NOTORIOUS: string[] = [
  '[',
  '{',
  '(',
  '<',
  '"',
  '*',
  '_',
  '#',
  '-',
  '–',
  '—',
  '.',
  ',',
  '!',
  ':',
  '/',
  '@',
  '&',
  '\\',
  '=',
  '%',
  ' ',
  '\t',
  '\n',
  '\r\n',
  ' \n',
  ' \t',
  '\u00a0',
  '\u200b',
  '\u0301',
  '\u202e',
  '\ue000',
  'a',
  'é',
  'A_',
  '0',
  'の',
  '漢',
  '한',
  'ไ',
  'ب',
  'ﷺ',
  '😀',
  '👩‍👩‍👧',
  '。',
  'e\u0301',
  'a. ',
  '! ',
  '? ',
  'Dr. ',
  '1. ',
  '- ',
  '> ',
  '" ',
  ' - ',
  ' , ',
  '--',
  '…',
  'w# ',
  'Speaker #: a\n',
  '<br>',
  '<v Ada>',
  '{\\',
  '&amp;',
  '-->',
  '[00:01] ',
  '00:01 --> 00:02\n',
  'WEBVTT\n',
  'NOTE\n',
  'https://a.b/',
  'a@b.c ',
  'um, ',
  'so ',
  'plan to ',
  'sort of ',
  'by Friday ',
  '2026-03-04 ',
  "I'll send it. ",
  'could you please ',
  'ich werde ',
  'je vais '
]

const ENDS = [
  '',
  'a',
  'x',
  '\n',
  ']',
  '"',
  '.',
  'Ada: ',
  'WEBVTT\n\n00:01.000 --> 00:02.000\n',
  '1\n00:00:01,000 --> 00:00:02,000\n'
]

const ends = fc.constantFrom(...ENDS)
const mixed = fc.array(fc.constantFrom(...NOTORIOUS), { minLength: 2, maxLength: 3 }).map(pieces => pieces.join(''))
const pumps: fc.Arbitrary<Pump> = fc.record({
  prefix: ends,
  piece: fc.oneof(fc.constantFrom(...NOTORIOUS), mixed),
  suffix: ends
})

/** Every notorious piece by itself, and so many made-up ones. */
export function pumpsOf(seed: number, count: number): Pump[] {
  return [
    ...NOTORIOUS.map(piece => ({ prefix: 'a', piece, suffix: 'x' })),
    ...fc.sample(pumps, { seed, numRuns: count })
  ]
}

/** The text of about that length. A # in the piece is another number each time. */
export function pumped({ prefix, piece, suffix }: Pump, length: number): string {
  const times = Math.ceil(length / piece.length)
  const middle = piece.includes('#')
    ? Array.from({ length: times }, (_, at) => piece.replaceAll('#', String(at))).join('')
    : piece.repeat(times)
  return `${prefix}${middle}${suffix}`
}
