import { expect, test } from 'vitest'
import { linesOf } from '../../support/transcript.ts'

const Q = 'Did the bank approve the loan?'
const A = 'Yes, they signed it yesterday.'

function lines(json: unknown, name = 'talk.json') {
  return linesOf(name, JSON.stringify(json))
}

const podcast = {
  version: '1.0.0',
  segments: [
    { speaker: 'Marta', startTime: 0.5, endTime: 3.8, body: Q },
    { startTime: 3.8, endTime: 6.2, body: A }
  ]
}

test.each<[string, unknown, string[]]>([
  ['with an unknown speaker', podcast, ['6.2', `0.5–3.8 Marta | ${Q}`, `3.8–6.2 Speaker | ${A}`]],
  [
    'without ends',
    {
      segments: [
        { startTime: 0, body: Q },
        { startTime: 4, body: A }
      ]
    },
    ['4', `0–4 Speaker | ${Q}`, `4–4 Speaker | ${A}`]
  ],
  ['as a list of segments', podcast.segments, ['6.2', `0.5–3.8 Marta | ${Q}`, `3.8–6.2 Speaker | ${A}`]],
  ['in a wrapper', { transcript: podcast }, ['6.2', `0.5–3.8 Marta | ${Q}`, `3.8–6.2 Speaker | ${A}`]],
  ['with times as texts', { segments: [{ startTime: '0', endTime: '3.80', body: Q }] }, ['3.8', `0–3.8 Speaker | ${Q}`]]
])('reads JSON of the podcast namespace %s', (_, json, expected) => {
  expect(lines(json)).toEqual(expected)
})

const aaiWord = (text: string, start: number, end: number, speaker: string | null = null) => ({
  text,
  start,
  end,
  confidence: 0.9,
  speaker
})
const assembly = { id: 't-1', status: 'completed', language_code: 'en_us', audio_duration: 7, text: `${Q} ${A}` }

test.each<[string, unknown, string[]]>([
  [
    'utterances',
    {
      ...assembly,
      words: [aaiWord('Did', 100, 300, 'A')],
      utterances: [aaiWord(Q, 100, 3800, 'A'), aaiWord(A, 3800, 6200, 'B')]
    },
    ['en 7', `0.1–3.8 Speaker A | ${Q}`, `3.8–6.2 Speaker B | ${A}`]
  ],
  [
    'identified speakers',
    { ...assembly, utterances: [aaiWord(Q, 100, 3800, 'Marta Lind'), aaiWord(A, 3800, 6200, null)] },
    ['en 7', `0.1–3.8 Marta Lind | ${Q}`, `3.8–6.2 Speaker | ${A}`]
  ],
  [
    'words without utterances',
    {
      ...assembly,
      utterances: null,
      words: [aaiWord('Why?', 0, 500), aaiWord('Because', 500, 900), aaiWord('so.', 900, 1250)]
    },
    ['en 7', '0–0.5 Speaker | Why?', '0.5–1.25 Speaker | Because so.']
  ],
  [
    'the endpoint of sentences',
    { id: 't', confidence: 1, audio_duration: 7, sentences: [aaiWord(Q, 100, 3800)] },
    ['7', `0.1–3.8 Speaker | ${Q}`]
  ],
  ['no words yet', { ...assembly, words: [], utterances: null }, ['en 7', `Speaker | ${Q} ${A}`]],
  [
    'a wrapper',
    { data: { ...assembly, utterances: [aaiWord(Q, 100, 3800, 'A')] } },
    ['en 7', `0.1–3.8 Speaker A | ${Q}`]
  ],
  [
    'a list of utterances',
    [aaiWord(Q, 100, 3800, 'A'), aaiWord(A, 3800, 6200, 'B')],
    ['6.2', `0.1–3.8 Speaker A | ${Q}`, `3.8–6.2 Speaker B | ${A}`]
  ]
])('reads AssemblyAI with %s, in milliseconds', (_, json, expected) => {
  expect(lines(json)).toEqual(expected)
})

const dg = (word: string, start: number, end: number, speaker?: number, punctuated = word) => ({
  word,
  start,
  end,
  confidence: 0.9,
  punctuated_word: punctuated,
  ...(speaker !== undefined && { speaker })
})
const deepgram = (alternative: object, more: object = {}) => ({
  metadata: { request_id: 'r', duration: 7.5, channels: 1 },
  results: { channels: [{ alternatives: [alternative], detected_language: 'en' }], ...more }
})

