import { readdirSync, readFileSync } from 'node:fs'
import { marked, type Tokens } from 'marked'

/** The pages of the guides, by their path in the repository. */
export const pages = ['README.md', ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map(name => `docs/${name}`)]
  .filter(path => path.endsWith('.md'))
  .sort()

/** A fenced block of a page: its language, and the word after it, which says what kind of block it is. */
export interface Block {
  path: string
  language: string
  kind: string
  text: string
}

export const blocks: Block[] = pages.flatMap(path => {
  const fences = tokensOf(readFileSync(path, 'utf8')).filter(token => token.type === 'code') as Tokens.Code[]
  return fences.map(({ lang = '', text }) => {
    const [language = '', kind = ''] = lang.split(' ')
    return { path, language, kind, text }
  })
})

/** The one block of a page in that language, of that kind. */
export function blockOf(path: string, language: string, kind = '') {
  const found = blocks.filter(block => block.path === path && block.language === language && block.kind === kind)
  if (found.length !== 1) throw new Error(`${path} has ${found.length} blocks ${language} ${kind}`)
  return found[0]!.text
}

export function tokensOf(markdown: string) {
  const tokens: { type: string }[] = []
  void marked.walkTokens(marked.lexer(markdown), token => void tokens.push(token))
  return tokens
}

/** Commands of a shell block, one a line: what a backslash continues is joined. */
export function commandsOf({ text }: Block) {
  return text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter(line => line && !line.startsWith('#'))
}

/** A place for something of the reader, such as `ses_…`. */
export const PLACEHOLDER = /\b[a-z]+_…|(?<==)…/g
