/**
 * A program that counts the terms of a million random Chinese characters, which have few words in common, so that the index has the most postings.
 * Prints the number of passages of all terms.
 */
import { computeTranscriptPostings } from '../../src/features/library/index/transcript-postings.ts'
import { chineseDrawer } from './drawn.ts'

const CHARACTERS = 800
const PASSAGES = 1_250

const draw = chineseDrawer(7)
const passages = Array.from({ length: PASSAGES }, () => `Ada: ${draw(CHARACTERS)}`)
const noDatabase = { execute: () => Promise.reject(new Error('Words of an unknown language are not stemmed')) as never }
const { postings } = await computeTranscriptPostings(noDatabase, null, passages)
let occurrences = 0
for (const { ordinals } of postings.read()) occurrences += ordinals.length
process.stdout.write(String(occurrences))
