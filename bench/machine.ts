import { cpus, totalmem } from 'node:os'
import { serverVersion } from './database.ts'

/** What the figures were measured on. */
export async function describeMachine() {
  const processors = cpus()
  return [
    `CPU       ${processors[0]?.model.trim() ?? 'unknown'}, ${processors.length} cores`,
    `Memory    ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node      ${process.version}`,
    `Postgres  ${await serverVersion()}`
  ].join('\n')
}
