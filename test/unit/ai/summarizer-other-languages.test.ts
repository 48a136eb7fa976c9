import { expect, test } from 'vitest'
import { pickFrequent } from '../../../src/platform/ai/summarizer/key-points.ts'
import { openLanguage } from '../../../src/platform/ai/summarizer/language.ts'
import { readSentences } from '../../../src/platform/ai/summarizer/sentences.ts'

function toSegments(texts: readonly string[]) {
  return texts.map((text, at) => ({ speaker: at % 2 ? 'Ben' : 'Ada', start: null, end: null, text }))
}

/** The best of these sentences, each a turn. */
function pickBest(code: string, ...texts: string[]) {
  const language = openLanguage(code)
  const segments = toSegments(texts)
  return pickFrequent([readSentences(segments, language)], new Set(), 1)
    .flat()
    .map(({ text }) => text)
}

test('a German sentence is not taken for a stutter, because its words begin alike', () => {
  const said = 'In Innsbruck kostet das große Lager den Verein viertausend Euro Miete.'
  expect(pickBest('de', 'Der Verein bezahlt jeden Monat Miete.', said)).toEqual([said])
})

test('a Spanish sentence is not about the meeting, because it has a word of English ones', () => {
  const said = 'El chat pierde clientes porque nadie contesta durante la noche.'
  expect(pickBest('es', 'El equipo contesta a los clientes.', said)).toEqual([said])
})

test('of equal sentences in a language without rules, the first counts', () => {
  const [one, other] = ['Das Lager braucht eine neue Heizung.', 'Eine neue Heizung braucht das Lager.']
  expect(pickBest('de', one, other)).toEqual([one])
  expect(pickBest('de', other, one)).toEqual([other])
})
