import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMirror } from '../../../src/cli/mirror-folder.ts'
import { digestOf } from '../../../src/cli/mirror-pages.ts'
import { temporaryFolder } from '../../support/folders.ts'

const URL = 'https://parlance.example'

/** Writes a page as a round does, and stores after it what was written only if nothing kills the mirror. */
async function writePage(folder: string, text: string, { killed }: { killed: boolean }) {
  const mirror = await openMirror(folder, URL)
  const { state } = mirror
  const path = state.sessions.one?.path ?? mirror.choosePath('Sessions', 'One', 'one')
  const entry = { ...state.sessions.one, path, title: 'One', at: '', folders: [], round: 1, next: digestOf(text) }
  state.sessions.one = entry
  await mirror.save()
  await mirror.write(entry, text)
  if (!killed) await mirror.save()
  return join(folder, path)
}

test('a page that was written just before a kill is its own when the session has changed again', async () => {
  const folder = temporaryFolder()
  await writePage(folder, 'First', { killed: false })
  await writePage(folder, 'Second', { killed: true })
  const place = await writePage(folder, 'Third', { killed: true })
  expect(readFileSync(place, 'utf8')).toBe('Third')
  expect(readdirSync(join(folder, 'Sessions'))).toHaveLength(1)
})

test('a page that somebody has changed after a kill is kept beside the new one', async () => {
  const folder = temporaryFolder()
  const place = await writePage(folder, 'First', { killed: true })
  writeFileSync(place, 'Mine')
  await writePage(folder, 'Second', { killed: false })
  expect(readFileSync(place, 'utf8')).toBe('Second')
  expect(readFileSync(place.replace('.md', ' (edited).md'), 'utf8')).toBe('Mine')
})
