import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of tests that need a database. Several of them in one run share the templates that `template.ts` makes. */
const onDatabase = (name: string, folders: string[], testTimeout = 60_000): TestProjectInlineConfiguration => ({
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

/** A run leaves out what is at home on the other database. The types know this as an option of the command only; --tags-filter takes its place. */
const AT_HOME = {
  tagsFilter: process.env.TEST_DATABASE_URL || process.env.TEST_CITUS_URL ? ['!embedded'] : ['!postgres']
}

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
      onDatabase('api', ['api']),
      onDatabase('rest', ['db', 'process', 'embedded', 'faults', 'fuzz', 'browser']),
      onDatabase('hostile', ['hostile']),
      onDatabase('generators', ['generators'], FOREIGN_MS),
      onDatabase('agents', ['agents'], FOREIGN_MS),
      container,
      unit
    ],
    setupFiles: ['test/support/seed.ts'],
    // A test runs on its home database, which is the embedded one without a tag.
    tags: [
      { name: 'postgres', description: 'At home on PostgreSQL: starts programs, or needs several connections' },
      { name: 'both', description: 'Runs on both databases, because its result can differ' },
      { name: 'embedded', description: 'Never runs on PostgreSQL: it proves nothing of a database' }
    ],
    ...AT_HOME,
    // One database and one application for all files of a worker: starting an engine takes longer than most files.
    isolate: false,
    pool: 'forks',
    // As the server runs. V8 can end the process where it frees optimized WebAssembly code (nodejs/node#64500).
    execArgv: ['--liftoff-only'],
    maxWorkers: availableParallelism(),
    sequence: { sequencer: SlowestFirst },
    // For a machine with much else to do: no test waits for the time to pass.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000
  }
})
