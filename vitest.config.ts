import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/template.ts',
    // One database and one application for all files of a worker: starting an engine takes longer than most files.
    isolate: false,
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
