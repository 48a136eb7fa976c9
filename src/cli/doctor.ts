import { readConfig } from '../platform/config/config.ts'
import { describeConfig } from '../platform/config/environment.ts'
import { openSources } from '../server/check-sources.ts'
import { runChecks } from '../server/checks.ts'
import { CommandFailed, print, showList } from './output.ts'

/** Prints the configuration as understood and checks everything it names. Exits with 1 when a check fails. */
export async function doctor({ json }: { json?: boolean }) {
  const config = readConfig()
  showList(
    json,
    describeConfig().map(({ key, value }) => ({ setting: key, value }))
  )
  const checks = await runChecks(config, openSources(config))
  if (!json) print('')
  showList(
    json,
    checks.map(check => ({ ...check }))
  )
  const broken = checks.filter(({ ok }) => !ok)
  if (broken.length > 0) throw new CommandFailed(`Not working: ${broken.map(({ check }) => check).join(', ')}`)
}
