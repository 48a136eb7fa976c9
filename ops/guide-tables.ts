import { readFileSync } from 'node:fs'
import type { Argument, Command } from 'commander'
import { buildProgram } from '../src/cli/program.ts'
import { ERROR_MEANING, ERROR_STATUS, OTHER_STATUS } from '../src/contract/errors.ts'
import { FIELD_LIMITS, LIMITS } from '../src/contract/limits.ts'
import type { RouteDescription } from '../src/contract/routes/route.ts'
import { ROUTES } from '../src/contract/routes/routes.ts'
import { SCOPES } from '../src/contract/scopes.ts'
import { SETTINGS } from '../src/platform/config/environment.ts'
import { SECRETS } from '../src/platform/config/secret-files.ts'
import { openSynchronizedClock } from '../src/platform/core/clock.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { openMetrics } from '../src/server/telemetry/metrics.ts'
import { listRoutes } from './routes.ts'

/** The pages with generated tables: the name of each table stands in a pair of comments, `<!-- name -->` and `<!-- /name -->`. */
const TABLES = {
  'docs/configuration.md': { settings: settingsTable },
  'docs/cli.md': { commands: commandSections },
  'docs/api/authentication.md': { scopes: scopesTable },
  'docs/api/errors-and-limits.md': { errors: errorsTable, limits: limitsTable },
  'docs/api/deprecations.md': { deprecations: deprecationsTable },
  'docs/operations/metrics.md': { metrics: metricsTable },
  'docs/design/routes.md': { routes: routesTable }
} satisfies Record<string, Record<string, () => string | Promise<string>>>

/** Every generated file of the guides by its path, with what belongs into it. */
export async function generateGuides(): Promise<Map<string, string>> {
  const files = new Map([['.env.example', exampleEnvironment()]])
  for (const [path, tables] of Object.entries(TABLES)) {
    let page = readFileSync(path, 'utf8')
    for (const [name, makeTable] of Object.entries(tables)) page = replaceTable(page, name, await makeTable())
    files.set(path, page)
  }
  return files
}

function replaceTable(page: string, name: string, content: string) {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`A page has no table ${name}`)
  return `${page.slice(0, from + begin.length)}${content}\n${page.slice(to)}`
}

function table(head: string[], rows: (string | number)[][]) {
  const line = (cells: (string | number)[]) =>
    `| ${cells.map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('|  |', '| |')
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

const code = (text: string | number) => `\`${text}\``

function defaultOf(key: keyof typeof SETTINGS) {
  const { data } = SETTINGS[key].safeParse(undefined)
  return data === undefined ? '' : String(data)
}

const settingNames = () => Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]

function settingsTable() {
  const rows = settingNames().map(key => [
    code(key),
    defaultOf(key) && code(defaultOf(key)),
    SETTINGS[key].description ?? ''
  ])
  return table(['setting', 'default', 'meaning'], rows)
}

function exampleEnvironment() {
  const head = [
    '# Every setting with its default. Copy this file to .env and change what you need. An empty value counts as not set.\n',
    '# Docker Compose reads .env. Before npm start, load it into your shell: set -a; . ./.env; set +a\n',
    `# A secret may be in a file instead: set its name with _FILE to the path (${SECRETS.join(', ')}).\n`
  ]
  const settings = settingNames().map(key => `\n# ${SETTINGS[key].description}.\n${key}=${defaultOf(key)}\n`)
  return [...head, ...settings].join('')
}

/** Every route, the scopes of which one is enough, and the file that registers it. */
function routesTable() {
  const rows = listRoutes().map(({ route, operation, scopes, handler, admin }) => [
    code(route),
    code(operation),
    scopes.map(code).join(' or '),
    admin ? 'yes' : '',
    handler === undefined ? '' : code(handler)
  ])
  return table(['route', 'operation', 'scope', 'admin API', 'handler in `src`'], rows)
}

/** Every part of `/v1` that will go. */
function deprecationsTable() {
  const rows = Object.values<RouteDescription>(ROUTES).flatMap(({ method, url, config }) =>
    (config.deprecations ?? []).map(({ part, since, until, instead }) => [
      code(`${method} /v1${url.replace(/:(\w+)/g, '{$1}')}`),
      part === undefined ? 'the route' : `${code(part.name)} of the ${part.in}`,
      since,
      until,
      instead
    ])
  )
  return rows.length > 0
    ? table(['route', 'part', 'deprecated since', 'there until', 'use'], rows)
    : 'Nothing is deprecated today.'
}

