import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of tests that need a database. Several of them in one run share the templates that `template.ts` makes. */
const onDatabase = (name: string, folders: string[], testTimeout = 120_000): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    testTimeout,
    include: folders.map(folder => `test/${folder}/**/*.test.ts`),
    globalSetup: ['test/support/temporary.ts', 'test/support/template.ts'],
    setupFiles: ['test/support/each-file.ts']
  }
})

/** Compilers and suites of others, which run beside the long runs of tests, take a minute of the processor. */
const FOREIGN_MS = 600_000

const unit: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'unit', include: ['test/{unit,rules}/**/*.test.ts'] }
}

/** Builds and runs the image, which takes minutes and needs an engine. */
const container: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'container',
    include: ['test/container/**/*.test.ts'],
    globalSetup: ['test/support/temporary.ts'],
    setupFiles: ['test/support/each-file.ts']
  }
}

/** The slowest first, so that no worker is left alone with one in the end. */
const FOLDERS = [
  ...['container', 'fuzz', 'faults', 'process', 'embedded', 'hostile', 'db', 'browser', 'generators', 'agents', 'api'],
  ...['unit', 'rules']
]

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const placeOf = ({ moduleId }: TestSpecification) =>
      FOLDERS.findIndex(folder => moduleId.startsWith(join(import.meta.dirname, 'test', folder, '/')))
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

export default defineConfig({
  test: {
    // Each project has workers of its own, which load the whole program: what runs together is one.
    projects: [
      onDatabase('api', ['api', 'db']),
      onDatabase('rest', ['process', 'embedded', 'faults', 'fuzz', 'browser', 'hostile']),
      onDatabase('generators', ['generators'], FOREIGN_MS),
      onDatabase('agents', ['agents'], FOREIGN_MS),
      container,
      unit
    ],
    setupFiles: ['test/support/seed.ts'],
    // `.ci/run` runs everything on both databases but what has one of these tags, which proves nothing of a database.
    tags: [
      { name: 'postgres', description: 'Starts programs, which is faster on PostgreSQL' },
      {
        name: 'embedded',
        description: 'Runs in the process of the test, or takes the memory that the embedded database has'
      }
    ],
    // One database and one application for all files of a worker: starting an engine takes longer than most files.
    isolate: false,
    pool: 'forks',
    // As the server runs. V8 can end the process where it frees optimized WebAssembly code (nodejs/node#64500).
    execArgv: ['--liftoff-only'],
    // More than there are processors on a small machine: many tests wait for what they have asked of a server.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    // For a machine with much else to do: no test waits for the time to pass.
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 240_000
  }
})
