import { expect, test } from 'vitest'
import { detectLanguage } from '../../src/ai/summarizer/language.ts'

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