test.each<[string, unknown, string[]]>([
  [
    'words with speakers',
    deepgram({
      transcript: 'why because so',
      words: [dg('why', 0, 1, 0, 'Why?'), dg('because', 1, 2, 1, 'Because'), dg('so', 2, 3, 1, 'so.')]
    }),
    ['en 7.5', '0–1 Speaker 0 | Why?', '1–3 Speaker 1 | Because so.']
  ],
  [
    'words without punctuation',
    deepgram({
      words: [
        { word: 'why', start: 0, end: 1 },
        { word: 'not', start: 1, end: 2 }
      ]
    }),
    ['en 7.5', '0–2 Speaker | why not']
  ],
  [
    'paragraphs',
    deepgram({
      transcript: Q,
      words: [dg('did', 0, 1, 0)],
      paragraphs: {
        transcript: Q,
        paragraphs: [
          {
            speaker: 0,
            start: 0,
            end: 6.2,
            num_words: 11,
            sentences: [
              { text: Q, start: 0, end: 3.8 },
              { text: A, start: 3.8, end: 6.2 }
            ]
          }
        ]
      }
    }),
    ['en 7.5', `0–3.8 Speaker 0 | ${Q}`, `3.8–6.2 Speaker 0 | ${A}`]
  ],
  [
    'utterances',
    deepgram(
      { transcript: Q },
      {
        utterances: [
          { start: 0, end: 3.8, channel: 0, transcript: Q, speaker: 0, words: [] },
          { start: 3.8, end: 6.2, channel: 0, transcript: A, speaker: 1 }
        ]
      }
    ),
    ['en 7.5', `0–3.8 Speaker 0 | ${Q}`, `3.8–6.2 Speaker 1 | ${A}`]
  ],
  [
    'a channel for each speaker',
    {
      metadata: { duration: 3 },
      results: {
        channels: [
          { alternatives: [{ words: [dg('Why?', 1, 2)] }] },
          { alternatives: [{ words: [dg('Hello.', 0, 1)] }] }
        ]
      }
    },
    ['3', '0–1 Channel 1 | Hello.', '1–2 Channel 0 | Why?']
  ],
  ['a transcript alone', deepgram({ transcript: Q, confidence: 1 }), ['en 7.5', `Speaker | ${Q}`]],
  ['a wrapper', { result: deepgram({ words: [dg('Why?', 0, 1, 0)] }) }, ['en 7.5', '0–1 Speaker 0 | Why?']]
])('reads Deepgram with %s', (_, json, expected) => {
  expect(lines(json)).toEqual(expected)
})

const spoken = (content: string, start: string, end: string, label?: string) => ({
  type: 'pronunciation',
  start_time: start,
  end_time: end,
  alternatives: [{ confidence: '0.99', content }],
  ...(label !== undefined && { speaker_label: label })
})
const mark = (content: string, label?: string) => ({
  type: 'punctuation',
  alternatives: [{ confidence: '0.0', content }],
  ...(label && { speaker_label: label })
})
const aws = (results: object) => ({ jobName: 'j', accountId: '1', status: 'COMPLETED', results })

