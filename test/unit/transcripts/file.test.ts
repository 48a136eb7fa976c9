import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { oneLine } from '../../../src/contract/text.ts'
import { toCues } from '../../../src/features/transcripts/cues.ts'
import { writeTranscript } from '../../../src/features/transcripts/transcript-file.ts'
import type { TimedSegment } from '../../../src/platform/text/segment.ts'
import { parseTranscript } from '../../support/transcript.ts'

const word = fc.oneof(
  fc.constantFrom('Yes.', 'review', 'Dr. Lovelace', 'שלום', 'العالم', '今日は天気がいいですね。', '👨‍👩‍👧‍👦', '🎙️'),
  fc.constantFrom(
    '-->',
    '00:00:01,000 --> 00:00:02,000',
    '<b>',
    '</v>',
    '<v Eve>',
    '&amp;',
    '{\\an8}',
    '42',
    'NOTE',
    'WEBVTT'
  ),
  fc.constantFrom('x'.repeat(200), `e${'\u0301'.repeat(300)}`, '字'.repeat(300), 'https://example.com/a?b=c&d=e'),
  fc.lorem({ maxCount: 40, mode: 'sentences' }),
  fc.string({ unit: 'grapheme', maxLength: 30 })
)
const said = fc
  .array(word, { minLength: 1, maxLength: 12 })
  .map(words => oneLine(`Said: ${words.join(' ')}`).replaceAll('\0', ''))
  .map(text => text.toWellFormed())
const speaker = fc.oneof(
  fc.constantFrom('Ada', 'Ben & Co. <b>', 'עדה', 'Ada --> Ben', '👩‍💻', 'N'.repeat(90)),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map(name => oneLine(`S ${name}`))
)
const TEN_HOURS_MS = 36_000_000
const length = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(10_000), fc.nat(TEN_HOURS_MS))
const segment = fc
  .record({ speaker, text: said, at: fc.nat(TEN_HOURS_MS), length })
  .map(({ at, length, ...rest }): TimedSegment => ({ ...rest, start: at / 1_000, end: (at + length) / 1_000 }))
const segments = fc.array(segment, { minLength: 1, maxLength: 12 })

function write(format: 'vtt' | 'srt' | 'txt' | 'md', all: TimedSegment[], title = '') {
  return writeTranscript(format, { title, segments: all }, {})
}

