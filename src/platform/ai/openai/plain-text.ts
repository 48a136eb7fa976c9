import { toLine } from './text.ts'

/** `[words](address)` and `![words](address)`: the words stay. */
const MARKDOWN_LINK = /!?\[([^[\]\n]{0,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s[^()\n]{0,200})?\)/gu
/** An address with a scheme, with `www.`, or with a path behind a domain, in angle brackets or not. */
const ADDRESS =
  /<?(?:(?<![\p{L}\p{N}+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>]+|(?<![\p{L}\p{N}.@-])www\.[^\s<>]+|(?<![\p{L}\p{N}.@/-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?::\d{1,5})?[/?#][^\s<>]*|(?<![\p{L}\p{N}])(?:mailto|javascript|data|tel):[^\s<>]+)>?/giu
const MARKS = /\*\*|__|`/g
/** The full stop or bracket behind an address belongs to the sentence. */
const END_OF_SENTENCE = /[.,;:!?)\]}"'”»]+$/u

/** In place of an address. */
const LEFT_OUT = '…'

/**
 * Plain text on one line of what a model wrote: without Markdown, and without addresses, which a speaker may have dictated to have a reader open
 * them. Longer text is cut.
 */
export function toPlainLine(written: string, maxCodePoints: number): string {
  // More than is kept, because links take up room.
  const line = toLine(written.slice(0, maxCodePoints * 4 + 4_000))
  const words = line.replace(MARKDOWN_LINK, '$1').replace(ADDRESS, leaveOut).replace(MARKS, '')
  return toLine(words, maxCodePoints)
}

function leaveOut(address: string) {
  return `${LEFT_OUT}${END_OF_SENTENCE.exec(address)?.[0].replace('>', '') ?? ''}`
}
