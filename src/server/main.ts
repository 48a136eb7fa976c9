import { readConfig } from '../config.ts'
import { reportError } from './report-error.ts'
import { runServer } from './run.ts'

try {
  await runServer(readConfig({ create: true }))
} catch (error) {
  reportError(error)
  process.exitCode = 1
}