function scopesTable() {
  return table(
    ['scope', 'allows you to'],
    Object.entries(SCOPES).map(([scope, grants]) => [
      code(scope),
      `${grants.charAt(0).toLowerCase()}${grants.slice(1)}`
    ])
  )
}

function errorsTable() {
  const codes = Object.entries(ERROR_STATUS).map(([name, status]) => [
    status,
    code(name),
    ERROR_MEANING[name as keyof typeof ERROR_STATUS]
  ])
  const others = Object.entries(OTHER_STATUS).map(([status, { meaning }]) => [
    Number(status),
    code('invalid_request'),
    meaning
  ])
  return table(
    ['status', 'code', 'meaning'],
    [...codes, ...others].sort(([a], [b]) => Number(a) - Number(b))
  )
}

const bytes = (size: number) =>
  size >= 1024 ** 3 ? `${size / 1024 ** 3} GiB` : size >= 1024 ** 2 ? `${size / 1024 ** 2} MiB` : `${size / 1024} KiB`
const page = ({ default: usual, max, min = 1 }: { default: number; max: number; min?: number }) =>
  `${min} to ${max}, ${usual} by default`
const number = (count: number) => count.toLocaleString('en')

/** The name of each limit, and its value in words. A new limit needs its line here. */
const LIMIT_ROWS: { [K in keyof typeof LIMITS]: (limit: (typeof LIMITS)[K]) => string[][] } = {
  requestsPerMinute: limit => [['requests of a token in a minute (`RATE_LIMIT_PER_MINUTE`)', number(limit)]],
  assistantsPerMinute: limit => [
    ['requests of a token in a minute, up to which `/mcp` answers (`RATE_LIMIT_ASSISTANT_PER_MINUTE`)', number(limit)]
  ],
  requestsPerDay: limit => [['requests of a token in a day (`RATE_LIMIT_PER_DAY`)', number(limit)]],
  addressFactor: limit => [
    ['requests of a client address without a valid token in a minute', `${limit} times those of a token`]
  ],
  connections: ({ total, perAddress, requests }) => [
    ['connections at once', `${number(perAddress)} of a client address, ${number(total)} of all`],
    ['requests on a connection whose answers are outstanding', `${requests}; beyond, the connection is closed`]
  ],
  tokenSeconds: ({ min, max }) => [['lifetime of a token', `${min / 60} minute to ${max / 86_400} days`]],
  tokens: limit => [['tokens that a user makes in the console', `${limit} that work or are of the last day`]],
  endedTokenDays: limit => [['time for which a token is listed after it was revoked or expired', `${limit} days`]],
  tokenNoticeDays: ({ first, last }) => [['mails before a token expires', `${first} and ${last} days`]],
  signIn: limit => [
    ['life of a link that signs in', `${limit.linkMinutes} minutes`],
    [
      `such links for an address in ${limit.linkMinutes} minutes`,
      `${limit.mails.perNetwork} by a network (a /24 of IPv4, a /48 of IPv6), ${limit.mails.total} by all; besides, ${limit.mails.perNetwork} by a browser that has signed in with the address`
    ],
    ['invitations of the operator to an address in an hour', number(limit.invitationsPerHour)],
    [
      'tries of the code in such a mail',
      `${limit.codes.tries}; in a day, ${limit.codes.perDay} for an address, ${limit.codes.perNetwork} by a network and ${number(limit.codes.total)} for all users, besides those of a browser that has signed in with the address`
    ],
    ['requests for such links of a client address in a minute', number(limit.requestsPerMinute)],
    ['sign-ins at a provider of a client address in a minute', number(limit.providerPerMinute)],
    ['time after which an unused sign-in ends', `${limit.sessionDays} days, of a guest ${limit.guestHours} hours`],
    ['time after which a guest with whom nothing is shared is deleted', `${limit.guestDays} days`],
    ['address that a sign-in leads back to', `${number(limit.path)} characters`]
  ],
  oauth: limit => [
    ['life of an authorization code', `${limit.codeSeconds} seconds`],
    ['life of an access token of an agent', `${limit.accessSeconds / 60} minutes`],
    ['time after which the connection of an idle agent ends', `${limit.refreshDays} days`],
    ['agents of a user', number(limit.agents)],
    [
      'used refresh tokens of an agent of which a second use ends its connection',
      `the latest ${number(limit.refreshTokens)}`
    ],
    ['time for which a used refresh token gets its answer again', `${limit.repeatSeconds} seconds`],
    [
      'registrations of OAuth clients in a minute',
      `${limit.registrationsPerMinute.perClient} with the same name and redirect URIs by a client address, ${limit.registrationsPerMinute.perNetwork} by a network (a /24 of IPv4, a /48 of IPv6)`
    ],
    ['refused token requests of a client address in a minute', number(limit.failuresPerMinute)],
    ['requests for authorization by a user in a minute', number(limit.requestsPerMinute)],
    [
      'OAuth clients that no user has connected',
      `${limit.waiting.perSender} of a client address, ${number(limit.waiting.total)} of all, each for ${limit.waiting.hours} hours`
    ],
    ['time after which an unused client is removed', `${limit.unusedDays} days`],
    [
      'name and redirect URIs of a client',
      `${limit.name} characters; ${limit.redirectUris}, each up to ${number(limit.uri)} characters`
    ],
    ['document of a client', `${bytes(limit.documentBytes)}, read again after ${limit.documentSeconds / 60} minutes`],
    ['`state` of a request for authorization', `${number(limit.state)} characters`]
  ],
  waiting: ({ total, perOwner }) => [
    [
      'changes that wait for the database, large documents that wait to be read, and long transcripts that wait to be written, each at once',
      `${perOwner} of a user, ${total} of all`
    ]
  ],
  pagesPerMinute: limit => [['pages of a signed-in user in a minute', number(limit)]],
  openStreams: ({ total, perOwner }) => [
    ['pages that follow the processing of sessions at once', `${perOwner} of a user, ${number(total)} of a process`]
  ],
  followedSessions: limit => [['sessions whose processing a page follows', number(limit)]],
  sessionsPage: limit => [['`limit` of the sessions list', page(limit)]],
  actionItemsPage: limit => [['`limit` of the action items of all sessions', page(limit)]],
  templatesPage: limit => [['`limit` of summary templates', page(limit)]],
  foldersPage: limit => [['`limit` of folders, where `limit` or `cursor` is sent', page(limit)]],
  peoplePage: limit => [['`limit` of people, where `limit` or `cursor` is sent', page(limit)]],
  personPage: limit => [["`limit` of a person's sessions", page(limit)]],
  eventsWaitSeconds: limit => [['`wait` of the feed', `${limit} seconds`]],
  eventsPage: limit => [['`limit` of the feed', `${page(limit)}, at most ${bytes(limit.bytes)}`]],
  eventDays: limit => [['age of an event', `${limit} days`]],
  tombstoneDays: limit => [['time for which `include=deleted` lists a deleted session', `${limit} days`]],
  eventBytes: limit => [['events of an owner', bytes(limit)]],
  deliveriesPage: limit => [['`limit` of the delivery log', page(limit)]],
  replay: limit => [['events that one replay reads', number(limit)]],
  title: limit => [['title of a session', `${number(limit)} characters`]],
  notes: limit => [['notes of a session', `${number(limit)} characters`]],
  summary: limit => [['summary of a session', `${number(limit)} characters`]],
  tags: ({ max, length }) => [['tags of a session', `${max}, each up to ${length} characters`]],
  actionItems: ({ max, text, assignee, dueDate }) => [
    ['action items of a session', number(max)],
    ['an action item', `text ${number(text)}, assignee ${assignee}, due date ${dueDate} characters`]
  ],
  folderName: limit => [['name of a folder', `${limit} characters`]],
  bulkSessions: limit => [['sessions of a bulk export', number(limit)]],
  recordingSeconds: limit => [['length of a recording', `${number(limit)} s`]],
  webhooks: limit => [['webhooks of a user', number(limit)]],
  webhookHeaders: ({ max, value }) => [['headers of a webhook', `${max}, each up to ${number(value)} characters`]],
  webhookUrl: limit => [['URL of a webhook', `${number(limit)} characters`]],
  sharedPage: limit => [['`limit` of shared sessions', page(limit)]],
  sharedSessions: limit => [['shared sessions that the pages cover', `the latest ${limit}`]],
  sharing: limit => [
    ['changes of sharing by a user in a minute', number(limit.writesPerMinute)],
    ['invites of a user in a day', number(limit.invitesPerDay)],
    ['lifetime of a link or an invite', `${limit.linkDays} days`],
    ['e-mail addresses of an invite', `${limit.emails}, each up to ${limit.email} characters`],
    ['message of an invite', `${limit.message} characters`],
    ['time between two mails of an invite', `${limit.resendMs / 60_000} minutes`]
  ],
  searchResults: limit => [['`limit` of a search', page(limit)]],
  query: limit => [['query of a search', `${number(limit)} characters`]],
  indexedWords: ({ said, about }) => [
    ['terms of a session in the search index', `${number(said)} of the transcript, ${number(about)} of all else`]
  ],
  passages: limit => [['passages of a search result', number(limit)]],
  snippet: limit => [['snippet of a search result', `${limit} characters`]],
  searchBytes: limit => [['body of a search', bytes(limit)]],
  agents: ({ answer, requestBytes }) => [
    ['answer to an assistant at `/mcp`', `${number(answer)} characters`],
    ['body of a request to `/mcp`', bytes(requestBytes)]
  ],
  actionsAnswer: limit => [
    ['answer below `/actions/v1`, which goes on in the next page', `${number(limit)} characters`]
  ],
  patchBytes: limit => [['body of a change of a session', bytes(limit)]],
  idempotencyHours: limit => [['time for which an answer is kept under its `Idempotency-Key`', `${limit} hours`]],
  bodyBytes: limit => [['any other body of `/v1`', bytes(limit)]],
  bodyValues: limit => [['values in a body: objects, lists, strings, numbers, booleans, nulls', number(limit)]],
  documentBytes: limit => [['import document, and a transcript file', bytes(limit)]],
  documentValues: limit => [['values in an import document', number(limit)]],
  transcript: limit => [['transcript', `${number(limit)} characters`]],
  terms: ({ perUser, forms, heard, meant }) => [
    ['terms of a user', number(perUser)],
    ['heard forms of a term', `${forms}, up to ${number(heard)} characters together`],
    ['what a term means', `${meant} characters`]
  ],
  templates: ({ perUser, name, sections, heading, content, defaults }) => [
    ['summary templates of a user', number(perUser)],
    ['name of a summary template', `${name} characters`],
    [
      'sections of a summary template',
      `${sections}, each with a heading of ${heading} characters and ${number(content)} characters on what belongs there, in ${bytes(LIMITS.openBodies.above)}`
    ],
    ['tags, and folders, that a summary template is the default for', number(defaults)]
  ],
  correctedLines: limit => [
    ['lines of a transcript that one request corrects', `${number(limit)}, in ${bytes(LIMITS.openBodies.above)}`]
  ],
  exports: ({ perUser, hours, problems }) => [
    ['exports of a user', `${perUser}, each for ${hours} hours`],
    ['problems that the answer to the import of a library names', number(problems)]
  ],
  speakerLabels: limit => [
    ['speakers of a transcript', `${number(limit)}; the labels of others stay in the text of what they say`]
  ],
  openBodies: ({ above, total, perOwner }) => [
    [`bodies over ${bytes(above)} that arrive at once`, `${bytes(perOwner)} of a user, ${bytes(total)} of all`]
  ],
  uploadBytes: limit => [['upload of a recording', bytes(limit)]],
  openAnswers: ({ above, total, perOwner, ofMemory }) => [
    [
      `answers above ${bytes(above)} that are not read yet, at once`,
      `${bytes(perOwner)} of a user, ${bytes(total)} of all; at most 1/${2 / ofMemory} and 1/${1 / ofMemory} of the server's memory`
    ]
  ],
  longReads: ({ users, guests, stallMs }) => [
    [
      'pages with a long transcript, and bulk exports, at once until they are read',
      `${users.perOwner} of a user, ${users.total} of all; ${guests.perOwner} of a guest, ${guests.total} of all guests`
    ],
    ['time after which one of them that its client does not read is ended', `${stallMs / 1_000} s`]
  ],
  openUploads: ({ total, perOwner }) => [['uploads at once', `${perOwner} of a user, ${total} of all`]],
  quotas: limit => [
    ['recordings and transcripts of a user together (`QUOTA_STORED_GIB`)', bytes(limit.bytes_stored)],
    ['sessions that a user creates in a UTC day (`QUOTA_SESSIONS_PER_DAY`)', number(limit.sessions_per_day)],
    ['folders of a user (`QUOTA_FOLDERS`)', number(limit.folders)],
    ['people of a user (`QUOTA_PEOPLE`)', number(limit.people)]
  ],
  partialUploads: limit => [
    ['unfinished uploads in parts of a user', number(limit.perUser)],
    ['life of an upload in parts', `${limit.ms / 3_600_000} hours`]
  ],
  uploadMs: limit => [['time for an upload or an import document to arrive', `${limit / 60_000} minutes`]]
}

