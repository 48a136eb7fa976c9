import { expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { linesOf } from '../../support/transcript.ts'

const Q = 'Is the bridge open?'
const A = 'Yes, since Monday.'

function vtt(...cues: [id: string, text: string][]) {
  return `WEBVTT\n\n${cues.map(([id, text], at) => `${id}${id && '\n'}00:00:0${at * 3 + 1}.000 --> 00:00:0${at * 3 + 3}.000\n${text}\n`).join('\n')}`
}

test.each<[string, string, string[]]>([
  [
    'names',
    vtt(['Ines Duarte', Q], ['Tom Berger', A], ['Ines Duarte', 'Good.']),
    ['Ines Duarte', 'Tom Berger', 'Ines Duarte']
  ],
  [
    'names in quotation marks',
    vtt(['1 "Ines Duarte" (123)', Q], ['2 "Tom Berger" (77)', A]),
    ['Ines Duarte', 'Tom Berger']
  ],
  ['numbers', vtt(['1', Q], ['2', A]), ['Speaker', 'Speaker']],
  ['computed ids', vtt(['1f0c9e7a/3-0', Q], ['1f0c9e7a/3-1', A]), ['Speaker', 'Speaker']],
  ['words that come once', vtt(['intro', Q], ['outro', A]), ['Speaker', 'Speaker']],
  ['ids beside labels', vtt(['Ines Duarte', `Tom: ${Q}`], ['Tom Berger', `Ines: ${A}`]), ['Tom', 'Ines']]
])('the speakers of cues whose identifiers are %s', (_, content, expected) => {
  expect(parseDocument('a.vtt', content).document.segments?.map(({ speaker }) => speaker)).toEqual(expected)
})

test('cues of JSON are read as what they say of speaker, words and clock', () => {
  const cue = (at: string, speakerName: string, spokenText: string) =>
    JSON.stringify({ startDateTime: `2026-03-02T10:00:0${at}.000Z`, speakerName, spokenText, spokenLanguage: 'en-us' })
  const { document, startedAt } = parseDocument(
    'a.vtt',
    vtt(['', cue('1', 'Ines Duarte', Q)], ['', cue('4', 'Tom Berger', A)])
  )
  expect(document).toMatchObject({
    language: 'en',
    segments: [
      { speaker: 'Ines Duarte', start: 1, text: Q },
      { speaker: 'Tom Berger', start: 4, text: A }
    ]
  })
  expect(startedAt).toEqual({ text: '2026-03-02T10:00:00', utc: true })
})

test.each([
  ['a.srt', `1\n10:00:01,000 --> 10:00:03,000\n${Q}\n\n2\n10:00:03,500 --> 10:00:06,000\n${A}\n`],
  ['a.vtt', `WEBVTT\n\n10:00:01.000 --> 10:00:03.000\n${Q}\n\n10:00:03.500 --> 10:00:06.000\n${A}\n`],
  [
    'a.ttml',
    `<tt xmlns:ttp="x" ttp:timeBase="smpte" ttp:frameRate="25"><body><div><p begin="01:00:01:00" end="01:00:03:00">${Q}</p><p begin="01:00:03.500" end="01:00:06:00">${A}</p></div></body></tt>`
  ]
])('the clock of a tape counts from its first hour, in %s', (name, content) => {
  expect(linesOf(name, content)).toEqual([expect.stringContaining('6'), `1–3 Speaker | ${Q}`, `3.5–6 Speaker | ${A}`])
})

test.each([
  [
    'srv1',
    `<?xml version="1.0"?><transcript><text start="1" dur="2">Is it &amp;quot;open&amp;quot;?</text><text start="3.5" dur="2.5">${A}</text></transcript>`
  ],
  [
    'srv3',
    `<?xml version="1.0"?><timedtext format="3"><body><p t="1000" d="2500"><s>Is it </s><s t="9">"open"?</s></p><p t="3500" d="2500">${A}</p></body></timedtext>`
  ]
])('reads the %s of YouTube', (_, xml) => {
  const [, first, second] = linesOf('a.xml', xml)
  expect([first?.replace(/^1–3(\.5)? /, ''), second]).toEqual(['Speaker | Is it "open"?', `3.5–6 Speaker | ${A}`])
})

test.each([
  ['a.eaf', '<?xml version="1.0"?><ANNOTATION_DOCUMENT FORMAT="3.0"></ANNOTATION_DOCUMENT>', 'ELAN'],
  ['a.TextGrid', 'File type = "ooTextFile"\nObject class = "TextGrid"\n', 'Praat'],
  ['a.cha', '@UTF8\n@Begin\n*INE:\tis it open ?\n', 'CHAT']
])('%s is refused by its own name', (name, content, format) => {
  expect(() => parseDocument(name, content)).toThrow(format)
})
