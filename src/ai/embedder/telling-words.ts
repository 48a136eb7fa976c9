import { STOP_WORDS } from './stop-words.ts'

const MAX_WORD_CHARACTERS = 40
/** More never fit into the model. */
const MAX_WORDS = 256

/** The words of a passage that carry its meaning, each once: no names of speakers before what they say, no function words. */
export function selectTellingWords(text: string): string {
  const speech = text.replace(/^[^:\n]{1,80}: /gm, '').replace(/\{\w+\}/g, ' ')
  const words = (speech.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []).map(word => word.toLowerCase().replaceAll('’', "'"))
  const telling = new Set(words.filter(word => word.length <= MAX_WORD_CHARACTERS && !STOP_WORDS.has(word)))
  return [...(telling.size > 0 ? telling : new Set(words))].slice(0, MAX_WORDS).join(' ')
}

/** Whether at least half of the letters are Latin, of one at least. */
export function isLatin(text: string): boolean {
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return latin > 0 && latin * 2 >= letters
}
