import { validatorsOf } from '../support/schemas.ts'
import type { Document, Operation } from './document.ts'
import type { Answer, Sent } from './world.ts'

/** What a stack trace, a statement or a path of the program would look like. */
const INNARDS = /\bat .+:\d+:\d+|node_modules|\bselect .+ from\b|\binsert into\b|violates|syntax error at|\/src\//i

/** Reads what is wrong with an answer, by the document that the server gives out; an empty list when nothing is. */
export function checksOf(document: Document) {
  const validatorOf = validatorsOf(document)

  function answerFaults(operation: Operation, { status, headers, text }: Answer): string[] {
    if (status >= 500) return [`answers with ${status}`]
    if (!operation.answers.has(status)) return [`answers with ${status}, which the document does not name`]
    const described = operation.answers.get(status)
    if (!described) return text === '' ? [] : [`${status} has a body`]
    if (!String(headers['content-type']).startsWith(described.type))
      return [`its type is ${headers['content-type']}, not ${described.type}`]
    if (described.type !== 'application/json') return []
    const validate = validatorOf(described.schema)
    if (!validate(JSON.parse(text))) return [`its ${status} is not as described: ${JSON.stringify(validate.errors)}`]
    return status >= 400 && INNARDS.test(text) ? ['its error tells of the inside'] : []
  }

  return function faultsOf({ operation, body, anonymous }: Sent, answer: Answer): string[] {
    const faults = answerFaults(operation, answer)
    if (anonymous && !operation.isPublic && answer.status !== 401) faults.push(`answers without a token: ${answer.status}`)
    // Null says as little as nothing, which some routes take.
    const isWrong = operation.body && body !== undefined && body !== null && !validatorOf(operation.body)(body)
    if (isWrong && answer.status < 300) faults.push('takes a body that the document does not allow')
    if (answer.headers['x-request-id'] === undefined && answer.headers['request-id'] === undefined) faults.push('has no request id')
    return faults
  }
}
