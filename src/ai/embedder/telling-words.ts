import { STOP_WORDS } from './stop-words.ts'

const MAX_WORD_CHARACTERS = 40
/** More never fit into the model. */
const MAX_WORDS = 256

/**
 * The words of a passage that carry its meaning, sentence by sentence, as often as they are said: no names of speakers before what they say,
 * no function words.
 */
export function selectTellingWords(text: string): string {
  const speech = text.replace(/^[^:\n]{1,80}: /gm, '').replace(/\{\w+\}/g, ' ')
  const sentences = speech.split(/[.?!\n]+/).map(wordsOf)
  const telling = sentences.map(words => words.filter(word => word.length <= MAX_WORD_CHARACTERS && !STOP_WORDS.has(word)))
  const chosen = telling.some(words => words.length > 0) ? telling : sentences
  const lines = chosen.filter(words => words.length > 0).map(words => words.join(' '))
  return lines.join('. ').split(' ', MAX_WORDS).join(' ')
}

function wordsOf(sentence: string) {
  return (sentence.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []).map(word => word.toLowerCase().replaceAll('’', "'"))
}

/** Whether at least half of the letters are Latin, of one at least. */
export function isLatin(text: string): boolean {
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return latin > 0 && latin * 2 >= letters
}
