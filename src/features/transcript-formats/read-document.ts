import { ArchivedDocument, ImportDocument } from '../../contract/import-document.ts'
import { refusedByShape } from '../../platform/core/remedy.ts'

/** Reads an import document. Throws an ApiError that names the first invalid field and what is expected there. */
export function readImportDocument(json: unknown): ImportDocument {
  return read(ImportDocument, json)
}

/** Reads a document of an archive, which needs no transcript. Throws like `readImportDocument`. */
export function readArchivedDocument(json: unknown): ImportDocument {
  return read(ArchivedDocument, json)
}

function read(shape: typeof ImportDocument | typeof ArchivedDocument, json: unknown) {
  const { data, error } = shape.safeParse(json)
  if (data) return data
  throw refusedByShape(error)
}
