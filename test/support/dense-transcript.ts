/**
 * A program that counts the terms of a million random Chinese characters, which have few words in common, so that the index has the most postings.
 * Prints the number of passages of all terms.
 */
import { computeTranscriptPostings } from '../../src/search-index/transcript-postings.ts'

const CHARACTERS = 800
const PASSAGES = 1_250

let random = 7
const character = () => {
  random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
  return String.fromCharCode(0x4e00 + Math.floor((random / 2_147_483_648) * 20_000))
}
const passages = Array.from(
  { length: PASSAGES },
  () => `Ada: ${Array.from({ length: CHARACTERS }, character).join('')}`
)
const noDatabase = { execute: () => Promise.reject(new Error('Words of an unknown language are not stemmed')) as never }
const { postings } = await computeTranscriptPostings(noDatabase, null, passages)
let occurrences = 0
for (const { ordinals } of postings.read()) occurrences += ordinals.length
process.stdout.write(String(occurrences))
