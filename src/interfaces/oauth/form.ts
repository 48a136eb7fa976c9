import type { FastifyRequest } from 'fastify'
import { ASSERTION_TYPE } from '../../contract/oauth.ts'
import { subjectOf } from '../../features/oauth/client-assertion.ts'
import { OAuthRefusal } from '../../features/oauth/refusal.ts'
import type { ClientCredentials } from '../../features/oauth/token-endpoint.ts'

export type Form = Map<string, string>

/** Reads a form. Parameters without a value count as not sent, and none may be sent twice. */
export function readForm(body: string): Form {
  const params = new URLSearchParams(body)
  const form: Form = new Map()
  for (const [name, value] of params) {
    if (value === '') continue
    if (form.has(name)) throw new OAuthRefusal('invalid_request', 'A parameter is repeated')
    form.set(name, value)
  }
  return form
}

/** Returns the value of a parameter. Throws invalid_request if it is missing. */
export function required(form: Form, name: string) {
  const value = form.get(name)
  if (value === undefined) throw new OAuthRefusal('invalid_request', `Send ${name} in the body`)
  return value
}

/** Returns who the client says it is, by one of the methods that the metadata names. */
export function readCredentials(
  { headers: { authorization } }: Pick<FastifyRequest, 'headers'>,
  form: Form
): ClientCredentials {
  const assertion = readAssertion(form)
  const ways = [authorization, form.get('client_secret'), assertion].filter(way => way !== undefined)
  if (ways.length > 1) throw new OAuthRefusal('invalid_request', 'Authenticate the client in one way')
  if (assertion !== undefined) {
    const clientId = form.get('client_id') ?? subjectOf(assertion)
    if (clientId === undefined) throw new OAuthRefusal('invalid_client', 'The client_assertion names no client')
    return { clientId, secret: undefined, assertion }
  }
  if (authorization === undefined)
    return { clientId: required(form, 'client_id'), secret: form.get('client_secret'), assertion }
  const basic = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization)?.[1]
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic ?? '', 'base64').toString()) ?? []
  const clientId = decode(id)
  if (!clientId || (form.has('client_id') && form.get('client_id') !== clientId))
    throw new OAuthRefusal('invalid_client', 'The Authorization header names no client')
  return { clientId, secret: decode(secret), assertion }
}

function readAssertion(form: Form) {
  const assertion = form.get('client_assertion')
  if (assertion === undefined && !form.has('client_assertion_type')) return undefined
  if (assertion === undefined || form.get('client_assertion_type') !== ASSERTION_TYPE)
    throw new OAuthRefusal('invalid_request', `Send client_assertion with client_assertion_type=${ASSERTION_TYPE}`)
  return assertion
}

/** Both parts of the header are encoded as in a form. */
function decode(part = '') {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