describe('cues', () => {
  test('last 1 ms to 7 s, have at most 84 characters, start in order, and lose nothing', () => {
    fc.assert(
      fc.property(segments, all => {
        const cues = toCues(all)
        for (const [index, { start, end, text }] of cues.entries()) {
          expect(start).toBeGreaterThanOrEqual(cues[index - 1]?.start ?? 0)
          expect(end - start).toBeGreaterThanOrEqual(1)
          expect(end - start).toBeLessThanOrEqual(7_000)
          expect(text.length).toBeLessThanOrEqual(84)
          expect(text.isWellFormed() && text.trim() === text && text !== '').toBe(true)
        }
        const letters = (text: string) => text.replaceAll(' ', '')
        const bySegment = Map.groupBy(cues, cue => cue.segment)
        expect(
          all.map((_, index) => letters((bySegment.get(index + 1) ?? []).map(({ text }) => text).join('')))
        ).toEqual(all.map(({ text }) => letters(text)))
      })
    )
  })

  test('end where a sentence ends, and between words where a sentence is too long', () => {
    const text =
      'Good morning. Dr. Lovelace has the numbers of the spring. Nobody can say in one short sentence why the launch of the new engine was moved by two whole weeks. Shall we?'
    expect(toCues([{ speaker: 'Ada', start: 0, end: 12, text }]).map(cue => cue.text)).toEqual([
      'Good morning. Dr. Lovelace has the numbers of the spring.',
      'Nobody can say in one short sentence why the launch of the new engine was moved by',
      'two whole weeks. Shall we?'
    ])
  })

  test('share the time of their segment by the length of their texts', () => {
    const cues = toCues([{ speaker: 'Ada', start: 10, end: 20, text: `${'a'.repeat(49)}. ${'b'.repeat(48)}.` }])
    expect(cues.map(({ start, end }) => [start, end])).toEqual([
      [10_000, 15_100],
      [15_100, 20_000]
    ])
  })

  test('of few words in a long time end after 7 s', () => {
    expect(
      toCues([{ speaker: 'Ada', start: 0, end: 60, text: 'Hello.' }]).map(({ start, end }) => [start, end])
    ).toEqual([[0, 7_000]])
  })

  test('of a segment without a length last as long as reading takes, at most until the next one starts', () => {
    const turn = (start: number, text: string) => ({ speaker: 'Ada', start, end: start, text })
    const long = 'So we move the launch by two weeks, and tell the printer today.'
    const timesOf = (all: TimedSegment[]) => toCues(all).map(({ start, end, ends }) => [start, end, ends])
    expect(timesOf([turn(5, 'Bye.')])).toEqual([[5_000, 6_000, 5_000]])
    expect(timesOf([turn(5, long)])).toEqual([[5_000, 9_200, 5_000]])
    expect(timesOf([turn(5, long), turn(6.5, 'Bye.'), turn(6.5, 'Bye.'), turn(6.501, 'Bye.')])).toEqual([
      [5_000, 6_500, 5_000],
      [6_500, 7_500, 6_500],
      [6_500, 6_501, 6_500],
      [6_501, 7_501, 6_501]
    ])
    const [first, last, ...others] = timesOf([turn(0, `${'a'.repeat(59)}. ${'b'.repeat(58)}.`)])
    expect([first, last, others]).toEqual([[0, 4_067, null], [4_067, 8_000, 0], []])
  })

  test.each([
    [
      'zh',
      '我们今天要讨论的第一个问题是明年的预算安排以及果园灌溉系统的更新计划因为去年的水泵已经坏了三次所以我认为必须在七月之前买一台新的并且请银行批准一笔新的贷款'
    ],
    [
      'ja',
      '今日は来年の予算と果樹園の灌漑システムの更新について話し合いたいと思いますが去年のポンプが三回も壊れたので七月までに新しいものを買う必要があります'
    ],
    ['th', 'วันนี้เราจะพูดคุยเรื่องงบประมาณของปีหน้าและแผนการปรับปรุงระบบชลประทานของสวนผลไม้เพราะปั๊มน้ำเสียสามครั้งแล้วเมื่อปีที่แล้ว']
  ])('of a script without spaces (%s) have at most 84 columns and end between words', (language, text) => {
    const cues = toCues([{ speaker: 'Pia', start: 0, end: 20, text }])
    expect(cues.map(cue => cue.text).join('')).toBe(text)
    const wide = /[\u3000-\u30ff\u4e00-\u9fff\uff00-\uff60]/g
    for (const cue of cues) expect(cue.text.length + (cue.text.match(wide)?.length ?? 0)).toBeLessThanOrEqual(84)
    const words = [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].map(({ index }) => index)
    let end = 0
    for (const cue of cues.slice(0, -1)) {
      end += cue.text.length
      expect(words).toContain(end)
    }
  })

  test('keep an emoji of several people whole', () => {
    const family = '👨‍👩‍👧‍👦'
    const cues = toCues([{ speaker: 'Ada', start: 0, end: 6, text: family.repeat(20) }])
    expect(cues.map(({ text }) => text)).toEqual([family.repeat(7), family.repeat(7), family.repeat(6)])
  })
})

describe('WebVTT', () => {
  test('imported again gives the same speakers, texts and times', () => {
    fc.assert(
      fc.property(segments, all => {
        expect(parseTranscript('a.vtt', write('vtt', all)).segments).toEqual(all.toSorted((a, b) => a.start - b.start))
      }),
      { numRuns: 300 }
    )
  })

  test('names the speaker in each cue and escapes what is said', () => {
    const all = [
      { speaker: 'Ada <b>', start: 0, end: 2, text: 'Salt & pepper --> {\\an8}<i>' },
      { speaker: 'Ben', start: 3_600, end: 3_600, text: 'Yes.\nNo.' }
    ]
    expect(write('vtt', all)).toBe(`WEBVTT

segment-1
00:00:00.000 --> 00:00:02.000
<v Ada &lt;b&gt;>Salt &amp; pepper --&gt; &#123;\\an8}&lt;i&gt;

segment-2-ends-3600000
01:00:00.000 --> 01:00:01.000
<v Ben>Yes. No.
`)
  })

  test('whose parts an editor gave to somebody else keeps both', () => {
    const text = 'Good morning, everybody in this room. '.repeat(4).trim()
    const file = write('vtt', [{ speaker: 'Ada', start: 0, end: 8, text }])
    const [first, ...others] = file.split('<v Ada>')
    const edited = `${first}<v Ada>${others.join('<v Ben>')}`
    expect(parseTranscript('a.vtt', edited).segments.map(({ speaker }) => speaker)).toEqual(['Ada', 'Ben'])
  })
})

