// @module-tag postgres
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noDisk, smallDisk } from '../faults/disk.ts'
import { endOf, jsonLines, migratedDatabase, run, serve, start, temporaryFolder } from '../support/process.ts'

const SLOW = { timeout: 300_000 }

/** What the server says that cannot use its data directory: one line, and exit code 1. */
async function refusal(dataDir: string, environment: object = {}) {
  const { code, stderr } = await endOf(start({ LOG_LEVEL: 'warn', ...environment, DATA_DIR: dataDir }, ['serve']))
  expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 1, lines: 2 })
  return stderr.trimEnd()
}

describe('a data directory that cannot be used ends the start with one sentence', () => {
  test('if the system lets nobody create it', SLOW, async () => {
    expect(await refusal('/proc/foo')).toBe('DATA_DIR: /proc/foo cannot be created (ENOENT); name another folder')
  })

  test('if it is a file, or below one', SLOW, async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(await refusal(file)).toBe(`DATA_DIR: ${file} is a file; name a folder`)
    expect(await refusal(join(file, 'data'))).toBe(`DATA_DIR: ${file}/data is below a file; name a folder`)
  })

  test.skipIf(noDisk)('if its disk is read-only, for a command too, and with a database server', SLOW, async () => {
    const { environment } = await migratedDatabase()
    const { folder } = smallDisk(1)
    const data = join(folder, 'data')
    mkdirSync(data)
    mkdirSync(join(data, 'database'))
    execFileSync('mount', ['-o', 'remount,ro', folder])
    const sentence = `DATA_DIR: the disk of ${data} is read-only; mount it writable, or name another folder`
    expect(await refusal(data)).toBe(sentence)
    expect(await refusal(data, environment)).toBe(sentence)
    expect((await run({ environment: { DATA_DIR: data } }, 'user', 'list')).stderr).toBe(`${sentence}\n`)
    expect(await refusal(join(folder, 'other'))).toBe(
      `DATA_DIR: the disk that ${folder}/other would be on is read-only; mount it writable, or name another folder`
    )
  })
})

test('a key that a full disk has truncated is refused by the server and by a command', SLOW, async () => {
  const dataDir = temporaryFolder()
  const file = join(dataDir, 'secret.key')
  mkdirSync(join(dataDir, 'database'))
  for (const text of ['', 'k'.repeat(31)]) {
    writeFileSync(file, text)
    const sentence = `${file} is cut off; restore it from your copy, or delete it if no server has run with this DATA_DIR yet`
    expect(await refusal(dataDir)).toBe(sentence)
    expect((await run({ environment: { DATA_DIR: dataDir } }, 'user', 'list')).stderr).toBe(`${sentence}\n`)
  }
})

describe.runIf(process.getuid?.() === 0)('the embedded database of another user is refused', () => {
  test('for root, whose files its owner could not use, by the server and by a command', SLOW, async () => {
    const dataDir = temporaryFolder()
    chownSync(dataDir, 65_534, 65_534)
    const sentence = `DATA_DIR: ${dataDir} belongs to the user with the id 65534; run this as that user`
    expect(await refusal(dataDir)).toBe(sentence)
    expect(await run({ environment: { DATA_DIR: dataDir } }, 'user', 'list')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${sentence}\n`
    })
  })

  test('for a user without read access, to whom it would look missing', SLOW, async () => {
    const dataDir = temporaryFolder()
    const words = [
      'setpriv',
      '--reuid=65534',
      '--clear-groups',
      process.execPath,
      '--liftoff-only',
      'src/cli.ts',
      'user',
      'list'
    ]
    const { stderr } = spawnSync(words[0]!, words.slice(1), { env: { DATA_DIR: dataDir }, encoding: 'utf8' })
    expect(stderr).toBe(`DATA_DIR: ${dataDir} belongs to the user with the id 0; run this as that user\n`)
  })
})

test.runIf(process.getuid?.() === 0)(
  'a data directory of another user is refused by server and doctor, with a database server too',
  SLOW,
  async () => {
    const { environment } = await migratedDatabase()
    const dataDir = temporaryFolder()
    const asNobody = (command: string) =>
      spawnSync(
        'setpriv',
        ['--reuid=65534', '--clear-groups', process.execPath, '--liftoff-only', 'src/cli.ts', ...command.split(' ')],
        {
          env: { ...environment, DATA_DIR: dataDir },
          encoding: 'utf8'
        }
      )
    const sentence = `DATA_DIR: the user nobody may not write to ${dataDir}; run: chown -R nobody ${dataDir}`
    expect(asNobody('serve').stderr).toBe(`${sentence}\n`)
    const checks = jsonLines(asNobody('doctor --json').stdout)
    expect(checks.find(({ check }) => check === 'disk')).toEqual({ check: 'disk', ok: false, detail: sentence })
  }
)

test('private files in the data directory lose the permissions of others at every start', SLOW, async () => {
  const { environment, dataDir } = await migratedDatabase()
  const settings = { environment: { ...environment, DATA_DIR: dataDir } }
  for (const name of ['database', 'media', 'uploads', 'outbox']) mkdirSync(join(dataDir, name), { recursive: true })
  for (const name of ['secret.key', 'deletions.jsonl'])
    writeFileSync(join(dataDir, name), name === 'secret.key' ? 'k'.repeat(64) : '')
  chmodSync(dataDir, 0o755)
  // The offline model is in a package that everybody can read.
  for (const name of readdirSync(dataDir)) if (name !== 'models') chmodSync(join(dataDir, name), 0o777)
  const privacy = async () =>
    jsonLines((await run(settings, 'doctor', '--json')).stdout).find(({ check }) => check === 'privacy')
  expect(await privacy()).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`${dataDir}/media and ${dataDir}/uploads`)
  })
  await serve(settings)
  const open = readdirSync(dataDir).filter(name => (statSync(join(dataDir, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
  expect(await privacy()).toMatchObject({ ok: true })
})

test('a database that is created in a folder that others may read is closed to them', SLOW, async () => {
  const dataDir = temporaryFolder()
  chmodSync(dataDir, 0o777)
  const { code } = await run({ environment: { DATA_DIR: dataDir } }, 'migrate')
  expect(code).toBe(0)
  expect(readdirSync(dataDir).filter(name => (statSync(join(dataDir, name)).mode & 0o077) !== 0)).toEqual([])
})
