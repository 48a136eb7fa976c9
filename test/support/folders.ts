import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Registers what is to be done when the test, or the file with `afterAll`, is over: last registered, first done. */
export type Finally = (undo: () => Promise<void>) => void

/** A new folder that goes when the test is over. */
export function temporaryFolder(finally_: Finally = onTestFinished) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-process-'))
  finally_(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Writes a file into the folder and returns its path. */
export function fileIn(folder: string, name: string, content: string | Buffer) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
