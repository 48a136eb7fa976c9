import { describe, expect, test } from 'vitest'
import { linesOf } from '../../support/transcript.ts'

const Q = 'Did the bank approve the loan?'
const A = 'Yes, they signed it yesterday.'
const TALK = ['0–3.8 Speaker | Did the bank approve the loan?', '3.8–6.2 Speaker | Yes, they signed it yesterday.']

function word(text: string, start: number, end: number, speaker?: string) {
  return { word: text, start, end, speaker }
}

const WORDS = [
  word('Did', 0, 0.4),
  word('the', 0.4, 0.6),
  word('bank', 0.6, 1),
  word('approve', 1, 2),
  word('the', 2, 2.4),
  word('loan', 2.4, 3.8),
  word('Yes', 3.8, 4.1),
  word('they', 4.1, 4.4),
  word('signed', 4.4, 5),
  word('it', 5, 5.2),
  word('yesterday', 5.2, 6.2)
]

describe('reads the JSON of', () => {
  test.each<[string, unknown, string[]]>([
    [
      'openai-whisper',
      {
        text: ` ${Q} ${A}`,
        segments: [
          { id: 0, seek: 0, start: 0, end: 3.8, text: ` ${Q}`, tokens: [1], no_speech_prob: 0.01 },
          { id: 1, seek: 0, start: 3.8, end: 6.2, text: ` ${A}` },
          { id: 2, seek: 0, start: 6.2, end: 7, text: ' ' }
        ],
        language: 'en'
      },
      ['en 6.2', ...TALK]
    ],
    [
      "OpenAI's API with segments, which names the language in English",
      {
        task: 'transcribe',
        language: 'german',
        duration: 8.47,
        text: 'Hallo',
        segments: [{ start: 0, end: 2, text: 'Hallo' }]
      },
      ['de 8.47', '0–2 Speaker | Hallo']
    ],
    [
      "OpenAI's API with words only, which have no punctuation",
      { task: 'transcribe', language: 'english', duration: 6.5, text: `${Q} ${A}`, words: WORDS },
      ['en 6.5', ...TALK]
    ],
    ['words and an empty list of segments', { text: `${Q} ${A}`, segments: [], words: WORDS }, ['6.2', ...TALK]],
    [
      'words that are not all in the text',
      { text: 'Something else.', words: WORDS.slice(0, 3) },
      ['1', '0–1 Speaker | Did the bank']
    ],
    [
      'words in quotation marks and brackets',
      {
        text: '“Go (now),” she said.',
        words: [word('Go', 0, 1), word('now', 1, 2), word('she', 2, 3), word('said', 3, 4)]
      },
      ['4', '0–4 Speaker | “Go (now),” she said.']
    ],
    [
      'words of Chinese, which has no blanks',
      {
        text: '银行批准了吗？批准了。',
        words: [
          word('银行', 0, 1),
          word('批准', 1, 2),
          word('了', 2, 2.2),
          word('吗', 2.2, 2.5),
          word('批准', 3, 4),
          word('了', 4, 4.5)
        ]
      },
      ['4.5', '0–2.5 Speaker | 银行批准了吗？', '3–4.5 Speaker | 批准了。']
    ],
    [
      "OpenAI's diarization",
      {
        task: 'transcribe',
        duration: 6.2,
        text: `${Q} ${A}`,
        segments: [
          { type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 3.8, text: Q, speaker: 'A' },
          { type: 'transcript.text.segment', id: 'seg_1', start: 3.8, end: 6.2, text: A, speaker: 'Marta' }
        ],
        usage: { type: 'duration', seconds: 7 }
      },
      ['6.2', `0–3.8 Speaker A | ${Q}`, `3.8–6.2 Marta | ${A}`]
    ],
    [
      "OpenAI's plain answer",
      { text: `${Q} ${A}`, usage: { type: 'tokens', input_tokens: 14 } },
      ['', `Speaker | ${Q} ${A}`]
    ],
    [
      'faster-whisper without the whole text',
      {
        language: 'en',
        duration: 7,
        segments: [{ start: 0, end: 3.8, text: ` ${Q}`, avg_logprob: -0.2, words: null }]
      },
      ['en 7', TALK[0]!]
    ],
    [
      'whisper-timestamped, whose words have a text',
      {
        text: Q,
        segments: [{ start: 0, end: 3.8, text: Q, words: [{ text: 'Did', start: 0, end: 0.4, confidence: 1 }] }]
      },
      ['3.8', TALK[0]!]
    ],
    [
      'segments of words without a text',
      {
        segments: [
          {
            start: 0,
            end: 1,
            speaker: 'SPEAKER_01',
            words: [word(' Did', 0, 0.4), word(' the', 0.4, 0.6), word(' bank?', 0.6, 1)]
          }
        ]
      },
      ['1', '0–1 SPEAKER_01 | Did the bank?']
    ],
    [
      'WhisperX, where no speaker is an unknown one',
      {
        segments: [
          { start: 0, end: 3.8, text: ` ${Q}`, words: [], speaker: 'SPEAKER_01' },
          { start: 3.8, end: 6.2, text: ` ${A}`, words: [] }
        ],
        word_segments: [],
        language: 'en'
      },
      ['en 6.2', `0–3.8 SPEAKER_01 | ${Q}`, `3.8–6.2 Speaker | ${A}`]
    ],
    [
      'WhisperX, only words with speakers',
      {
        word_segments: [
          word('Why?', 0, 1, 'SPEAKER_00'),
          word('Because', 1, 2, 'SPEAKER_01'),
          word('so.', 2, 3, 'SPEAKER_01')
        ]
      },
      ['3', '0–1 SPEAKER_00 | Why?', '1–3 SPEAKER_01 | Because so.']
    ],
    [
      'the pipeline of Hugging Face',
      {
        text: ` ${Q} ${A}`,
        chunks: [
          { timestamp: [0, 3.8], text: ` ${Q}` },
          { timestamp: [3.8, null], text: ` ${A}` }
        ]
      },
      ['3.8', TALK[0]!, '3.8–3.8 Speaker | Yes, they signed it yesterday.']
    ],
    [
      'the pipeline of Hugging Face with a chunk for each word',
      {
        text: ' Why? Because so.',
        chunks: [
          { timestamp: [0, 1], text: ' Why?' },
          { timestamp: [1, 2], text: ' Because' },
          { timestamp: [2, 3], text: ' so.' }
        ]
      },
      ['3', '0–1 Speaker | Why?', '1–3 Speaker | Because so.']
    ],
    [
      'whisper.cpp with a segment for each word',
      {
        transcription: [
          { offsets: { from: 0, to: 1000 }, text: ' Why' },
          { offsets: { from: 1000, to: 2000 }, text: ' not?' }
        ]
      },
      ['2', '0–2 Speaker | Why not?']
    ],
    [
      'short answers',
      {
        text: '',
        segments: [
          { seek: 0, start: 0, end: 1, text: ' Yes.' },
          { seek: 0, start: 1, end: 2, text: ' No.' }
        ]
      },
      ['2', '0–1 Speaker | Yes.', '1–2 Speaker | No.']
    ],
    [
      'a pause without punctuation',
      {
        text: '',
        chunks: [
          { timestamp: [0, 1], text: 'hello' },
          { timestamp: [3, 4], text: 'there' }
        ]
      },
      ['4', '0–1 Speaker | hello', '3–4 Speaker | there']
    ],
    [
      'insanely-fast-whisper with speakers',
      {
        speakers: [
          { speaker: 'SPEAKER_00', text: Q, timestamp: [0, 3.8] },
          { speaker: 'SPEAKER_01', text: A, timestamp: [3.8, 6.2] }
        ],
        chunks: [{ timestamp: [0, 6.2], text: `${Q} ${A}` }],
        text: `${Q} ${A}`
      },
      ['6.2', `0–3.8 SPEAKER_00 | ${Q}`, `3.8–6.2 SPEAKER_01 | ${A}`]
    ],
    [
      'insanely-fast-whisper without speakers',
      {
        speakers: [],
        chunks: [
          { timestamp: [0, 3.8], text: ` ${Q}` },
          { timestamp: [3.8, 6.2], text: ` ${A}` }
        ],
        text: ` ${Q} ${A}`
      },
      ['6.2', ...TALK]
    ],
    [
      'chunks with speakers',
      {
        text: Q,
        chunks: [{ timestamp: [0, 3.8], text: Q, speaker: 'SPEAKER_00' }],
        inferred_languages: ['en'],
        diarization_segments: []
      },
      ['3.8', `0–3.8 SPEAKER_00 | ${Q}`]
    ],
    [
      'whisper.cpp',
      {
        params: { language: 'auto' },
        result: { language: 'en' },
        transcription: [
          { timestamps: { from: '00:00:00,000', to: '00:00:03,800' }, offsets: { from: 0, to: 3800 }, text: ` ${Q}` }
        ]
      },
      ['en 3.8', TALK[0]!]
    ],
    [
      'whisper.cpp with speakers and an unknown one',
      {
        transcription: [
          { offsets: { from: 0, to: 3800 }, text: ` ${Q}`, speaker: '0' },
          { offsets: { from: 3800, to: 6200 }, text: ` ${A}`, speaker: '1' },
          { offsets: { from: 6200, to: 9000 }, text: ' Mhm.', speaker: '?' }
        ]
      },
      ['9', `0–3.8 Speaker 0 | ${Q}`, `3.8–6.2 Speaker 1 | ${A}`, '6.2–9 Speaker | Mhm.']
    ],
    [
      'whisper.cpp with clock times alone, and turns of tinydiarize',
      {
        transcription: [
          {
            timestamps: { from: '00:00:00,000', to: '00:00:03,800' },
            text: ` ${Q} [SPEAKER_TURN]`,
            speaker_turn_next: true
          },
          { timestamps: { from: '00:00:03,800', to: '01:00:06,200' }, text: ` ${A}`, speaker_turn_next: false }
        ]
      },
      ['3606.2', `0–3.8 Speaker | ${Q}`, `3.8–3606.2 Speaker | ${A}`]
    ],
    [
      'Replicate',
      {
        output: {
          segments: [{ id: 0, seek: 0, start: 0, end: 3.8, text: Q }],
          transcription: Q,
          translation: null,
          detected_language: 'english'
        },
        status: 'succeeded'
      },
      ['en 3.8', TALK[0]!]
    ],
    [
      'Vosk',
      {
        result: [
          { conf: 1, start: 0, end: 1, word: 'hello' },
          { conf: 1, start: 1, end: 2, word: 'there' }
        ],
        text: 'hello there'
      },
      ['2', '0–2 Speaker | hello there']
    ],
    [
      'a list of segments',
      [
        { id: 0, seek: 0, start: 0, end: 3.8, text: Q },
        { id: 1, seek: 0, start: 3.8, end: 6.2, text: A }
      ],
      ['6.2', ...TALK]
    ],
    [
      'a list of chunks',
      [
        { timestamp: [0, 3.8], text: Q },
        { timestamp: [3.8, 6.2], text: A }
      ],
      ['6.2', ...TALK]
    ],
    ['a list of words', WORDS.slice(0, 3), ['1', '0–1 Speaker | Did the bank']],
    ['a list of one transcript', [{ text: Q, chunks: [{ timestamp: [0, 3.8], text: Q }] }], ['3.8', TALK[0]!]],
    [
      'wrapped results',
      { results: { output: [{ text: Q, chunks: [{ timestamp: [0, 3.8], text: Q }] }] } },
      ['3.8', TALK[0]!]
    ],
    [
      'times written as texts and below zero',
      { text: Q, segments: [{ start: '-0.02', end: '3.80', text: Q }] },
      ['3.8', TALK[0]!]
    ],
    [
      'times written as clock times',
      { text: Q, segments: [{ start: '00:00:00.000', end: '00:00:03.800', text: Q }] },
      ['3.8', TALK[0]!]
    ],
    ['a NUL that JSON spells as an escape', { text: 'a\u0000b' }, ['', 'Speaker | ab']]
  ])('%s', (_, json, lines) => {
    expect(linesOf('talk.json', JSON.stringify(json))).toEqual(lines)
  })
})

