import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/captions')
const Q = 'Did the bank approve the loan?'
const A = 'Yes, they signed it yesterday.'

function read(name: string) {
  return parseDocument(name, readFileSync(join(FOLDER, name), 'utf8'))
}

test.each([
  [
    'youtube-rolling.en.vtt',
    [
      '0.16–2.32 Speaker| the orchard needs water',
      '2.32–5.2 Speaker| twice a week in July',
      '5.2–8 Speaker| and the pump costs 900 euros'
    ]
  ],
  ['highlight-words.srt', ['0–2.9 SPEAKER_00| We ship the red pump on Monday.', '3–4 SPEAKER_01| Who signs?']],
  [
    'teams-unattributed.vtt',
    ['1.1–3.4 Speaker| Welcome to the harvest call.', '3.9–7 Speaker| The pears are sold out until October.']
  ],
  [
    'two-names-one-cue.srt',
    [
      `1–4 MARTA| ${Q}`,
      `1–4 OSKAR| ${A}`,
      "4.2–6 MARTA| Then I'll order the tractor by Friday.",
      '6.2–8 OSKAR| Good.',
      '6.2–8 MARTA| And the plough?'
    ]
  ],
  [
    'dash-dialogue.srt',
    [`1–4 Speaker| ${Q}`, `1–4 Speaker| ${A}`, '4.2–6 Speaker| Is it too late?', '4.2–6 Speaker| No.']
  ],
  [
    'entities.vtt',
    ['1–3 Zoë Muñoz| The café is closed — we’ll meet at Björn’s…', '3–5 Zoë Muñoz| It costs 40 € & 5 % tax']
  ],
  ['tinydiarize.srt', [`0–3.8 Speaker| ${Q}`, `3.8–6.2 Speaker| ${A}`, '6.2–8.2 Speaker| Good.']],
  [
    'whispercpp-diarize.srt',
    [`0–3.8 Speaker 0| ${Q}`, `3.8–6.2 Speaker 1| ${A}`, '6.2–8.2 Speaker 0| Good.', '8.2–9 Speaker| Mhm.']
  ],
  ['negative-times.srt', ['0–0.5 MARTA| Good morning from the mill.', `0–0 MARTA| ${Q}`, '1–3 OSKAR| Good morning.']],
  ['line-of-one-space.vtt', [`1–3 Speaker| ${Q}`, `3–5 Speaker| ${A}`]],
  [
    'zoom-display-names.vtt',
    [
      `1–3 Marta Lind | Acme| ${Q}`,
      `3.2–5 oskar berg| ${A}`,
      "5.2–7 Ines Duarte - Acme Fruit| I'll order the tractor by Friday.",
      '7.2–9 📞 Reception| Somebody is at the door.',
      "9.2–11 Pia [guest]| That's for me.",
      '11.2–13 Ragnheiður Þóra (hún/she)| Good.',
      '13.2–15 j.novak| I can send the papers.',
      '15.2–17 Lea "Bee" Stone| Thanks all.',
      '17.2–19 マイケル・ジョンソン| ありがとうございます。',
      '19.2–21 田中（営業部）| 金曜日に送ります。'
    ]
  ],
  [
    'teams-empty-voice.vtt',
    [
      `1–3 Marta Lind| ${Q}`,
      '3.5–5 Speaker| No, and I will quit tomorrow.',
      "5.5–7 Speaker| I'll send the angry letter to the bank by Friday.",
      '7.5–9 Oskar Berg| Good.'
    ]
  ],
  [
    'out-of-order.srt',
    [`1–3 Marta| ${Q}`, `4–6 Oskar| ${A}`, "7–9 Marta| Then I'll order the tractor by Friday.", '10–12 Oskar| Good.']
  ],
  [
    'seconds-only.vtt',
    [
      '0.86–7.38 SPEAKER_1| The bank approved the loan, and the account is 4711.',
      '10.1–13.48 SPEAKER_2| Then we order the tractor.',
      '58–62.5 SPEAKER_1| The plough can wait.',
      '63–65 SPEAKER_2| Good.'
    ]
  ],
  [
    'one-colon.srt',
    [
      '1–3 Speaker| We walked through the orchard.',
      '3–5 Speaker| Then I stood up and said it.',
      '5–7 Speaker| Verdict: the pump is broken.',
      '7–9 Speaker| My sister will pay for it by Friday.',
      "9–11 Speaker| I'll call the bank tomorrow.",
      '11–13 Speaker| And that was the whole day.'
    ]
  ],
  [
    'digits-only.srt',
    [
      '1–2 Speaker| What is the PIN?',
      '3–4 Speaker| 4711',
      '5–6 Speaker| Thanks.',
      '7–8 Speaker| 1998',
      '9–10 Speaker| Done'
    ]
  ],
  [
    'digits-only.vtt',
    [
      '1–3 Marta Lind| What is the PIN?',
      '3.2–5 Marta Lind| 4711',
      '5.2–7 Oskar Berg| And the year?',
      '7.2–9 Oskar Berg| 1998'
    ]
  ]
])('reads %s', (name, segments) => {
  const { document, warnings } = read(name)
  expect(document.segments?.map(({ start, end, speaker, text }) => `${start}–${end} ${speaker}| ${text}`)).toEqual(
    segments
  )
  expect(warnings).toEqual([])
})

test('reads the language of YouTube captions', () => {
  expect(read('youtube-rolling.en.vtt').document.language).toBe('en')
})

test('refuses a broken time, and names its line', () => {
  expect(() => read('broken-time.srt')).toThrow('Line 6 does not hold the times of a cue')
})

test.each([
  ['two-names-one-cue.srt', ['MARTA', 'OSKAR']],
  ['entities.vtt', ['Zoë Muñoz']],
  ['teams-empty-voice.vtt', ['Marta Lind', 'Oskar Berg']],
  ['whispercpp-diarize.srt', undefined],
  ['dash-dialogue.srt', undefined],
  ['one-colon.srt', undefined]
])('makes people of the names of %s', (name, people) => {
  expect(read(name).document.speakers?.map(({ person }) => person)).toEqual(people)
})
