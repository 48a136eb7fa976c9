import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { fileIn, freePort, startProgram, temporaryFolder, until } from './process.ts'

export const noPooler = spawnSync('pgbouncer', ['--version']).status === 0 ? undefined : 'PgBouncer is not installed'

/** Starts PgBouncer in front of the server of the URL. Returns the URL through it. */
export async function startPooler(url: string, settings: Record<string, string>) {
  const { hostname, port, username, password, pathname } = new URL(url)
  const folder = temporaryFolder()
  // As root it becomes another user.
  chmodSync(folder, 0o755)
  const listen = await freePort()
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: listen,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings
  }).map(([name, value]) => `${name} = ${value}`)
  const databases = `* = host=${hostname} port=${port || 5432} user=${username} password=${password}`
  const file = fileIn(folder, 'pgbouncer.ini', `[databases]\n${databases}\n[pgbouncer]\n${lines.join('\n')}\n`)
  const asOther = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const pooler = startProgram(['pgbouncer', ...asOther, file], {}, onTestFinished)
  await until('the pooler listens', () => {
    if (pooler.output.stderr.includes('FATAL')) throw new Error(pooler.output.stderr)
    return accepts(listen)
  })
  return `postgres://${username}:${password}@127.0.0.1:${listen}${pathname}`
}

function accepts(port: number) {
  return new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })
}