/** The name of each field with a limit, and its unit where that is not a character. */
const FIELD_NAMES: Record<keyof typeof FIELD_LIMITS, string | [name: string, unit: string]> = {
  externalId: '`external_id`',
  platform: '`platform`',
  personName: 'name of a person, of a speaker, of the contact of a call',
  userName: 'name of a user, of a token',
  usersPage: ['`limit` of users', ''],
  language: '`language`',
  telephone: 'telephone number of a call',
  provider: '`provider` of a call',
  fileName: 'name of a file',
  fileNameBytes: ['name of a file', 'bytes'],
  mediaPlace: 'URL or path of a recording',
  shareUrl: 'URL of a link to claim',
  folders: ['folders of an import', ''],
  speakers: ['`speakers` of an import', ''],
  segmentText: 'text of a segment',
  entries: ['segments of a transcript', ''],
  pathPart: 'id in a path',
  id: 'id in a body',
  idOrName: 'id or name in a query or a filter',
  cursor: '`cursor` of a list',
  instant: 'date and time',
  timeZone: '`time_zone` of a user',
  ifMatch: '`If-Match`',
  uploadMetadata: '`Upload-Metadata`',
  uploadChecksum: '`Upload-Checksum`',
  tusVersion: '`Tus-Resumable`',
  listed: ['scopes of a token, event types of a webhook', '']
}

