/** The characters of a block that is read as Markdown. */
const MAX_BLOCK = 4_000

/** The start of a block that is nested so deeply that marked would run out of stack, such as a thousand quotes in each other. */
const DEEPLY_NESTED = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m

/**
 * The work of a block that is read as Markdown, as `workOf` counts it, which takes some 6 ms. For each mark of emphasis or of an image and each line,
 * marked 18 looks through the rest of a paragraph or table, so that one of 4,000 characters can take 150 ms.
 */
const MAX_WORK = 400_000

/** The start of an entry of a list, which marked reads apart from the others. Entries with numbers may be lines of a paragraph as well. */
const ENTRY = /\n(?= {0,3}[-*+] \S)/
const MARKS = /\*+|_+|~+|!/g

/** Splits Markdown at its blank lines. Each block is read alone, so that the time for a text grows with its length. */
export function splitBlocks(text: string) {
  return text.replaceAll('\r\n', '\n').split('\n\n')
}

/** Returns whether a block takes too long to read as Markdown, or would run out of stack. Its text must be taken as it is. */
export function isCostly(block: string) {
  return block.length > MAX_BLOCK || DEEPLY_NESTED.test(block) || workOf(block) > MAX_WORK
}

/** The sum over the entries of a block: its length, times its marks and a quarter of its lines. */
function workOf(block: string) {
  let work = 0
  for (const entry of block.split(ENTRY)) {
    const marks = entry.match(MARKS)?.length ?? 0
    const lines = entry.split('\n').length
    work += entry.length * (marks + lines / 4)
  }
  return work
}
