import Ajv from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { validatorsOf } from '../support/schemas.ts'
import type { Document, Operation } from './document.ts'
import type { Answer, Sent } from './world.ts'

/** What a stack trace, a statement or a path of the program would look like. */
export const INNARDS =
  /\bat [^"]*(?:\.[cm]?[jt]s|node:[\w/]+):\d+:\d+|node_modules|\bselect .+ from\b|\binsert into\b|violates|syntax error at|\/src\//i

/** How zod and Fastify say what is wrong, to the people who write the program. */
export const LIBRARY_WORDS =
  /Invalid (?:input|option|string)|expected .* received|Too (?:big|small):|Unrecognized key|must (?:be|have) |FST_/

/** Reads what is wrong with an answer, by the document that the server gives out; an empty list when nothing is. */
export function checksOf(document: Document) {
  const validatorOf = validatorsOf(document)

  function answerFaults(operation: Operation, { status, headers, text }: Answer): string[] {
    if (status >= 500) return [`answers with ${status}`]
    if (!operation.answers.has(status)) return [`answers with ${status}, which the document does not name`]
    const described = operation.answers.get(status)
    if (!described) return text === '' ? [] : [`${status} has a body`]
    const [type = ''] = String(headers['content-type']).split(';')
    if (!described.types.includes(type)) return [`its type is ${type}, not ${described.types.join(' or ')}`]
    if (type !== 'application/json') return []
    const validate = validatorOf(described.schema)
    if (!validate(JSON.parse(text))) return [`its ${status} is not as described: ${JSON.stringify(validate.errors)}`]
    if (status >= 400 && LIBRARY_WORDS.test(text)) return ['its error is in the words of a library']
    return status >= 400 && INNARDS.test(text) ? ['its error tells of the inside'] : []
  }

  const coercing = new Ajv.default({ strict: false, coerceTypes: true })
  formats.default(coercing)
  const readers = new Map<object, ReturnType<typeof coercing.compile>>()

  /** The first parameter of the query with a value that the document does not allow. */
  function wrongParameter({ operation, query }: Sent) {
    for (const { name, in: where, schema } of operation.parameters) {
      const sent = query.filter(([key]) => key === name)
      // Lists may come in several ways, each of which has tests of its own.
      if (where !== 'query' || sent.length !== 1 || JSON.stringify(schema).includes('"array"')) continue
      const validate = readers.get(schema) ?? coercing.compile({ type: 'object', properties: { value: schema } })
      readers.set(schema, validate)
      if (!validate({ value: sent[0]![1] })) return name
    }
  }

  return function faultsOf(sent: Sent, answer: Answer): string[] {
    const { operation, body, impostor } = sent
    const faults = answerFaults(operation, answer)
    if (impostor > 0 && !operation.isPublic && answer.status !== 401)
      faults.push(`answers an impostor: ${answer.status}`)
    const wrong = answer.status < 300 && wrongParameter(sent)
    if (wrong) faults.push(`takes a value of ${wrong} that the document does not allow`)
    // Null says as little as nothing, which some routes take.
    const isWrong = operation.body && body !== undefined && body !== null && !validatorOf(operation.body)(body)
    if (isWrong && answer.status < 300) faults.push('takes a body that the document does not allow')
    if (answer.headers['x-request-id'] === undefined && answer.headers['request-id'] === undefined)
      faults.push('has no request id')
    return faults
  }
}
