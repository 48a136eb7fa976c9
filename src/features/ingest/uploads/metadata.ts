import { FormUploadQuery } from '../../../contract/session-import.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import { refusedByShape } from '../../../platform/core/remedy.ts'

const FILE_NAME = FormUploadQuery.shape.file.unwrap()
const PAIR = /^([!-+\--~]+)(?: ([A-Za-z0-9+/]*={0,2}))?$/

/** Reads the name of the file from the metadata of an upload: `filename`, as the clients of tus send it, or `name`. */
export function readFileName(metadata: string) {
  const values = new Map<string, string>()
  // Some clients end the list with a comma.
  const pairs = metadata.split(',').map(text => text.trim())
  for (const pair of pairs.filter(text => text !== '')) {
    const [, key, value = ''] = PAIR.exec(pair) ?? []
    if (key === undefined)
      throw invalid({ field: 'upload_metadata', expected: 'filename and the name of the file in base64' })
    values.set(key, Buffer.from(value, 'base64').toString())
  }
  const { data, error } = FILE_NAME.safeParse(values.get('filename') ?? values.get('name'))
  if (error) throw refusedByShape(error, 'upload_metadata')
  return data
}