test.each<[string, unknown, string[]]>([
  [
    'labels in the items',
    aws({
      transcripts: [{ transcript: 'Why? Because, so.' }],
      language_code: 'en-US',
      items: [
        spoken('Why', '0.0', '1.0', 'spk_0'),
        mark('?', 'spk_0'),
        spoken('Because', '1.0', '2.0', 'spk_1'),
        mark(',', 'spk_1'),
        spoken('so', '2.0', '3.0', 'spk_1'),
        mark('.', 'spk_1')
      ]
    }),
    ['en 3', '0–1 spk_0 | Why?', '1–3 spk_1 | Because, so.']
  ],
  [
    'labels in a list of their own',
    aws({
      transcripts: [{ transcript: 'Why? So.' }],
      speaker_labels: {
        speakers: 2,
        segments: [
          {
            start_time: '0.0',
            end_time: '1.0',
            speaker_label: 'spk_0',
            items: [{ start_time: '0.0', end_time: '1.0', speaker_label: 'spk_0' }]
          },
          {
            start_time: '1.0',
            end_time: '2.0',
            speaker_label: 'spk_1',
            items: [{ start_time: '1.0', end_time: '2.0', speaker_label: 'spk_1' }]
          }
        ]
      },
      items: [spoken('Why', '0.0', '1.0'), mark('?'), spoken('So', '1.0', '2.0'), mark('.')]
    }),
    ['2', '0–1 spk_0 | Why?', '1–2 spk_1 | So.']
  ],
  [
    'channels',
    aws({
      transcripts: [{ transcript: 'Why? So.' }],
      channel_labels: {
        number_of_channels: 2,
        channels: [
          { channel_label: 'ch_0', items: [spoken('Why', '0.0', '1.0')] },
          { channel_label: 'ch_1', items: [spoken('So', '1.0', '2.0')] }
        ]
      },
      items: [spoken('Why', '0.0', '1.0'), mark('?'), spoken('So', '1.0', '2.0'), mark('.')]
    }),
    ['2', '0–1 ch_0 | Why?', '1–2 ch_1 | So.']
  ],
  [
    'no speakers',
    aws({ transcripts: [{ transcript: 'Why?' }], items: [spoken('Why', '0.0', '1.0'), mark('?')] }),
    ['1', '0–1 Speaker | Why?']
  ],
  ['a transcript alone', aws({ transcripts: [{ transcript: Q }], items: [] }), ['', `Speaker | ${Q}`]],
  [
    'call analytics',
    {
      LanguageCode: 'en-US',
      Transcript: [
        { ParticipantRole: 'AGENT', BeginOffsetMillis: 100, EndOffsetMillis: 3800, Content: Q, Sentiment: 'NEUTRAL' }
      ]
    },
    ['en 3.8', `0.1–3.8 AGENT | ${Q}`]
  ]
])('reads Amazon Transcribe with %s', (_, json, expected) => {
  expect(lines(json)).toEqual(expected)
})

const scribe = (
  text: string,
  start: number | null,
  end: number | null,
  speaker: string | null = null,
  type = 'word'
) => ({
  text,
  start,
  end,
  type,
  speaker_id: speaker,
  logprob: 0
})
const space = (start: number, end: number, speaker: string | null = null) => scribe(' ', start, end, speaker, 'spacing')

test.each<[string, unknown, string[]]>([
  [
    'speakers',
    {
      language_code: 'eng',
      language_probability: 0.98,
      text: 'Why? Because so.',
      words: [
        scribe('Why?', 0, 1, 'speaker_0'),
        space(1, 1.1, 'speaker_0'),
        scribe('Because', 1.1, 2, 'speaker_1'),
        space(2, 2.1, 'speaker_1'),
        scribe('so.', 2.1, 3, 'speaker_1')
      ]
    },
    ['en 3', '0–1 speaker_0 | Why?', '1.1–3 speaker_1 | Because so.']
  ],
  [
    'no speakers',
    { text: 'Why not?', words: [scribe('Why', 0, 1), space(1, 1.1), scribe('not?', 1.1, 2)] },
    ['2', '0–2 Speaker | Why not?']
  ],
  [
    'events',
    {
      text: '',
      words: [
        scribe('Well.', 0, 1, 'speaker_0'),
        space(1, 1.1),
        scribe('(laughter)', 1.1, 2, null, 'audio_event'),
        space(2, 2.1),
        scribe('Go.', 2.1, 3, 'speaker_0')
      ]
    },
    ['3', '0–3 speaker_0 | Well. (laughter) Go.']
  ],
  [
    'channels',
    {
      transcripts: [
        { language_code: 'eng', channel_index: 0, text: 'Why?', words: [scribe('Why?', 1, 2)] },
        { channel_index: 1, text: 'Hello.', words: [scribe('Hello.', 0, 1)] }
      ]
    },
    ['en 2', '0–1 Channel 1 | Hello.', '1–2 Channel 0 | Why?']
  ],
  ['a wrapper', { data: { text: 'Why?', words: [scribe('Why?', 0, 1, 'speaker_0')] } }, ['1', '0–1 speaker_0 | Why?']],
  [
    'Chinese without spacing',
    { words: [scribe('银', 0, 1), scribe('行', 1, 2), scribe('。', 2, 2)] },
    ['2', '0–2 Speaker | 银行。']
  ]
])('reads ElevenLabs Scribe with %s', (_, json, expected) => {
  expect(lines(json)).toEqual(expected)
})

