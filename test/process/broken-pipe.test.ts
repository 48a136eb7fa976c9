// @module-tag postgres
import { expect, onTestFinished, test } from 'vitest'
import { endOf, migratedDatabase, newOwner, type Place, serve, startProgram } from '../support/process.ts'

const SLOW = { timeout: 300_000 }

/** Starts a command whose output goes to a pipe that nobody reads any more, and prints its exit code. */
function startUnread({ environment }: Pick<Place, 'environment'>, output: 'stdout' | 'all', words: string[]) {
  const script = `exec 3> >(exec true); wait $!; "$@" >&3 ${output === 'all' ? '2>&3' : ''}; echo "ended with $?"`
  const command = [process.execPath, '--liftoff-only', 'src/cli.ts', ...words]
  return startProgram(['bash', '-c', script, 'bash', ...command], environment, onTestFinished)
}

const QUIET = { code: 0, stdout: 'ended with 141\n', stderr: '' }

test.each([
  ['stdout', ['--help']],
  ['stdout', ['user', '--help']],
  ['stdout', ['openapi']],
  ['stdout', ['user', 'list', '--json']],
  ['stdout', ['token', 'list']],
  ['stdout', ['doctor', '--json']],
  ['all', ['user', 'lists']],
  ['all', ['token', 'revoke', 'tok_unknown']]
] as const)(
  'nobody reads %s of the command %j: it ends without a word, as SIGPIPE ends one',
  SLOW,
  async (output, words) => {
    const place = await migratedDatabase()
    await newOwner(place)
    expect(await startUnread(place, output, [...words]).ended).toMatchObject(QUIET)
  }
)

test('a command that prints events as they arrive ends at the first one that nobody reads', SLOW, async () => {
  const place = await migratedDatabase()
  const { token } = await newOwner(place)
  const server = await serve(place)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ segments: [{ speaker: 'Ada', start: 0, end: 4, text: 'Good morning.' }] })
  expect((await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body })).status).toBe(202)
  const tail = startUnread(place, 'stdout', ['events', 'tail', '--url', server.url, '--token', token])
  expect(await endOf(tail)).toMatchObject(QUIET)
})
