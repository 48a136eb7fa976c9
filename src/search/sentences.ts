import { splitSentences } from '../core/sentences.ts'

export interface Sentence {
  speaker: string
  text: string
}

/** The sentences of lines of the form `Speaker: words`. */
export function sentencesOf(text: string): Sentence[] {
  return text.split('\n').flatMap(line => {
    const [, speaker = '', words = line] = /^(.*?): (.*)$/su.exec(line) ?? []
    return splitSentences(words).map(({ text }) => ({ speaker, text }))
  })
}
