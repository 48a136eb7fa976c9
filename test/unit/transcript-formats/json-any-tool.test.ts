import { expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { processorMs } from '../../support/processor-time.ts'
import { linesOf } from '../../support/transcript.ts'

const Q = 'Is the bridge open?'
const A = 'Yes, since Monday.'
const TALK = [`1–3 Ines Duarte | ${Q}`, `3.5–6 Tom Berger | ${A}`]

function lines(json: unknown) {
  return linesOf('talk.json', JSON.stringify(json)).slice(1)
}

function read(json: unknown) {
  return parseDocument('talk.json', JSON.stringify(json))
}

function words(text: string, from: number, length: number, toTimes: (start: number, end: number) => object) {
  return text
    .split(' ')
    .map((word, index) => ({ text: word, ...toTimes(from + index * length, from + (index + 1) * length) }))
}

const relative = (start: number, end: number) => ({
  start_timestamp: { relative: start },
  end_timestamp: { relative: end }
})
const plain = (start: number, end: number) => ({ start, end })

test.each<[string, unknown]>([
  [
    'words of participants, as meeting bots write them',
    [
      { participant: { id: 1, name: 'Ines Duarte', is_host: true }, words: words(Q, 1, 0.5, relative) },
      { participant: { id: 2, name: 'Tom Berger' }, words: [{ text: A, ...relative(3.5, 6) }] }
    ]
  ],
  [
    'ids of participants that a list names',
    {
      participants: [
        { id: 'p1', name: 'Ines Duarte' },
        { id: 'p2', name: 'Tom Berger' }
      ],
      transcript: [
        { participant_id: 'p1', text: Q, start_timestamp: '00:00:01.000', end_timestamp: '00:00:03.000' },
        { participant_id: 'p2', text: A, start_timestamp: '00:00:03.500', end_timestamp: '00:00:06.000' }
      ]
    }
  ],
  [
    'paragraphs of speakers beside the words',
    {
      words: [...words(Q, 1, 0.5, plain), ...words(A, 3.5, 0.83334, plain)],
      paragraphs: [
        { start: 1, end: 3, speaker: 'Ines Duarte' },
        { start: 3.5, end: 6, speaker: 'Tom Berger' }
      ]
    }
  ],
  [
    'voices',
    {
      transcripts: [
        { start: '00:00:01.000', start_ms: 1000, end: '00:00:03.000', end_ms: 3000, voice: 'Ines Duarte', text: Q },
        { start: '00:00:03.500', start_ms: 3500, end: '00:00:06.000', end_ms: 6000, voice: 'Tom Berger', text: A }
      ]
    }
  ],
  [
    'milliseconds without their name',
    {
      data: {
        result: [
          { start_time: 1000, end_time: 3000, content: Q, speaker: 'Ines Duarte' },
          { start_time: 3500, end_time: 6000, content: A, speaker: 'Tom Berger' }
        ]
      }
    }
  ],
  [
    'milliseconds and a length',
    [
      { speaker_name: 'Ines Duarte', timestamp_ms: 1000, duration_ms: 2000, transcription: { transcript: Q } },
      { speaker_name: 'Tom Berger', timestamp_ms: 3500, duration_ms: 2500, transcription: { transcript: A } }
    ]
  ],
  [
    'sentences of numbered speakers',
    {
      parties: [
        { speakerId: '11', name: 'Ines Duarte' },
        { speakerId: '22', name: 'Tom Berger' }
      ],
      callTranscripts: [
        {
          callId: '7',
          transcript: [
            { speakerId: '11', sentences: [{ start: 1000, end: 3000, text: Q }] },
            { speakerId: '22', sentences: [{ start: 3500, end: 6000, text: A }] }
          ]
        }
      ]
    }
  ],
  [
    'tokens that carry their blanks',
    {
      tokens: [
        { text: Q, start_ms: 1000, end_ms: 3000, speaker: 'Ines Duarte' },
        { text: ' Yes,', start_ms: 3500, end_ms: 4000, speaker: 'Tom Berger' },
        { text: ' since', start_ms: 4000, end_ms: 5000, speaker: 'Tom Berger' },
        { text: ' Monday.', start_ms: 5000, end_ms: 6000, speaker: 'Tom Berger' }
      ]
    }
  ],
  [
    'names of speakers in segments that are else those of Whisper',
    {
      text: `${Q} ${A}`,
      segments: [
        { start: 1, end: 3, text: Q, speaker_name: 'Ines Duarte' },
        { start: 3.5, end: 6, text: A, speaker_name: 'Tom Berger' }
      ]
    }
  ]
])('finds speakers and times in JSON with %s', (_, json) => {
  expect(lines(json)).toEqual(TALK)
})

test('instants count from the start of the meeting, and the file says what else is known of it', () => {
  const { document, startedAt } = read({
    title: 'Bridge weekly',
    started_at: '2026-03-02T10:00:00Z',
    structured: {
      overview: 'The bridge is open.',
      action_items: [{ description: 'Paint it', completed: true, assignee: { name: 'Ines Duarte' } }]
    },
    transcript: [
      {
        text: Q,
        start_time: '2026-03-02T10:00:01Z',
        end_time: '2026-03-02T10:00:03Z',
        detected_speaker_name: 'Ines Duarte'
      },
      {
        text: A,
        start_time: '2026-03-02T10:00:03.5Z',
        end_time: '2026-03-02T10:00:06Z',
        detected_speaker_name: 'Tom Berger'
      }
    ]
  })
  expect(document).toMatchObject({
    title: 'Bridge weekly',
    summary: 'The bridge is open.',
    action_items: [{ text: 'Paint it', assignee: 'Ines Duarte', completed: true }],
    segments: [
      { start: 1, end: 3 },
      { start: 3.5, end: 6 }
    ]
  })
  expect(startedAt).toEqual({ text: '2026-03-02T10:00:00', utc: true })
})

test('action items that are written below the names of their owners become items', () => {
  const { document } = read({
    sentences: [{ speaker_name: 'Ines Duarte', text: Q, start_time: 1, end_time: 3 }],
    summary: { overview: 'Short.', action_items: '**Ines Duarte**\n- Paint it (01:05)\n**Unassigned**\nCall Tom\n' }
  })
  expect(document.action_items).toMatchObject([
    { text: 'Paint it', assignee: 'Ines Duarte' },
    { text: 'Call Tom', assignee: null }
  ])
})

test('IBM has times in lists, and speakers in a list of their own', () => {
  const stamps = (text: string, from: number) =>
    text.split(' ').map((word, index) => [word, from + index, from + index + 1])
  const label = (from: number, speaker: number) => ({ from, to: from + 1, speaker })
  expect(
    lines({
      results: [
        { alternatives: [{ transcript: 'is it open ', timestamps: stamps('is it open', 1) }], final: true },
        {
          alternatives: [{ transcript: 'yes %HESITATION it is ', timestamps: stamps('yes %HESITATION it is', 5) }],
          final: true
        }
      ],
      speaker_labels: [1, 2, 3, 5, 6, 7, 8].map(from => label(from, from < 5 ? 0 : 1))
    })
  ).toEqual(['1–4 Speaker 0 | is it open', '5–9 Speaker 1 | yes it is'])
})

test('the editor of oTranscribe writes HTML whose time stamps begin the turns', () => {
  const stamp = (seconds: number) =>
    `<span class="timestamp" data-timestamp="${seconds}">00:0${Math.floor(seconds)}</span>`
  const text = `<p>${stamp(1.2)}&nbsp;<b>Ines</b>: ${Q}</p><p>${stamp(3.5)} <b>Tom</b>: ${A}<br></p>`
  expect(lines({ text, media: 'bridge.mp3', 'media-time': 6 })).toEqual([`1.2–3.5 Ines | ${Q}`, `3.5–3.5 Tom | ${A}`])
})

test('a page of oTranscribe with 100,000 line breaks after a word takes time in proportion to its length', async () => {
  const text = `<p>${Q}${'<br>'.repeat(100_000)}${A}</p>`
  const content = JSON.stringify({ text, media: 'bridge.mp3', 'media-time': 6 })
  // With a look at the whole text at each break, this takes 10 s.
  expect(await processorMs(() => parseDocument('talk.json', content), content)).toBeLessThan(2_000)
})

test('a list of captions uses their lengths', () => {
  expect(
    lines([
      { text: Q, start: 1, duration: 2 },
      { text: A, start: 3.5, duration: 2.5 }
    ])
  ).toEqual([`1–3 Speaker | ${Q}`, `3.5–6 Speaker | ${A}`])
})

test('objects of their own lines are the turns of one conversation', () => {
  const line = (text: string, from: number) =>
    JSON.stringify({
      result: text.split(' ').map((word, at) => ({ word, start: from + at, end: from + at + 1 })),
      text
    })
  const content = `${line('is it open', 1)}\n${line('yes it is', 5)}\n{"text": ""}\n`
  for (const name of ['talk.jsonl', 'talk.json', 'talk.txt'])
    expect(linesOf(name, content).slice(1)).toEqual(['1–4 Speaker | is it open', '5–8 Speaker | yes it is'])
})

test('a key that holds lists or objects and is not read is named in warnings', () => {
  const { warnings } = read({
    topics: [{ name: 'bridge' }],
    empty: [],
    transcript: [{ speaker: 'Ines', text: Q, start: 1, end: 3, sentiment: { score: 1 } }]
  })
  expect(warnings).toEqual([
    'topics: ignored, because it is not a part of the transcript',
    'transcript.sentiment: ignored, because it is not a part of the transcript'
  ])
})

test.each([
  [
    'people',
    { participants: [{ n: 'Ines' }], turns: [{ text: Q, start: 1, end: 3 }] },
    /participants may hold the speakers/
  ],
  [
    'speakers of the turns',
    { text: Q, segments: [{ text: Q, start: 1, end: 3, speaker_info: { tag: 1 } }] },
    /segments\.speaker_info may hold/
  ],
  ['times', { text: Q, alignment: { starts: [1] } }, /alignment|not a transcript/]
])('JSON whose %s are not read is refused', (_, json, message) => {
  expect(() => read(json)).toThrow(message)
})

test.each([
  [
    'a list',
    [
      { speaker: 'Ines', timestamp: 'soon', text: Q },
      { speaker: 'Tom', timestamp: 'late', text: A }
    ],
    '0.timestamp: expected a number of seconds'
  ],
  ['a medium alone', { media: 'talk.mp3' }, 'it has the keys media'],
  ['one key', { data: { person: 'Ines', age: 7 } }, 'it has the keys data, and below it person, age']
])('the error about %s names keys of the file', (_, json, message) => {
  expect(() => read(json)).toThrow(message)
})

test('words of Amazon Transcribe without items are named in warnings', () => {
  const { document, warnings } = read({
    results: {
      transcripts: [{ transcript: 'Is it open? Nobody knows.' }],
      items: ['Is', 'it', 'open'].map((content, at) => ({
        start_time: `${at}`,
        end_time: `${at + 1}`,
        type: 'pronunciation',
        alternatives: [{ content }]
      }))
    }
  })
  expect(document.segments).toMatchObject([{ text: 'Is it open' }])
  expect(warnings).toEqual([expect.stringMatching(/^results\.transcripts: 2 words are left out.*Nobody knows$/)])
})
