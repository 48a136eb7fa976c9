import { expect, test } from 'vitest'
import { detectLanguage } from '../../../src/platform/ai/summarizer/detect-language.ts'
import { languageCode } from '../../../src/platform/text/language-code.ts'
import languages from '../../support/languages.json' with { type: 'json' }

test.each([
  ['en', 'I think that we should talk about the budget before the end of the week.'],
  ['de', 'Ich glaube, dass wir vor dem Ende der Woche über das Budget sprechen müssen.'],
  ['fr', 'Je pense que nous devons parler du budget avant la fin de la semaine.'],
  ['es', 'Creo que tenemos que hablar del presupuesto antes del fin de la semana.'],
  ['it', 'Penso che dobbiamo parlare del budget prima della fine della settimana.'],
  ['pt', 'Acho que temos de falar sobre o orçamento antes do fim da semana.'],
  ['nl', 'Ik denk dat we voor het einde van de week over het budget moeten praten.'],
  ['sv', 'Jag tror att vi måste prata om budgeten och det är inte så lätt för oss.'],
  ['pl', 'Myślę, że musimy o tym porozmawiać, ale to nie jest tak proste jak się wydaje.'],
  ['ja', '予算について話し合う必要があると思います。'],
  ['zh', '我觉得我们需要在周末之前讨论预算。'],
  ['ko', '주말 전에 예산에 대해 이야기해야 할 것 같아요.'],
  ['ru', 'Я думаю, что мы должны обсудить бюджет до конца недели.'],
  ['uk', 'Я думаю, що ми повинні обговорити бюджет, і це її робота.'],
  ['ar', 'أعتقد أننا يجب أن نناقش الميزانية قبل نهاية الأسبوع.'],
  ['el', 'Νομίζω ότι πρέπει να συζητήσουμε τον προϋπολογισμό.']
])('recognizes %s', (language, text) => {
  expect(detectLanguage(text)).toBe(language)
})

test.each([
  'Hi Bob, the parcel has arrived. Great, thanks.',
  "I'll send the offer by Friday. Okay.",
  'Can you hear me? We can hear you now.'
])('recognizes the short English text %j', text => {
  expect(detectLanguage(text)).toBe('en')
})

test.each(['', '12 34 56', '🎵🎵', 'Zxq wvb ktr plm nnn bbb', 'hm'])('says nothing about %j', text => {
  expect(detectLanguage(text)).toBeNull()
})

test.each(Object.entries(languages))('recognizes %s in a short talk', (language, sentences) => {
  expect(detectLanguage(sentences.join(' '))).toBe(language)
})

test('recognizes the language of at least 95 % of single sentences', () => {
  const sentences = Object.entries(languages).flatMap(([language, texts]) => texts.map(text => ({ language, text })))
  const right = sentences.filter(({ language, text }) => detectLanguage(text) === language)
  expect(right.length / sentences.length).toBeGreaterThanOrEqual(0.95)
})

test('recognizes the language of a long talk that begins in another one', () => {
  const danish = Array.from({ length: 40 }, () => languages.da.join(' ')).join(' ')
  expect(detectLanguage(`${languages.en.join(' ')} ${danish}`)).toBe('da')
})

test.each([
  ['no', 'Han sa ikkje kva han skulle gjere, og eg veit heller ikkje kven som kjem.'],
  ['kk', 'Бұл біз үшін өте маңызды және бәрі бірге керек деп ойлаймын.'],
  ['ne', 'हामी बिहीबार दस बजे फेरि भेट्छौं, हुन्छ? मलाई थाहा छैन।'],
  ['km', 'យើងជួបគ្នាម្តងទៀតនៅថ្ងៃព្រហស្បតិ៍'],
  ['zh', '猫'],
  ['ko', '네'],
  ['ja', 'はい']
])('recognizes %s in %j', (language, text) => {
  expect(detectLanguage(text)).toBe(language)
})

test.each([
  ['danish', 'da'],
  ['Bengali', 'bn'],
  ['nynorsk', 'nn'],
  ['haitian creole', 'ht'],
  ['lao', 'lo'],
  ['romanian', 'ro'],
  ['cantonese', 'yue'],
  ['javanese', 'jv'],
  ['tagalog', 'tl'],
  ['yiddish', 'yi'],
  ['myanmar', 'my'],
  ['English (US)', 'en'],
  ['pt_BR', 'pt-BR'],
  ['iw', 'he'],
  ['ger', 'de'],
  ['tl', 'tl'],
  ['zh-CN', 'zh-CN'],
  ['und', null],
  ['auto', null],
  ['nonsense', null],
  ['', null]
])('reads the language %j as %j', (sent, code) => {
  expect(languageCode(sent)).toBe(code)
})
