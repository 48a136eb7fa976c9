import { keepCompiledCode } from '../platform/work/compile-cache.ts'

keepCompiledCode()
const { readDemoConfig } = await import('../platform/config/config.ts')
const { greet } = await import('./demo-library.ts')
const { refuseArguments, reportError } = await import('./report-error.ts')
const { runServer } = await import('./run.ts')

refuseArguments('npm run demo')
try {
  const config = readDemoConfig()
  await runServer({ ...config, logLevel: 'warn' }, server => greet(server, config.database.dataDir))
} catch (error) {
  reportError(error)
  process.exit(1)
}
