import { expect, test } from 'vitest'
import { nameVoices } from '../../../src/features/ingest/voices.ts'

const said = (speaker: string) => ({ speaker, start: null, end: null, text: 'Hello.' })

test('voices that have only a letter are numbered as they are heard; names and other labels stay', () => {
  const named = nameVoices(['B', 'A', 'Ada', 'B', 'SPEAKER_00'].map(said))
  expect(named.map(({ speaker }) => speaker)).toEqual(['Speaker 1', 'Speaker 2', 'Ada', 'Speaker 1', 'SPEAKER_00'])
})