const google = (word: string, startTime: string | object, endTime: string | object, speakerTag?: number) => ({
  startTime,
  endTime,
  word,
  ...(speakerTag !== undefined && { speakerTag })
})

test.each<[string, unknown, string[]]>([
  [
    'times of words',
    {
      results: [
        {
          alternatives: [
            {
              transcript: 'Why not?',
              confidence: 0.9,
              words: [google('Why', '1.300s', '1.800s'), google('not?', '1.800s', '2s')]
            }
          ],
          resultEndTime: '2.100s',
          languageCode: 'en-us'
        }
      ]
    },
    ['en 2', '1.3–2 Speaker | Why not?']
  ],
  [
    'the words of all results again, with their speakers',
    {
      results: [
        { alternatives: [{ transcript: 'Why?', words: [google('Why?', '0s', '1s')] }], resultEndTime: '1s' },
        { alternatives: [{ transcript: ' So.', words: [google('So.', '1s', '2s')] }], resultEndTime: '2s' },
        {
          alternatives: [{ words: [google('Why?', '0s', '1s', 1), google('So.', '1s', '2s', 2)] }],
          resultEndTime: '2s'
        }
      ]
    },
    ['2', '0–1 Speaker 1 | Why?', '1–2 Speaker 2 | So.']
  ],
  [
    'no words',
    {
      results: [
        { alternatives: [{ transcript: Q }], resultEndTime: '3.800s' },
        { alternatives: [{ transcript: ` ${A}` }], resultEndTime: '6.200s', languageCode: 'de-de' }
      ]
    },
    ['de 6.2', `0–3.8 Speaker | ${Q}`, `3.8–6.2 Speaker | ${A}`]
  ],
  [
    'the labels of version 2',
    {
      results: [
        {
          alternatives: [
            {
              transcript: 'Why? So.',
              words: [
                { startOffset: '0s', endOffset: '1s', word: 'Why?', speakerLabel: '1' },
                { startOffset: '1s', endOffset: '2s', word: 'So.', speakerLabel: '2' }
              ]
            }
          ],
          resultEndOffset: '2s',
          languageCode: 'en-US'
        }
      ],
      metadata: { totalBilledDuration: '3s' }
    },
    ['en 2', '0–1 Speaker 1 | Why?', '1–2 Speaker 2 | So.']
  ],
  [
    'a batch, by the address of the audio',
    {
      results: {
        'gs://orchard/a.flac': {
          transcript: { results: [{ alternatives: [{ transcript: Q }], resultEndOffset: '3.800s' }] },
          metadata: {}
        }
      }
    },
    ['3.8', `0–3.8 Speaker | ${Q}`]
  ],
  [
    'a batch with its result inline',
    {
      results: {
        a: {
          inlineResult: { transcript: { results: [{ alternatives: [{ transcript: Q }], resultEndOffset: '3.800s' }] } }
        }
      }
    },
    ['3.8', `0–3.8 Speaker | ${Q}`]
  ],
  [
    'a long-running operation',
    { name: '1', done: true, response: { results: [{ alternatives: [{ transcript: Q }] }] } },
    ['', `Speaker | ${Q}`]
  ],
  [
    'the objects of the client libraries',
    {
      results: [
        {
          alternatives: [
            {
              transcript: 'Why?',
              words: [{ start_time: { seconds: '1', nanos: 300000000 }, end_time: { seconds: 2 }, word: 'Why?' }]
            }
          ],
          language_code: 'en-us'
        }
      ]
    },
    ['en 2', '1.3–2 Speaker | Why?']
  ],
  [
    'a first word without a time, which is zero',
    { results: [{ alternatives: [{ words: [{ endTime: '1s', word: 'Why?' }] }] }] },
    ['1', '0–1 Speaker | Why?']
  ]
])('reads Google Speech with %s', (_, json, expected) => {
  expect(lines(json)).toEqual(expected)
})

const event = (tStartMs: number, dDurationMs: number, ...words: string[]) => ({
  tStartMs,
  dDurationMs,
  segs: words.map(utf8 => ({ utf8 }))
})

