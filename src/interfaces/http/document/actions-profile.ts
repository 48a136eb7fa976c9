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
  'exportSessions',
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

/** The longest description of an operation that GPT actions accept. */
const MAX_DESCRIPTION = 300

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
    const short = operations.map(([method, operation]) => [method, shorten(method, operation)])
    return short.length === 0 ? [] : [[path, Object.fromEntries(short)]]
  })
  const used = JSON.stringify(kept)
  const root = Object.fromEntries(kept)
  return {
    openapi,
    info: { ...info, description: 'Conversations with their summaries, action items and transcripts.' },
    servers: [{ url: serverUrl }],
    tags: tags.filter(({ name }) => used.includes(`"tags":["${name}"]`)),
    paths: root,
    components: {
      securitySchemes: components.securitySchemes,
      schemas: reachable([root, REFUSED], components.schemas),
      responses: { Refused: REFUSED }
    }
  }
}

const REFUSED = {
  description: 'The request is refused; the message says what to do instead.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
}

/** The operation with its JSON answer and one for every refusal. Assistants ask before each call that may change something. */
function shorten(method: string, { description, parameters, responses, ...operation }: Operation) {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return {
    ...operation,
    description: firstSentences(description),
    parameters: parameters.filter(parameter => parameter.in !== 'header'),
    'x-openai-isConsequential': method !== 'get' && !READS.includes(operation.operationId),
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
const READS = ['searchSessions', 'exportSessions']

function firstSentences(description: string) {
  if (description.length <= MAX_DESCRIPTION) return description
  const start = description.slice(0, MAX_DESCRIPTION + 1)
  return start.slice(0, start.lastIndexOf('. ') + 1)
}
