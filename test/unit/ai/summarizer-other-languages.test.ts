import { expect, test } from 'vitest'
import { pickDecisions } from '../../../src/platform/ai/summarizer/decisions.ts'
import { pickFrequent } from '../../../src/platform/ai/summarizer/key-points.ts'
import { openLanguage } from '../../../src/platform/ai/summarizer/language.ts'
import { pickQuestions } from '../../../src/platform/ai/summarizer/picking.ts'
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

test.each([
  ['de', 'Wir haben beschlossen, das Lager zu heizen.', 'Wir müssen noch beschließen, ob das Lager geheizt wird.'],
  ['fr', 'Nous avons décidé de chauffer le dépôt cet hiver.', 'Nous devons décider du chauffage du dépôt.'],
  ['es', 'Hemos decidido calentar el almacén este invierno.', 'Tenemos que decidir la calefacción del almacén.'],
  ['ja', '倉庫の暖房を新しくすることにしました。', '倉庫の暖房を決定する必要があります。']
])('a decision in %s is what was decided, and not what is to be', (code, decided, open) => {
  const language = openLanguage(code)
  const segments = toSegments([open, decided])
  expect(pickDecisions(readSentences(segments, language), segments, language).map(({ text }) => text)).toEqual([
    decided
  ])
})

test('a Japanese question needs no mark, and is open until somebody answers it', () => {
  const openOf = (...texts: string[]) =>
    pickQuestions(readSentences(toSegments(texts), openLanguage('ja')), false).map(({ text }) => text)
  const asked = '倉庫の暖房の費用は誰が払いますか。'
  expect(openOf(asked, '分かりません。')).toEqual([asked])
  expect(openOf(asked, 'はい、市役所が倉庫の暖房の費用を全部払います。')).toEqual([])
})
