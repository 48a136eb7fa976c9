import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Registers a function that runs after the test, or with `afterAll` after the file. The last registered one runs first. */
export type Finally = (undo: () => Promise<void>) => void

/** Creates a folder that is removed after the test. */
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
