import { ImportDocument } from '../../contract/import-document.ts'
import { refusedByShape } from '../../platform/core/remedy.ts'

/** Reads an import document. Throws an ApiError that names the first invalid field and what is expected there. */
export function readImportDocument(json: unknown): ImportDocument {
  const { data, error } = ImportDocument.safeParse(json)
  if (data) return data
  throw refusedByShape(error)
}
