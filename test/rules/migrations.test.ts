import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * The migrations in their order, each with the SHA-256 of its file. Databases have the listed ones, so they are only added to: `migrate` refuses a
 * database whose migrations are not these.
 */
const LANDED: [tag: string, digest: string][] = [
  ['0000_initial', 'f7ac454f5ea5c9bdabb1232908672e3fc07801e4db9fd458be104a884f96141b'],
  ['0001_sign_in_senders', 'de5553a9d3b6d35cd42d1db0bd7aa5da90151cb32434f01bb562a0e340570558'],
  ['0002_transcript_warnings', '69a89af67a195d08cee2ee6415e22edd118ff80df960ae728b0bac41c75cbc8e'],
  ['0003_transcript_corrections', 'cfd0e5cb7f29165aa3055c1e21cced1886849f3a9bda30d6ed27ecf52cb1271a'],
  ['0004_oauth_client_keys', '9355402bff162e47a81d2a4a167df311516876a8b390e2096fbebc6e7e19a91d'],
  ['0005_webhook_payload', '4a367132e9e1fccae18f0cff1f6e95bfdc5651e03958fc7d3c32a320b476ca47'],
  ['0006_summary_outlines', 'c00516a550f907fe7faf5ee5b882f511a3bb17e558367eb79c7f26cfab214eec'],
  ['0007_terms', 'a9e0cfdd694e1ac3290c0d6adc223e839e306e16421ef1b7902fdb86d38de9bb'],
  ['0008_summary_templates', 'e7d50818c1546a33bd8e6c3d605fd6687ac5332ed41599aeb07ee3eb56b512cb'],
  ['0009_sign_in_codes_and_strips', '6799f87e518d2ec256e96743896017566cd12520b04396446c5c4c32b5405cd7'],
  ['0010_unsupported_items', 'f674cf3fb8c4cffebd1d3e43097412a549a97f53b78ebaf8608361c88eb7da2a'],
  ['0011_exports', '523ef890988b2593432bf743922c107a7a741ec04509264c635aa08fd57b10cc'],
  ['0012_deferred_uploads', 'c7ebad5ddcec32f319da4aa5d74c6def37ee85d1846559dc604b79a45c000c6e'],
  ['0013_favorites', '90044e226c191a1a41a8837fa01b4671dcf538c4d6797c87e4621a3037a5d77c']
]

test('landed migrations stay as they are, in their order and with their times', () => {
  const { entries } = JSON.parse(readFileSync('migrations/meta/_journal.json', 'utf8'))
  const tags: string[] = entries.map(({ tag }: { tag: string }) => tag)
  expect(tags.map(tag => [tag, digestOf(tag)])).toEqual(LANDED)
  const times: number[] = entries.map(({ when }: { when: number }) => when)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

test('each file of migrations/ is in the journal', () => {
  const files = readdirSync('migrations').filter(name => name.endsWith('.sql'))
  expect(files).toEqual(LANDED.map(([tag]) => `${tag}.sql`))
})

function digestOf(tag: string) {
  return createHash('sha256')
    .update(readFileSync(`migrations/${tag}.sql`, 'utf8'))
    .digest('hex')
}
