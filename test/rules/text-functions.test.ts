import { expect, test } from 'vitest'
import { TEXT_FUNCTIONS } from '../fuzz/text-functions.ts'
import { files, nodesOf, read } from './source.ts'

/** Files with regular expressions for texts that users do not write: settings, headers, names of our own, answers of providers. */
const NOT_OF_USERS = [
  'features/sign-in/oidc/discovery.ts',
  'features/sign-in/oidc/provider-errors.ts',
  'platform/ai/summarizer/english.ts',
  'platform/ai/summarizer/other-languages.ts',
  'platform/ai/openai/',
  'cli/',
  'platform/config/config.ts',
  'interfaces/console/cookies.ts',
  'interfaces/console/pages/',
  'interfaces/console/path-params.ts',
  'interfaces/console/refused-rows.ts',
  'platform/config/media-url.ts',
  'platform/config/environment.ts',
  'platform/db/',
  'features/webhooks/delivery/judge-attempts.ts',
  'interfaces/http/',
  'features/ingest/parts/ffmpeg.ts',
  'features/ingest/parts/work-folder.ts',
  'platform/config/embedding-settings.ts',
  'platform/config/oidc-settings.ts',
  'platform/config/settings.ts',
  'platform/mail/',
  'interfaces/mcp/plugin.ts',
  'platform/net/connection-failure.ts',
  'platform/work/child-program.ts',
  'platform/net/',
  'features/recordings/store.ts',
  'features/recordings/s3-store.ts',
  'features/recordings/plugin.ts',
  'features/exports/plugin.ts',
  'features/ingest/library/archived-session.ts',
  'features/recordings/send-file.ts',
  'server/',
  'features/sessions/stats.ts',
  'features/sharing/recipient-media.ts',
  'interfaces/site/',
  'interfaces/web/',
  'features/webhooks/connector.ts',
  'features/webhooks/errors.ts',
  // Lengths are checked before their expressions, which are anchored.
  'contract/',
  'interfaces/mcp/tools/'
]

test('every file with a regular expression is among those that are measured, or reads nothing that users write', () => {
  const withExpressions = files.filter(file => nodesOf(read(file)).some(node => 'regex' in node || isNewRegExp(node)))
  const unknown = withExpressions.filter(
    file => !(file in TEXT_FUNCTIONS) && !NOT_OF_USERS.some(place => file.startsWith(place))
  )
  expect(unknown, 'add what they export to test/fuzz/text-functions.ts').toEqual([])
})

test.each(Object.keys(TEXT_FUNCTIONS))('every function that %s exports is measured', async file => {
  const exported = Object.entries(await import(new URL(`../../src/${file}`, import.meta.url).href)).flatMap(
    ([name, value]) => (typeof value === 'function' && !/^[A-Z]/.test(name) ? [name] : [])
  )
  expect(exported.filter(name => !(name in TEXT_FUNCTIONS[file]!))).toEqual([])
})

function isNewRegExp({ type, callee }: { type: string; callee?: unknown }) {
  return type === 'NewExpression' && Object(callee).name === 'RegExp'
}