test.each<[string, unknown, string[]]>([
  [
    'automatic captions',
    {
      wireMagic: 'pb3',
      events: [
        { tStartMs: 0, dDurationMs: 8000, id: 1, wpWinPosId: 1 },
        { ...event(160, 5030, 'the', ' orchard'), wWinId: 1 },
        { ...event(2310, 2880, '\n'), wWinId: 1, aAppend: 1 },
        { ...event(2320, 3000, 'twice', ' a', ' week'), wWinId: 1 }
      ]
    },
    ['5.32', '0.16–2.32 Speaker | the orchard', '2.32–5.32 Speaker | twice a week']
  ],
  [
    'uploaded captions',
    { events: [event(1000, 3000, 'Did the\nbank?'), event(3500, 1000, 'Yes.')] },
    ['4.5', '1–4 Speaker | Did the bank?', '3.5–4.5 Speaker | Yes.']
  ],
  [
    'a list of events',
    [event(0, 1000, 'Why?'), event(1000, 1000, 'So.')],
    ['2', '0–1 Speaker | Why?', '1–2 Speaker | So.']
  ],
  [
    'no duration',
    { events: [{ tStartMs: 0, segs: [{ utf8: 'Why?' }] }, event(1000, 1000, 'So.')] },
    ['2', '0–1 Speaker | Why?', '1–2 Speaker | So.']
  ]
])('reads YouTube json3 with %s', (_, json, expected) => {
  expect(lines(json, 'talk.en.json3')).toEqual(expected)
})

test.each<[string, unknown, string[]]>([
  [
    'Gladia',
    {
      result: {
        metadata: {},
        transcription: {
          languages: ['en'],
          utterances: [{ text: Q, start: 0.1, end: 3.8, speaker: 0, language: 'en', confidence: 1, words: [] }],
          full_transcript: Q
        }
      }
    },
    ['en 3.8', `0.1–3.8 Speaker 0 | ${Q}`]
  ],
  [
    'Rev AI',
    {
      monologues: [
        {
          speaker: 0,
          elements: [
            { type: 'text', value: 'Why', ts: 0.5, end_ts: 1, confidence: 1 },
            { type: 'punct', value: ' ' },
            { type: 'text', value: 'not', ts: 1, end_ts: 2 },
            { type: 'punct', value: '?' }
          ]
        },
        {
          speaker: 1,
          elements: [
            { type: 'text', value: 'So', ts: 2, end_ts: 3 },
            { type: 'punct', value: '.' }
          ]
        }
      ]
    },
    ['3', '0.5–2 Speaker 0 | Why not?', '2–3 Speaker 1 | So.']
  ],
  [
    'Speechmatics',
    {
      format: '2.9',
      metadata: { transcription_config: { language: 'en' } },
      results: [
        {
          type: 'word',
          start_time: 0.5,
          end_time: 1,
          alternatives: [{ content: 'Why', confidence: 1, language: 'en', speaker: 'S1' }]
        },
        {
          type: 'punctuation',
          start_time: 1,
          end_time: 1,
          is_eos: true,
          alternatives: [{ content: '?', speaker: 'S1' }]
        },
        { type: 'word', start_time: 1, end_time: 2, alternatives: [{ content: 'So', speaker: 'UU' }] }
      ]
    },
    ['en 2', '0.5–1 S1 | Why?', '1–2 Speaker | So']
  ],
  [
    'Azure in batches',
    {
      combinedRecognizedPhrases: [{ display: Q }],
      recognizedPhrases: [
        {
          channel: 0,
          speaker: 1,
          offset: 'PT0.5S',
          offsetInTicks: 5000000,
          durationInTicks: 33000000,
          nBest: [{ confidence: 1, display: Q }]
        }
      ]
    },
    ['3.8', `0.5–3.8 Speaker 1 | ${Q}`]
  ],
  [
    'Azure, fast',
    {
      durationMilliseconds: 7000,
      combinedPhrases: [{ text: Q }],
      phrases: [{ speaker: 1, offsetMilliseconds: 500, durationMilliseconds: 3300, text: Q, locale: 'en-US' }]
    },
    ['en 7', `0.5–3.8 Speaker 1 | ${Q}`]
  ]
])('reads %s', (_, json, expected) => {
  expect(lines(json)).toEqual(expected)
})
