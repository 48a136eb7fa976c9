import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take longest first, so that no worker is left alone with one in the end. */
const FOLDERS = ['fuzz', 'faults', 'process', 'db', 'browser', 'api', 'unit', 'rules']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const placeOf = ({ moduleId }: TestSpecification) => FOLDERS.findIndex(folder => moduleId.includes(`/test/${folder}/`))
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/temporary.ts', 'test/support/template.ts'],
    setupFiles: ['test/support/each-file.ts'],
    // One database and one application for all files of a worker: starting an engine takes longer than most files.
    isolate: false,
    pool: 'forks',
    // More than there are processors on a small machine: many tests wait for what they have asked of a server.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
