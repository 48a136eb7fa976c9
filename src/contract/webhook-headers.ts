import { z } from 'zod'
import { LIMITS } from './limits.ts'

const { max, name: nameLength, value: valueLength } = LIMITS.webhookHeaders

/** Headers of a connection, those that frame a request, and those that the server writes. */
const RESERVED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
  'content-length',
  'content-type',
  'content-encoding',
  'user-agent'
])
const SIGNATURE = /^(x-svc-)?webhook-/

const listError = `an object of at most ${max} header names with their values`
const nameError = `names of at most ${nameLength} letters, digits and hyphens, each once`
const valueError = `a value of at most ${valueLength} visible ASCII characters, with single spaces between them at most`

/** A value has no space at its ends, which HTTP removes. */
const value = z
  .string({ error: valueError })
  .max(valueLength, valueError)
  .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, valueError)

export const webhookHeaders = z
  .record(z.string(), value, { error: listError })
  .superRefine((headers, context) => {
    const names = Object.keys(headers).map(name => name.toLowerCase())
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    if (names.length > max) refuse(listError)
    const isName = (name: string) => name.length <= nameLength && /^[a-z\d]+(-[a-z\d]+)*$/.test(name)
    if (!names.every(isName) || new Set(names).size < names.length) refuse(nameError)
    else if (names.some(name => RESERVED.has(name) || SIGNATURE.test(name)))
      refuse('other names: those of the connection, the body, the client and the signature are taken')
  })
  .meta({
    maxProperties: max,
    propertyNames: { type: 'string', maxLength: nameLength },
    description: `Headers to send with each delivery, such as a key of your receiver. Up to ${max}. They are stored encrypted and never returned; \`header_names\` has their names.`,
    examples: [{ Authorization: 'Bearer receiver-key' }]
  })
