import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readArchive } from '../../../src/features/exports/archive-reader.ts'
import { createZip } from '../../../src/features/exports/zip-writer.ts'
import { temporaryFolder } from '../../support/exports.ts'

/** The files that the records of an archive without Zip64 can count, and some more. */
const FILES = 0xffff + 10

test('an archive of more than 65,535 files is written and read whole', { timeout: 120_000 }, async () => {
  await using zip = await createZip(await mkdtemp(join(temporaryFolder(), 'zip-')), new Date('2026-03-02T10:00:00Z'))
  for (let index = 0; index < FILES; index++) await zip.add(`sessions/${index}.txt`, Buffer.from(String(index)))
  await zip.finish()
  const bytes = await readFile(zip.path)
  const end = bytes.subarray(-22)
  expect([end.readUInt32LE(0), end.readUInt16LE(10)]).toEqual([0x06054b50, 0xffff])
  const names: string[] = []
  const wrong: string[] = []
  for await (const file of readArchive(zip.path)) {
    const index = names.push(file.name) - 1
    if ((index % 10_000 === 0 || index >= 0xffff) && (await file.readText(100)) !== String(index)) wrong.push(file.name)
  }
  expect(wrong).toEqual([])
  expect(names).toEqual(Array.from({ length: FILES }, (_, index) => `sessions/${index}.txt`))
})
