import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBlank, oneLine } from '../../../src/contract/text.ts'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { writeTranscript } from '../../../src/features/transcripts/transcript-file.ts'
import type { TimedSegment } from '../../../src/platform/text/segment.ts'

const SESSIONS = 1_000
const TEN_HOURS_MS = 36_000_000
const NAMES = [
  'Marta Lind',
  'oskar berg',
  'Ines Duarte - Acme Fruit',
  'Marta Lind | Acme',
  '📞 Reception',
  'Pia [guest]',
  'j.novak',
  'Lea "Bee" Stone',
  'マイケル・ジョンソン',
  '田中（営業部）',
  'علی‌رضا',
  'מרתה כהן',
  'Ольга Ильина',
  'Νίκος',
  '김철수',
  'ธนา',
  'Ragnheiður Þóra (hún/she)',
  'Speaker',
  'Speaker 1',
  'SPEAKER_00',
  'Note',
  'Step 2',
  'Date',
  'Topic',
  'Speakers',
  'Meeting Title',
  'a: b',
  'Room 10:30',
  'Budget:',
  'मोहन',
  'Marta Lind (Guest)',
  'x',
  '7',
  '- Dash',
  '>> Arrow',
  '*Star*',
  '_under_',
  '<b>',
  'A & B',
  '&A',
  'R&D',
  '“Quoted”',
  'D. A. B. Smith, Jr.',
  '👩‍💻'
]
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      // Marks around a name are no part of it.
      .map(text => oneLine(text.replace(/[\0<{\p{Cf}\p{Cs}]/gu, '')))
      .filter(text => !isBlank(text) && !/^[?？\-–—*.]+$/.test(text))
  }
)
const sentence = fc.constantFrom(
  ...[
    'Did the bank approve the loan?',
    'Yes.',
    'Yes.',
    '4711',
    'Verdict: the pump is broken.',
    'Marta: so she said.',
    '- a dash'
  ],
  ...[
    '10:30 is when it starts',
    'See you at 10:30',
    '>> forward',
    'the quick brown fox',
    '我们星期五发报价，合同由我来准备。',
    'ありがとうございます。'
  ],
  ...[
    'نرسل العقد يوم الجمعة.',
    'נשלח את החוזה.',
    '금요일에 보내겠습니다.',
    'R&D costs 40 €',
    'a *bold* _plan_',
    '# One',
    '1. two',
    'NOTE this'
  ],
  ...[
    '[00:12] in brackets',
    'https://example.com: the site',
    '(laughs) 🎙️',
    '그래서: 네',
    '第一：我们需要新的水泵，旧的已经坏了很久，大家都知道这件事。'
  ]
)
const text = fc.array(sentence, { minLength: 1, maxLength: 6 }).map(parts => parts.join(' '))
const length = fc.oneof(fc.constant(0), fc.nat(3_000), fc.nat(20_000), fc.nat(TEN_HOURS_MS))
const session = fc
  .tuple(
    fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(9), text, fc.nat(TEN_HOURS_MS), length), { minLength: 1, maxLength: 15 })
  )
  .map(([names, all]) =>
    all
      .map(
        ([at, said, start, ms]): TimedSegment => ({
          speaker: names[at % names.length]!,
          start: start / 1_000,
          end: (start + ms) / 1_000,
          text: said
        })
      )
      .toSorted((a, b) => a.start - b.start)
  )

function again(format: 'vtt' | 'srt' | 'txt' | 'md', segments: TimedSegment[]) {
  const file = writeTranscript(format, { title: 'Orchard planning', segments }, {})
  const { document, warnings } = parseDocument(`a.${format}`, file)
  return { segments: document.segments ?? [], title: document.title, warnings, file }
}

interface Said {
  speaker: string
  start: number | null
  end: number | null
  text: string
}

/** Consecutive segments of one speaker as one, with spaces left out where they depend on the format. */
function turnsOf(segments: Said[], part: (turn: Said) => unknown) {
  const turns: Said[] = []
  for (const segment of segments) {
    const last = turns.at(-1)
    if (last?.speaker !== segment.speaker) turns.push({ ...segment })
    else Object.assign(last, { text: `${last.text} ${segment.text}`, end: Math.max(last.end ?? 0, segment.end ?? 0) })
  }
  return turns.map(part)
}

function check(format: 'vtt' | 'srt' | 'txt' | 'md', part: (turn: Said) => unknown) {
  fc.assert(
    fc.property(session, segments => {
      const read = again(format, segments)
      expect(turnsOf(read.segments, part), read.file).toEqual(turnsOf(segments, part))
      expect(read.warnings).toEqual([])
    }),
    { numRuns: SESSIONS }
  )
}

test('WebVTT comes back with all segments', () => {
  fc.assert(
    fc.property(session, segments => {
      const read = again('vtt', segments)
      expect(read.segments, read.file).toEqual(segments)
    }),
    { numRuns: SESSIONS }
  )
})

test('text comes back with the turns and their speakers', () => {
  check('txt', turn => [turn.speaker, turn.text])
})

test('Markdown comes back with the turns, their speakers and times', () => {
  check('md', turn => [turn.speaker, turn.start, turn.end, turn.text])
})

/** SubRip has no escapes for what players take for tags. */
function withoutTags(segments: TimedSegment[]) {
  return segments.map(segment => ({ ...segment, speaker: segment.speaker.replace(/<([^<>]*)>/g, '‹$1›') }))
}

/** Captions of overlapping segments alternate, so that only the words of each speaker can be compared. */
function wordsBySpeaker(segments: Said[]) {
  const said = Map.groupBy(segments, ({ speaker }) => speaker)
  return [...said].map(([speaker, all]) => [
    speaker,
    Math.min(...all.map(({ start }) => start ?? 0)),
    all
      .flatMap(({ text }) => [...text.replace(/\s/g, '')])
      .sort()
      .join('')
  ])
}

test('SubRip comes back with the speakers, their words and starts', () => {
  fc.assert(
    fc.property(session, segments => {
      const read = again('srt', segments)
      expect(wordsBySpeaker(read.segments), read.file).toEqual(wordsBySpeaker(withoutTags(segments)))
      expect(read.warnings).toEqual([])
    }),
    { numRuns: SESSIONS }
  )
})

/** Each caption of a segment takes a millisecond, so that segments closer than that overlap. */
test('SubRip of segments that follow each other comes back with the turns', () => {
  const following = session.map(segments => {
    const apart = segments.filter(({ start }, index) => index === 0 || start > (segments[index - 1]?.start ?? 0) + 1)
    return apart.map((segment, index) => ({
      ...segment,
      end: Math.min(segment.end, apart[index + 1]?.start ?? segment.end)
    }))
  })
  fc.assert(
    fc.property(following, segments => {
      const read = again('srt', segments)
      const part = (turn: Said) => [turn.speaker, turn.start, turn.text.replace(/\s/g, '')]
      expect(turnsOf(read.segments, part), read.file).toEqual(turnsOf(withoutTags(segments), part))
    }),
    { numRuns: SESSIONS }
  )
})
