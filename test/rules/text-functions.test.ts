import { expect, test } from 'vitest'
import { TEXT_FUNCTIONS } from '../fuzz/text-functions.ts'
import { files, nodesOf, read } from './source.ts'

/** Files with regular expressions for texts that users do not write: settings, headers, names of our own, answers of providers. */
const NOT_OF_USERS = [
  'accounts/oidc/discovery.ts',
  'accounts/oidc/provider-errors.ts',
  'ai/summarizer/english.ts',
  'ai/summarizer/other-languages.ts',
  'ai/openai/',
  'cli/',
  'config/config.ts',
  'console/cookies.ts',
  'console/pages/',
  'console/path-params.ts',
  'config/media-url.ts',
  'config/environment.ts',
  'db/',
  'webhooks/delivery/backoff.ts',
  'http/',
  'ingest/parts/ffmpeg.ts',
  'ingest/parts/work-folder.ts',
  'config/embedding-settings.ts',
  'config/oidc-settings.ts',
  'config/settings.ts',
  'mail/',
  'mcp/rebinding.ts',
  'core/connection-failure.ts',
  'core/child-program.ts',
  'core/proxies.ts',
  'core/tunnel',
  'recordings/store.ts',
  'recordings/s3-store.ts',
  'recordings/plugin.ts',
  'recordings/send-file.ts',
  'server/',
  'sessions/stats.ts',
  'sharing/recipient-media.ts',
  'site/',
  'web/',
  'webhooks/connector.ts',
  'webhooks/errors.ts',
  // Lengths are checked before their expressions, which are anchored.
  'contract/',
  'mcp/tools/'
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
