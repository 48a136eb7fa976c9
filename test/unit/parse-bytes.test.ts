import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeText } from '../../src/ingest/parse/decode.ts'
import { type DocumentLine, readDocuments } from '../../src/ingest/parse/jsonl.ts'

test.each([
  ['UTF-8', [0x48, 0xc3, 0xa9], 'Hé'],
  ['UTF-8 with a byte order mark', [0xef, 0xbb, 0xbf, 0x48, 0xc3, 0xa9], 'Hé'],
  ['UTF-16 with the low byte first', [0xff, 0xfe, 0x48, 0x00, 0xe9, 0x00], 'Hé'],
  ['UTF-16 with the high byte first', [0xfe, 0xff, 0x00, 0x48, 0x00, 0xe9], 'Hé'],
  ['UTF-16 that ends in the middle of a character', [0xfe, 0xff, 0x00, 0x48, 0x00], 'H'],
  ['windows-1252', [0x48, 0xe9, 0x20, 0x80], 'Hé €'],
  ['text with NUL', [0x48, 0x00, 0x69], 'Hi'],
  ['text with half of a surrogate pair', [0xff, 0xfe, 0x48, 0x00, 0x00, 0xd8, 0x69, 0x00], 'Hi'],
  ['nothing', [], '']
])('decodes %s', (_, bytes, text) => {
  expect(decodeText(new Uint8Array(bytes))).toBe(text)
})

async function* inChunks(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(lines: AsyncIterable<DocumentLine>) {
  const found: unknown[] = []
  for await (const entry of lines)
    found.push('error' in entry ? [entry.line, entry.error.message] : [entry.line, entry.document.title])
  return found
}

function line(title: string) {
  return JSON.stringify({ title, segments: [{ text: 'Hé' }] })
}

test.each([1, 7, 100_000])('reads a document a line from chunks of %d bytes', async size => {
  const text = `\ufeff${line('one')}\r\n\r\n  \n{"title":1}\n{oops\n${line('two')}`
  expect(await collect(readDocuments(inChunks(text, size)))).toEqual([
    [1, 'one'],
    [4, 'Line 4: title: expected a text of at most 500 characters'],
    [5, 'Line 5: This is not valid JSON.'],
    [6, 'two']
  ])
})

test('refuses a line that is too long and reads on', async () => {
  const text = [line('one'), line('x'.repeat(200)), line('two')].join('\n')
  expect(await collect(readDocuments(inChunks(text, 16), 100))).toEqual([
    [1, 'one'],
    [2, 'Line 2 is longer than 100 bytes: send that document in parts.'],
    [3, 'two']
  ])
})

test('reads a file by its path', async () => {
  const path = join(tmpdir(), `documents-${process.pid}.jsonl`)
  await writeFile(path, `${line('one')}\n`)
  expect(await collect(readDocuments(path))).toEqual([[1, 'one']])
})

test('asks the source for no more than is read', async () => {
  let asked = 0
  async function* endless() {
    for (;;) {
      asked += 1
      yield Buffer.from(`${line(String(asked))}\n`)
    }
  }
  for await (const entry of readDocuments(endless())) if (entry.line === 3) break
  expect(asked).toBe(3)
})