describe('SubRip', () => {
  const label = /^(?:S .*|Ada|Ben & Co\. ‹b›|עדה|Ada → Ben|👩‍💻|N+…): /su

  test('has cues of at most 84 characters with the name of who begins to speak', () => {
    fc.assert(
      fc.property(segments, all => {
        const blocks = write('srt', all).trimEnd().split('\n\n')
        for (const [index, block] of blocks.entries()) {
          const [number, times, ...lines] = block.split('\n')
          expect([number, lines.length]).toEqual([String(index + 1), 1])
          expect(times).toMatch(/^\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}$/)
          expect(lines[0]!.replaceAll('\u2060', '').length).toBeLessThanOrEqual(84)
          expect(lines[0]).not.toContain('-->')
        }
        expect(blocks[0]!.split('\n')[2]!.replaceAll('\u2060', '')).toMatch(label)
      })
    )
  })

  test('writes arrows, tags and overrides with characters that begin no cue and are none', () => {
    const all = [{ speaker: 'Ada', start: 0, end: 2, text: '1 < 2 <laughs> --> <i>so</i> {\\an8}' }]
    expect(write('srt', all)).toBe('1\n00:00:00,000 --> 00:00:02,000\nAda: 1 < 2 ‹laughs› → ‹i›so‹/i› ｛\\an8}\n')
  })

  test('shortens a long name before a character, not within one', () => {
    const all = [{ speaker: `${'N'.repeat(38)}👋 and so on`, start: 0, end: 2, text: 'Hello.' }]
    expect(write('srt', all)).toBe(`1\n00:00:00,000 --> 00:00:02,000\n${'N'.repeat(38)}…\u2060: Hello.\n`)
  })

  test('is read by ffmpeg without a warning', context => {
    context.skip(spawnSync('ffmpeg', ['-version']).status !== 0, 'there is no ffmpeg here')
    const samples = fc.sample(fc.array(segment, { minLength: 200, maxLength: 400 }), { numRuns: 3, seed: 7 })
    for (const input of samples.map(all => write('srt', all))) {
      const { status, stdout, stderr } = spawnSync(
        'ffmpeg',
        ['-v', 'warning', '-f', 'srt', '-i', '-', '-f', 'webvtt', '-'],
        { input }
      )
      expect([status, String(stderr)]).toEqual([0, ''])
      expect(String(stdout).match(/-->/g)?.length).toBe(input.match(/-->/g)?.length)
    }
  })
})

test('text has a line for each turn', () => {
  const all = [
    { speaker: 'Ada', start: 0, end: 1, text: 'Good morning.' },
    { speaker: 'Ada', start: 1, end: 2, text: 'Shall we?' },
    { speaker: 'Ben', start: 2, end: 3, text: 'We shall.' }
  ]
  expect(write('txt', all)).toBe('Ada: Good morning. Shall we?\nBen: We shall.\n')
})

test('Markdown has the title, a paragraph for each turn with its time, and no markup of what is said', () => {
  const all = [
    { speaker: 'Ada', start: 0, end: 1, text: 'A *bold* plan.' },
    { speaker: 'Ada', start: 1, end: 2, text: '# One' },
    { speaker: 'Ben_', start: 3_723.9, end: 3_724, text: '<b>' }
  ]
  expect(write('md', all, 'Weekly [1]')).toBe(
    '# Weekly \\[1\\]\n\n**Ada** (00:00:00–00:00:02): A \\*bold\\* plan. # One\n\n**Ben\\_** (01:02:03.900–01:02:04): \\<b\\>\n'
  )
})

test('a source without times has no times in Markdown', () => {
  const all = [{ speaker: 'Ada', start: null, end: null, text: 'Good morning.' }]
  expect(writeTranscript('md', { title: 'Review', segments: all }, {})).toBe('# Review\n\n**Ada**: Good morning.\n')
})