test.each(['NaN', 'Infinity', '-Infinity'])('reads %s, which Python writes, as null', literal => {
  const json = `{"text":" NaN \\" NaN","segments":[{"seek":0,"start":0.0,"end":${literal},"text":" NaN \\" Infinity","avg_logprob":${literal}}]}`
  expect(linesOf('talk.json', json)).toEqual(['0', '0–0 Speaker | NaN " Infinity'])
})

test('names the segment that is faulty', () => {
  const segments = [
    { start: 0, end: 1, text: 'Hi' },
    { start: 'x', end: 1, text: 'Hi' }
  ]
  expect(() => linesOf('a.json', JSON.stringify({ text: 'Hi', segments }))).toThrow(
    'segments.1.start: expected a number of seconds from 0 to 999999999.'
  )
})

test.each([
  ['segments of another type beside a text', { text: 'a', segments: { a: 'b' } }, 'segments: expected a list'],
  ['a text beside lists that nobody knows', { text: 'a', pieces: [{ said: 'b' }] }, 'it has the keys text, pieces'],
  ['no known key', { foo: 1, 'b\nar': 2 }, 'it has the keys foo, b ar'],
  [
    'more keys than anybody reads',
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, n])),
    'k8, k9 and 20 more'
  ],
  ['a list of unknown entries', [{ x: 1 }, { x: 2 }], 'it is a list, and of its first entry it has the keys x'],
  ['an empty list', [], 'it is a list'],
  [
    'a list of several transcripts',
    [
      { text: 'a', chunks: [] },
      { text: 'b', chunks: [] }
    ],
    'its first entry it has the keys text, chunks'
  ],
  ['a number', 4711, 'it is a single value'],
  ['no keys', {}, 'it has no keys']
])('refuses JSON with %s, and names what was found', (_, json, found) => {
  expect(() => linesOf('a.json', JSON.stringify(json))).toThrow(found)
})

test.each(['a.txt', 'a.json', 'a', 'a.vtt'])(
  'refuses JSON that is cut off, and does not take it for text: %s',
  fileName => {
    expect(() => linesOf(fileName, '{"text": "Hello there", "segments": [')).toThrow('The file is not valid JSON')
  }
)
