import { STOP_WORDS } from './stop-words.ts'

const MAX_WORD_CHARACTERS = 40
/** The model's input never holds more. */
const MAX_WORDS = 256

/** Returns the content words of a passage in order, with repetitions. It leaves out speaker labels and function words. */
export function selectContentWords(text: string): string {
  const speech = text.replace(/^[^:\n]{1,80}: /gm, '').replace(/\{\w+\}/g, ' ')
  const sentences = speech.split(/[.?!\n]+/).map(spacedWords)
  const content = sentences.map(words =>
    words.filter(word => word.length <= MAX_WORD_CHARACTERS && !STOP_WORDS.has(word))
  )
  const chosen = content.some(words => words.length > 0) ? content : sentences
  const lines = chosen.filter(words => words.length > 0).map(words => words.join(' '))
  return lines.join('. ').split(' ', MAX_WORDS).join(' ')
}

function spacedWords(sentence: string) {
  return (sentence.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []).map(word =>
    word.toLowerCase().replaceAll('’', "'")
  )
}

/** Returns whether the text has letters and at least half of them are Latin. */
export function isLatin(text: string): boolean {
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return latin > 0 && latin * 2 >= letters
}
