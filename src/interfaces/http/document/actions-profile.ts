import { LIMITS } from '../../../contract/limits.ts'
import { reachable } from './complete-document.ts'
import { copyOf, type Json, type JsonObject } from './document-parameters.ts'

/** The operations that an assistant needs to answer questions about conversations and to keep them in order. None deletes. */
const OPERATIONS = [
  'listSessions',
  'getSession',
  'updateSession',
  'createSession',
  'retrySession',
  'getStats',
  'searchSessions',
  'getTranscript',
  'getMedia',
  'getActionItems',
  'listActionItems',
  'updateActionItem',
  'listFolders',
  'getFolder',
  'createFolder',
  'updateFolder',
  'addSessionToFolder',
  'removeSessionFromFolder',
  'listPeople',
  'listPersonSessions',
  'createPerson',
  'updatePerson',
  'correctSpeaker',
  'listSharedSessions',
  'getSharedSession',
  'getSharedTranscript',
  'getSharedActionItems',
  'getAccount'
]

/** Returns whether the profile has the operation. */
export function isOfActions(name: unknown) {
  return OPERATIONS.some(operation => operation === name)
}

/** The longest description of an operation that GPT actions accept. */
const MAX_DESCRIPTION = 300

/** Every read takes one, because any answer may be longer than an assistant takes. */
const CURSOR = {
  in: 'query',
  name: 'cursor',
  required: false,
  schema: { type: 'string' },
  description: 'The `next_cursor` of the answer before. The rest of the request stays the same.'
}

interface Operation {
  operationId: string
  description: string
  parameters: JsonObject[]
  responses: Record<string, { content: Json }>
}

interface Document {
  openapi: string
  info: JsonObject
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: JsonObject; securitySchemes: JsonObject }
}

/** The profile `actions` of the document, for assistants and bridges that take few operations, short descriptions and no headers. */
export function toActionsProfile(document: object, serverUrl: string) {
  const { openapi, info, tags, paths, components }: Document = copyOf(document)
  const kept = Object.entries(paths).flatMap(([path, methods]) => {
    const operations = Object.entries(methods).filter(([, { operationId }]) => OPERATIONS.includes(operationId))
    const short = operations.map(([method, operation]) => [method, shorten(operation)])
    return short.length === 0 ? [] : [[path, Object.fromEntries(short)]]
  })
  const used = JSON.stringify(kept)
  const root = Object.fromEntries(kept)
  const schemas = reachable([root, REFUSED], components.schemas)
  for (const operation of Object.values(paths).flatMap(Object.values))
    if (isOfActions(operation.operationId)) addPage(operation, schemas)
  return {
    openapi,
    info: { ...info, description: ABOUT },
    servers: [{ url: `${serverUrl}/actions` }],
    tags: tags.filter(({ name }) => used.includes(`"tags":["${name}"]`)),
    paths: root,
    components: {
      securitySchemes: components.securitySchemes,
      schemas,
      responses: { Refused: REFUSED }
    }
  }
}

/** Adds the end of a page to the answer of a read that has none for other callers. */
function addPage({ operationId, responses }: Operation, schemas: JsonObject) {
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content
  const name = /"#\/components\/schemas\/([^"]+)"/.exec(JSON.stringify(Object(answer)['application/json'] ?? ''))?.[1]
  const { properties } = Object(name === undefined ? undefined : schemas[name])
  if (isRead(operationId) && properties && !properties.next_cursor) Object.assign(properties, copyOf(PAGE))
}

const PAGE = {
  next_cursor: { type: 'string', description: 'Present if more follows. Pass it as `cursor` to read on.' },
  has_more: { type: 'boolean' }
}

const ABOUT = [
  'Conversations with their summaries, action items and transcripts.',
  `An answer has at most ${LIMITS.actionsAnswer.toLocaleString('en')} characters.`,
  'If more follows, it has `next_cursor`: repeat the request with it as `cursor`. A text or list of which a page has no part is empty there.',
  'A transcript that does not fit on one page has segments only, if it has times.'
].join(' ')

const REFUSED = {
  description: 'The request is refused; the message says what to do instead.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
}

/** The operation with its JSON answer and one for every refusal. Assistants ask before each call that may change something. */
function shorten({ description, parameters, responses, ...operation }: Operation) {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const taken = parameters.filter(({ in: place, name }) => place !== 'header' && name !== 'cursor')
  return {
    ...operation,
    description: firstSentences(description),
    parameters: isRead(operation.operationId) ? [...taken, CURSOR] : taken,
    'x-openai-isConsequential': !isRead(operation.operationId),
    responses: {
      ...Object.fromEntries(
        answers.map(([status, { content }]) => [
          status,
          { description: 'Success.', content: { 'application/json': Object(content)['application/json'] } }
        ])
      ),
      '4XX': { $ref: '#/components/responses/Refused' }
    }
  }
}

/** Operations that change nothing although they are no GET. */
const READS = ['searchSessions']

/** Returns whether an operation of the profile changes nothing, so that a long answer can be read on. */
export function isRead(name: unknown) {
  return READS.some(read => read === name) || /^(?:get|list)[A-Z]/.test(String(name))
}

function firstSentences(description: string) {
  if (description.length <= MAX_DESCRIPTION) return description
  const start = description.slice(0, MAX_DESCRIPTION + 1)
  return start.slice(0, start.lastIndexOf('. ') + 1)
}
