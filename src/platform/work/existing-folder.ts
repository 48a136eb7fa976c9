import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../core/error-code.ts'

/** Returns the folder, or its closest ancestor that exists. */
export async function findExisting(folder: string): Promise<string> {
  try {
    await stat(folder)
    return folder
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    return await findExisting(dirname(folder))
  }
}
