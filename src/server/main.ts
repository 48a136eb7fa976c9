import { keepCompiledCode } from '../platform/work/compile-cache.ts'

keepCompiledCode()
const { readConfig } = await import('../platform/config/config.ts')
const { refuseArguments, reportError } = await import('./report-error.ts')
const { runServer } = await import('./run.ts')

refuseArguments('npm start')
try {
  await runServer(readConfig({ create: true }))
} catch (error) {
  reportError(error)
  process.exitCode = 1
}
