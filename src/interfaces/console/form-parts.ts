import type { Multipart } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'

/** A form with a file, whose parts are read as they arrive. */
export interface FormParts {
  /** The token of the form, which is its first part, so that nothing of a foreign form is stored. */
  token: string
  /** The parts after it. Fields that were left empty are left out. */
  rest: AsyncIterable<Multipart>
  /** The bytes of the whole form. */
  bytes: number
}

export const FormParts = z.custom<FormParts>()

export async function openParts(request: FastifyRequest, reply: FastifyReply, tokenField: string): Promise<FormParts> {
  // The unread rest of a refused form must not hold the connection up.
  reply.raw.once('finish', () => void request.raw.unpipe().resume())
  const bytes = Number(request.headers['content-length'] ?? 0)
  if (!request.isMultipart()) return { token: '', rest: nothing(), bytes }
  const parts = request.parts()
  const first = (await parts.next()).value
  const token = first?.type === 'field' && first.fieldname === tokenField ? String(first.value) : ''
  return { token, rest: filledIn(parts), bytes }
}

async function* nothing() {}

async function* filledIn(parts: AsyncIterable<Multipart>) {
  for await (const part of parts) if (part.type === 'file' || part.value !== '') yield part
}
