// @module-tag postgres
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { command } from '../support/command.ts'
import {
  endOf,
  fileIn,
  freshDatabase,
  jsonLines,
  migratedDatabase,
  rowsOf,
  startProgram,
  temporaryFolder
} from '../support/process.ts'
import { doctorOn } from '../support/refused-start.ts'
import { newRole } from '../support/role.ts'

const SLOW = { timeout: 300_000 }

test('doctor shows of a secret in a file that it is set, and of a URL all but its password', SLOW, async () => {
  const folder = temporaryFolder()
  const secrets = {
    APP_API_KEY: randomBytes(20).toString('hex'),
    SMTP_URL: 'smtp://operator:hushhush@127.0.0.1:1'
  }
  const environment = {
    ...(await freshDatabase()).environment,
    EMBEDDING_MODEL: 'none',
    MAIL_FROM: 'parlance@example.test',
    APP_API_KEY_FILE: fileIn(folder, 'key', Buffer.from(`${secrets.APP_API_KEY}\n`)),
    SMTP_URL_FILE: fileIn(folder, 'url', Buffer.from(`${secrets.SMTP_URL}\n`))
  }
  const { stdout, stderr } = await command({ environment }, 'doctor', '--json')
  expect(jsonLines(stdout).filter(({ setting }) => String(setting) in secrets)).toEqual([
    { setting: 'APP_API_KEY', value: 'set' },
    { setting: 'SMTP_URL', value: 'smtp://operator:***@127.0.0.1:1' }
  ])
  for (const secret of [secrets.APP_API_KEY, 'hushhush']) expect(stdout + stderr).not.toContain(secret)
})

test('a password with signs of a URL is taken from PGPASSWORD', SLOW, async context => {
  const place = await migratedDatabase()
  context.skip(place.url === undefined, 'The embedded database asks for no password')
  const role = await newRole(place)
  const password = 'b/+64=@#?%:'
  await rowsOf(place, `alter role ${role} password '${password}'`)
  const url = new URL(place.url ?? '')
  Object.assign(url, { username: role, password: '' })
  const environment = { ...place.environment, DATABASE_URL: String(url) }
  const found = await doctorOn({ ...environment, PGPASSWORD: password })
  // The role is let in, and has no tables of its own.
  expect(found).toMatchObject({ detail: expect.stringMatching(`^The tables belong to the role \\w+, not to ${role};`) })
})

test.runIf(process.getuid?.() === 0)(
  'a user without a name is told by its id what it may not write',
  SLOW,
  async () => {
    const [own, dataDir] = [temporaryFolder(), temporaryFolder()]
    chownSync(own, 54_321, 54_321)
    chmodSync(dataDir, 0o555)
    const { environment } = await migratedDatabase()
    const started = startProgram(
      ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups', process.execPath, 'src/cli.ts', 'serve'],
      { ...environment, DATA_DIR: dataDir, TMPDIR: own },
      onTestFinished
    )
    const { code, stderr } = await endOf(started)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `DATA_DIR: the user with the id 54321 may not write to ${dataDir}; run: chown -R 54321 ${dataDir}\n`
    })
  }
)
