import { linkSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { prepareBundledModel } from '../../src/platform/ai/embedder/bundled-file.ts'

/** The folder of the bundled model for all tests of a run. The first test that needs the model makes it. */
export const modelFolder = join(tmpdir(), 'parlance-models')

let prepared: Promise<string> | undefined

/** Gives a data directory the model's file, so that its server need not make it. */
export async function linkModel(dataDir: string) {
  prepared ??= prepareBundledModel(modelFolder)
  const path = await prepared
  mkdirSync(join(dataDir, 'models'), { mode: 0o700 })
  linkSync(path, join(dataDir, 'models', basename(path)))
}
