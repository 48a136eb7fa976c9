import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Registers a function that runs after the test, or after the file. The last registered one runs first. */
export type Finally = (undo: () => Promise<void>) => void

/**
 * Returns a `Finally` for what the tests of a file share. It may be used in hooks and tests, where `afterAll` itself registers nothing, but has to be
 * made outside of them.
 */
export function afterFile(): Finally {
  const stack = new AsyncDisposableStack()
  afterAll(() => stack.disposeAsync())
  return undo => stack.defer(undo)
}

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
