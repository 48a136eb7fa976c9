import { expect, test } from 'vitest'
import { ignoredKeys } from '../../../src/contract/import-keys.ts'

const ignored = (path: string) => `${path}: ignored, because an import document has no such key`

test('every key that a document may have is known, at every level', () => {
  const document = {
    external_id: 'a',
    title: '',
    timestamp: null,
    type: 'phone',
    platform: null,
    language: null,
    duration_seconds: 1,
    summary: null,
    notes: null,
    tags: [],
    favorite: false,
    folders: [],
    phone: {
      direction: null,
      status: null,
      provider: null,
      contact_name: null,
      ongoing: false,
      to_number: null,
      from_number: null
    },
    action_items: [{ text: '', assignee: null, due_date: null, completed: false, source_start: null }],
    speakers: [{ label: '', person: null, is_me: false, matched_by: 'name' }],
    segments: [{ speaker: '', start: 0, end: 0, text: '' }],
    media: { audio: null, video: null }
  }
  expect(ignoredKeys(document)).toEqual([])
})

test('each unknown key is named with its place, once for all entries of a list', () => {
  const segments = [
    { text: 'Hi', confidence: 1 },
    { text: 'Ho', confidence: 0.5, words: [] }
  ]
  const document = {
    titel: 'x',
    phone: { numer: '1' },
    action_items: [{ text: 'x', due: 'x' }],
    speakers: [{ name: 'A' }],
    segments,
    media: { file: 'a' }
  }
  expect(ignoredKeys(document)).toEqual(
    [
      'titel',
      'phone.numer',
      'action_items.due',
      'speakers.name',
      'segments.confidence',
      'segments.words',
      'media.file'
    ].map(ignored)
  )
})

test.each([null, 1, 'x', [], [1], { segments: 'x', phone: 1, speakers: [null, 1, 'x', []], media: null }])(
  'nothing is named in %j',
  json => {
    expect(ignoredKeys(json)).toEqual([])
  }
)

test('what every object has is a key like others', () => {
  expect(ignoredKeys(JSON.parse('{"__proto__":1,"constructor":2}'))).toEqual([
    ignored('__proto__'),
    ignored('constructor')
  ])
})

test('no more than twenty keys are named, each on one line and cut, and the others are counted', () => {
  const names = Array.from({ length: 25 }, (_, index) => `${'x'.repeat(index === 0 ? 1_000 : 0)}k\n${index}\ud800`)
  const named = ignoredKeys(Object.fromEntries(names.map(name => [name, 1])))
  expect(named).toHaveLength(21)
  expect(named[0]).toBe(ignored(`${'x'.repeat(60)}…`))
  expect(named[1]).toBe(ignored('k 1'))
  expect(named[20]).toBe('5 more are ignored, because an import document has none of them')
})
