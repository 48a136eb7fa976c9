import { readFileSync } from 'node:fs'
import type { Tokens } from 'marked'
import { expect, test } from 'vitest'
import { tokensOf } from '../support/guides.ts'
import { files, read } from './source.ts'

/** The messages of the page: the code in the first column of its tables. An ellipsis stands for names and numbers. */
const messages = tokensOf(readFileSync('docs/troubleshooting.md', 'utf8')).flatMap(token =>
  token.type === 'table' ? (token as Tokens.Table).rows.map(([cell]) => cell?.text.replaceAll('`', '') ?? '') : []
)

test('every message of the page on troubleshooting is one that the source prints', () => {
  const lines = files.flatMap(file => read(file).split('\n'))
  const isPrinted = (message: string) => {
    const pattern = new RegExp(message.split('…').map(RegExp.escape).join('.*'))
    return lines.some(line => pattern.test(line))
  }
  expect(messages.length).toBeGreaterThan(50)
  expect(messages.filter(message => !isPrinted(message))).toEqual([])
})
