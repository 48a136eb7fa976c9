import { expect, test } from 'vitest'
import { parseTranscript } from '../support/transcript.ts'

function said(speaker: string, start: number | null, end: number | null, text: string) {
  return { speaker, start, end, text }
}

function read(output: unknown) {
  return parseTranscript('a.json', JSON.stringify(output))
}

test('reads the output of Whisper', () => {
  const segments = [
    { id: 0, seek: 0, start: 0, end: 4.2, text: ' Good morning.' },
    { id: 1, seek: 0, start: 4.2, end: 5, text: ' ' }
  ]
  expect(read({ text: ' Good morning.', segments, language: 'en' })).toEqual({
    segments: [said('Speaker', 0, 4.2, 'Good morning.')],
    language: 'en',
    durationSeconds: 4.2
  })
})

test('reads the duration and the language that OpenAI names in English', () => {
  expect(
    read({
      task: 'transcribe',
      language: 'german',
      duration: 8.47,
      text: 'Hallo',
      segments: [{ start: 0, end: 2, text: 'Hallo' }]
    })
  ).toEqual({
    segments: [said('Speaker', 0, 2, 'Hallo')],
    language: 'de',
    durationSeconds: 8.47
  })
})

test('reads the offsets of whisper.cpp as milliseconds', () => {
  const transcription = [
    { timestamps: { from: '00:00:00,000', to: '00:00:03,250' }, offsets: { from: 0, to: 3250 }, text: ' Hello' }
  ]
  expect(read({ result: { language: 'en' }, transcription })).toEqual({
    segments: [said('Speaker', 0, 3.25, 'Hello')],
    language: 'en',
    durationSeconds: 3.25
  })
})

test('reads the speakers of WhisperX', () => {
  const segments = [
    { start: 0, end: 1, text: ' One', words: [], speaker: 'SPEAKER_01' },
    { start: 1, end: 2, text: ' two', words: [] }
  ]
  expect(read({ segments, word_segments: [] }).segments).toEqual([
    said('SPEAKER_01', 0, 1, 'One'),
    said('SPEAKER_01', 1, 2, 'two')
  ])
})

test('reads text without segments as one segment without times', () => {
  expect(read({ text: 'Hello there' })).toEqual({
    segments: [said('Speaker', null, null, 'Hello there')],
    language: null,
    durationSeconds: null
  })
})

test('names the segment that is faulty', () => {
  expect(() =>
    read({
      text: 'Hi',
      segments: [
        { start: 0, end: 1, text: 'Hi' },
        { start: -1, end: 1, text: 'Hi' }
      ]
    })
  ).toThrow(/^segments\.1\.start: /)
})

test('drops a NUL that JSON spells as an escape', () => {
  const { segments } = parseTranscript('a.json', '{"text":"a\\u0000b"}')
  expect(segments).toEqual([{ speaker: 'Speaker', start: null, end: null, text: 'ab' }])
})

test('says of a value of another type what to send', () => {
  expect(() => parseTranscript('talk.json', '{"text": "a", "segments": {}}')).toThrow('segments: send a list.')
})
