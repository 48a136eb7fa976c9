import { Marked, type Token, type Tokens } from 'marked'
import wordings from '../../platform/ai/summarizer/wording.json' with { type: 'json' }
import { isCostly, splitBlocks } from '../../platform/text/markdown-blocks.ts'
import type { Outline, Statement } from '../../platform/text/outline.ts'
import { openPauses } from '../../platform/work/pauses.ts'

/** The parts that the server's own headings begin, in every language that it writes. */
const HEADINGS = new Map(
  Object.values(wordings).flatMap(({ overview, keyPoints, decisions, openQuestions }) => [
    [overview.toLowerCase(), 'overview'] as const,
    [keyPoints.toLowerCase(), 'points'] as const,
    [decisions.toLowerCase(), 'decisions'] as const,
    [openQuestions.toLowerCase(), 'questions'] as const
  ])
)

/** HTML is text, because no page shows what is read here. */
const MARKDOWN = new Marked({ tokenizer: { html: () => undefined, tag: () => undefined } })

/**
 * Reads a summary in parts from its Markdown. Other headings than the server's own begin sections, and text before the first is the overview.
 * Other requests are served between the blocks, because the longest summary takes some tenths of a second.
 */
export async function parseSummary(markdown: string): Promise<Outline> {
  const pause = openPauses()
  const overview: string[] = []
  const outline: Outline = { overview: null, sections: [], decisions: [], questions: [] }
  let part: (typeof HEADINGS extends Map<string, infer Part> ? Part : never) | 'first' = 'first'
  const add = (statement: Statement, isListed: boolean) => {
    if (statement.text === '') return
    if (part === 'decisions' || part === 'questions') outline[part].push(statement)
    else if (part === 'overview' || (part === 'first' && !isListed)) overview.push(statement.text)
    else {
      if (outline.sections.length === 0) outline.sections.push({ heading: null, points: [] })
      outline.sections.at(-1)?.points.push(statement)
    }
  }
  const addToken = (token: Token) => {
    if (isHeading(token)) {
      const heading = plainText(token.tokens)
      part = HEADINGS.get(heading.toLowerCase()) ?? 'points'
      if (part === 'points')
        outline.sections.push({ heading: HEADINGS.has(heading.toLowerCase()) ? null : heading, points: [] })
    } else if (isList(token)) {
      for (const statement of listItems(token)) add(statement, true)
    } else add({ text: plainText([token]), speaker: null, sources: [] }, false)
  }
  for (const block of splitBlocks(markdown)) {
    for (const token of readBlock(block)) addToken(token)
    await pause()
  }
  const text = overview.join(' ')
  return {
    ...outline,
    overview: text === '' ? null : { text, speaker: null, sources: [] },
    sections: outline.sections.filter(({ points }) => points.length > 0)
  }
}

/** A block that is costly to read is one piece of text. */
function readBlock(block: string): Token[] {
  return isCostly(block) ? [{ type: 'text', raw: block, text: block }] : MARKDOWN.lexer(block)
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list'
}

/** The items of a list, and of the lists in it. */
function listItems({ items }: Tokens.List): Statement[] {
  return items.flatMap(({ tokens }) => [
    toStatement(tokens.filter(token => !isList(token))),
    ...tokens.filter(isList).flatMap(listItems)
  ])
}

/** A speaker's name in bold and a colon begin what they said. */
function toStatement(tokens: Token[]): Statement {
  const text = plainText(tokens)
  const [first] = tokens.flatMap(token => childrenOf(token) ?? [])
  const speaker = first?.type === 'strong' ? plainText([first]) : ''
  const said = text.slice(speaker.length)
  return speaker !== '' && said.startsWith(':')
    ? { text: said.slice(1).trim(), speaker, sources: [] }
    : { text, speaker: null, sources: [] }
}

function childrenOf(token: Token): Token[] | undefined {
  return 'tokens' in token ? token.tokens : undefined
}

function plainText(tokens: readonly Token[]): string {
  const pieces = tokens.map(token => {
    const children = childrenOf(token)
    if (children) return plainText(children)
    return token.type === 'br' || token.type === 'space' ? ' ' : 'text' in token ? String(token.text) : ''
  })
  return pieces.join('').replace(/\s+/g, ' ').trim()
}
