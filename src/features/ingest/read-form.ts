import type { Multipart } from '@fastify/multipart'
import { FormUploadQuery } from '../../contract/session-import.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { codeOf } from '../../platform/core/error-code.ts'
import { readShape, refusedByShape } from '../../platform/core/remedy.ts'
import { unstorableError } from '../../platform/core/unstorable-text.ts'
import type { StoredFile } from '../../platform/ports/reader.ts'
import type { Upload } from './upload.ts'

const FILE_NAME = FormUploadQuery.shape.file.unwrap()
const FIELDS = FormUploadQuery.omit({ file: true }).strict()

/** The maximum of fields in a form besides its file: 20 tags, 50 folders, and the rest. */
const FORM_LIMITS = { fields: 100, parts: 101, fieldSize: 64 * 1024, headerSize: 16 * 1024 }

/** The options of @fastify/multipart for a form with a file. `openUpload` bounds the file by what it is. */
export const FORM_OPTIONS = {
  limits: { ...FORM_LIMITS, fileSize: Number.POSITIVE_INFINITY },
  throwFileSizeLimit: false
}

/** The largest form without its file: each field with its header. */
export const FORM_BYTES = FORM_LIMITS.parts * (FORM_LIMITS.fieldSize + FORM_LIMITS.headerSize)

/** How a form is read: the names that the request has given besides, and whether it may have a recording beside its transcript. */
interface Reading {
  name?: string | undefined
  externalId?: string | undefined
  takesPair?: boolean
}

/**
 * Stores the file of a form with its own name or the given one, and returns it and the other fields. They may come before the file or
 * after it; those before it are checked before a byte is stored.
 */
export async function readForm(
  parts: AsyncIterable<Multipart>,
  upload: Upload,
  { name, externalId, takesPair = false }: Reading
) {
  const sent = new Map<string, unknown[]>()
  const files: StoredFile[] = []
  try {
    for await (const part of parts) {
      if (part.type === 'field') sent.set(part.fieldname, [...(sent.get(part.fieldname) ?? []), part.value])
      else if (files.length === (takesPair ? 2 : 1))
        throw invalid({ field: part.fieldname, expected: takesPair ? PAIR : 'one file in each request' })
      else {
        const fields = parseFields(sent)
        files.push(
          await upload.store(parseFileName(name ?? part.filename), part.file, externalId ?? fields.external_id)
        )
      }
    }
  } catch (error) {
    throw error instanceof ApiError ? error : invalid({ problem: formErrorOf(error) })
  }
  const [file, beside] = files
  if (file === undefined)
    throw invalid({
      field: 'file',
      expected: 'the file as a part of the form, for example with curl -F file=@weekly.vtt'
    })
  return { file, beside, fields: parseFields(sent) }
}

const PAIR = 'one file, or a recording and its transcript'

function parseFileName(name: string | undefined) {
  const { data, error } = FILE_NAME.safeParse(name)
  if (error) throw refusedByShape(error, 'file')
  return data
}

function parseFields(sent: Map<string, unknown[]>) {
  const fields = [...sent].map(([field, values]) => [field, values.length > 1 ? values : values[0]])
  const data = readShape(FIELDS, Object.fromEntries(fields), 'form')
  const unstorable = unstorableError(data)
  if (unstorable) throw unstorable
  return data
}

/** A sentence on a form that the parser refuses. */
function formErrorOf(error: unknown) {
  return (
    FORM_ERRORS[codeOf(error)] ?? 'The form is not valid multipart/form-data, or did not arrive whole; send it again'
  )
}

const TOO_MANY = `The form has too many fields; send at most ${FORM_LIMITS.fields}`
const FORM_ERRORS: Record<string, string> = {
  FST_FIELDS_LIMIT: TOO_MANY,
  FST_PARTS_LIMIT: TOO_MANY,
  FST_PROTO_VIOLATION: 'The form has a field with a reserved name, such as constructor; leave it out',
  FST_INVALID_JSON_FIELD_ERROR: 'The form has a field that is not the JSON that its type says; send it as text'
}
