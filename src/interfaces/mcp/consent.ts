import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Consent } from './tool.ts'

const KEY = 'confirm'

/** Only the newest version of the protocol says with each call what the client can do; of others nothing is remembered. */
export function consentOf({ envelope, inputResponses }: ServerContext['mcpReq']): Consent {
  if (!takesForms(envelope)) return 'unavailable'
  const answered = inputResponse(inputResponses, KEY)
  if (answered.kind !== 'elicit') return 'open'
  return answered.action === 'accept' ? 'given' : 'refused'
}

/** A client that names no kind of elicitation takes forms. */
const Envelope = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() })
  })
})

function takesForms(envelope: unknown) {
  const { data } = Envelope.safeParse(envelope)
  const elicitation = data?.[CLIENT_CAPABILITIES_META_KEY].elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** Has the client ask the user, and call the tool again with the answer. The form is empty: accepting it is the answer. */
export function askFor(message: string): InputRequiredResult {
  const requestedSchema = { type: 'object' as const, properties: {} }
  return inputRequired({ inputRequests: { [KEY]: inputRequired.elicit({ message, requestedSchema }) } })
}
