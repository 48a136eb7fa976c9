import { readdirSync, readFileSync } from 'node:fs'
import { marked, type Tokens } from 'marked'

/** The pages of the guides, by their path in the repository. */
export const pages = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map(name => `docs/${name}`)
]
  .filter(path => path.endsWith('.md'))
  .sort()

/** A fenced block of a page: its language, and the word after it, which names the kind of block. */
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

/** Returns the only block of a page in that language and of that kind. */
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

/** Returns the commands of a shell block, one per line; lines with a backslash at the end are joined. */
export function commandsOf({ text }: Block) {
  return text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter(line => line && !line.startsWith('#'))
}

/** A placeholder for a value of the reader, such as `ses_…`. */
export const PLACEHOLDER = /\b[a-z]+_…|(?<==)…/g
