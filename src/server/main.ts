import { readConfig } from '../platform/config/config.ts'
import { refuseArguments, reportError } from './report-error.ts'
import { runServer } from './run.ts'

refuseArguments('npm start')
try {
  await runServer(readConfig({ create: true }))
} catch (error) {
  reportError(error)
  process.exitCode = 1
}
