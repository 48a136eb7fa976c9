export interface Sentence {
  speaker: string
  text: string
}

const ENDS = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|[。！？｡؟۔।]+["'”’»）」』]*/gu
/** After these a point ends no sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|z\.B|d\.h|\p{Lu})\.$/u

/** More than any abbreviation has: looking no further back keeps the time linear. */
const ABBREVIATION_CHARACTERS = 12

/** The sentences of lines `Speaker: words`. */
export function sentencesOf(text: string): Sentence[] {
  return text.split('\n').flatMap(line => {
    const [, speaker = '', words = line] = /^(.*?): (.*)$/su.exec(line) ?? []
    return splitSentences(words).map(text => ({ speaker, text }))
  })
}

export function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let from = 0
  for (const { 0: end, index } of text.matchAll(ENDS)) {
    const sentence = text.slice(from, index + end.length)
    if (ABBREVIATION.test(sentence.slice(-ABBREVIATION_CHARACTERS))) continue
    sentences.push(sentence.trim())
    from = index + end.length
  }
  sentences.push(text.slice(from).trim())
  return sentences.filter(Boolean)
}