function fieldRow(name: keyof typeof FIELD_LIMITS) {
  const [words, unit] = [FIELD_NAMES[name], 'characters'].flat()
  const limit = FIELD_LIMITS[name]
  return [words ?? '', typeof limit === 'number' ? `${number(limit)} ${unit}`.trim() : page(limit)]
}

function limitsTable() {
  const rowsOf = <K extends keyof typeof LIMITS>(name: K) => LIMIT_ROWS[name](LIMITS[name])
  const rows = (Object.keys(LIMIT_ROWS) as (keyof typeof LIMITS)[]).flatMap(rowsOf)
  return table(
    ['limit', 'value'],
    [...rows, ...(Object.keys(FIELD_NAMES) as (keyof typeof FIELD_LIMITS)[]).map(fieldRow)]
  )
}

/** The metrics of a server without a database, with type and help. Nothing listens at that address. */
export async function exportMetrics() {
  const database = await openDatabase({
    url: 'postgres://127.0.0.1:1/none',
    dataDir: '',
    share: false,
    name: 'guides',
    onError: () => {}
  })
  const { text } = await openMetrics({
    database,
    clock: openSynchronizedClock(),
    embeddingModel: '',
    queues: []
  }).text()
  await database.close()
  return text
}

/** Every metric of our own with its type and help. */
async function metricsTable() {
  const text = await exportMetrics()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  const own = [...text.matchAll(/^# HELP (parlance_\S+) (.+)$/gm)]
  return table(
    ['metric', 'type', 'meaning'],
    own
      .map(([, name = '', help = '']) => [code(name), types.get(name) ?? '', help])
      .sort(([a = ''], [b = '']) => a.localeCompare(b))
  )
}

/** Every command that does something, with its options. */
async function commandSections() {
  const program = await buildProgram()
  return `\n${leavesOf(program).map(sectionOf).join('\n\n')}\n`
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}

function sectionOf(command: Command) {
  const words = (one: Command): string[] => (one.parent ? [...words(one.parent), one.name()] : [])
  const operands = command.registeredArguments.map(argument => [code(nameOf(argument)), argument.description, ''])
  const options = command.options
    .filter(({ long }) => long !== '--json')
    .map(({ flags, description, mandatory, defaultValue }) => [
      code(flags),
      description,
      mandatory
        ? 'required'
        : typeof defaultValue === 'string' || typeof defaultValue === 'number'
          ? code(defaultValue)
          : ''
    ])
  const rows = [...operands, ...options]
  const what = command.description()
  return [
    `### ${words(command).join(' ')}`,
    '',
    `${what.charAt(0).toUpperCase()}${what.slice(1)}.`,
    ...(rows.length === 0 ? [] : ['', table(['option', 'meaning', 'default'], rows)])
  ].join('\n')
}

function nameOf(argument: Argument) {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}
