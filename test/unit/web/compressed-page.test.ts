import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { compressPage, compressPieces } from '../../../src/interfaces/web/compressed-page.ts'

describe.each([
  { encoding: 'br', unpack: brotliDecompressSync, open: createBrotliDecompress },
  { encoding: 'gzip', unpack: gunzipSync, open: createGunzip }
] as const)('a page in $encoding', ({ encoding, unpack, open }) => {
  test('is whole, and smaller', async () => {
    const page = '<p>Welcome to the weekly review.</p>'.repeat(100)
    const packed = await compressPage(page, encoding)
    expect(unpack(packed).toString().startsWith(`${page}<!-- `)).toBe(true)
    expect(packed.length).toBeLessThan(page.length / 5)
  })

  test('has another length each time, so that none says what is in it', async () => {
    const lengths = new Set<number>()
    for (let n = 0; n < 30; n++) lengths.add((await compressPage('<p>Always the same</p>', encoding)).length)
    expect(lengths.size).toBeGreaterThan(5)
  })

  test('that goes on arrives piece by piece', async () => {
    const page = new PassThrough()
    const read = compressPieces(page, encoding).pipe(open())
    for (const piece of ['<h1>Begins', 'goes on', 'ends</h1>']) {
      const arrived = once(read, 'data')
      page.write(piece)
      expect(String(await arrived)).toBe(piece)
    }
    page.end()
    await once(read.resume(), 'end')
  })

  test('that fails ends with an error, and not as if it were whole', async () => {
    const page = new PassThrough()
    const packed = compressPieces(page, encoding)
    page.write('<h1>Begins')
    const failed = once(packed.resume(), 'end').catch(String)
    page.destroy(new Error('the database has gone'))
    expect(await failed).toContain('the database has gone')
  })
})
