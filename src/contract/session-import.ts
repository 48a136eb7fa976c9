import { z } from 'zod'
import { queryOneOf, sentOnce, visible } from './common.ts'
import { localInstantOrDay } from './day-or-instant.ts'
import { folderName } from './folder.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'
import { finishedUpload } from './part-upload.ts'
import { SESSION_TYPES } from './session.ts'
import { oneLine } from './text.ts'

const fileError = 'the name of a file with its ending, such as weekly.vtt or call.mp3'

/** A parameter that may be repeated. */
function several<T extends z.ZodType>(value: T, max: number) {
  const error = `it at most ${max} times`
  return z
    .preprocess(sent => (sent === undefined ? undefined : [sent].flat()), z.array(value).max(max, error).optional())
    .optional()
}

const UploadQuery = z.object({
  file: z
    .string(sentOnce(fileError))
    .max(FIELD_LIMITS.fileName, fileError)
    .regex(/^[^/\\\p{Cc}]+\.[a-z0-9]+$/iu, fileError)
    // The longest name that file systems take.
    .refine(name => new TextEncoder().encode(name).length <= FIELD_LIMITS.fileNameBytes, fileError)
    .meta({ description: 'The name of the file. Its extension determines the format.', examples: ['weekly.vtt'] }),
  external_id: visible(FIELD_LIMITS.externalId)
    .optional()
    .meta({ description: 'Your own id of the conversation. Without one, imports are compared by content.' }),
  title: visible(LIMITS.title).optional(),
  type: queryOneOf(SESSION_TYPES).optional(),
  timestamp: localInstantOrDay.optional().meta({
    description: 'When the conversation took place. Without an offset it is in the time zone of the user.'
  }),
  platform: visible(FIELD_LIMITS.platform).overwrite(oneLine).optional(),
  tag: several(visible(LIMITS.tags.length), LIMITS.tags.max).meta({
    description: 'Repeat the parameter for several tags.'
  }),
  folder: several(folderName, FIELD_LIMITS.folders).meta({
    description:
      'The name of a folder for the session, created if it does not exist. Repeat the parameter for several folders.'
  })
})

/** The query of an upload whose name may also come from its form. */
export const FormUploadQuery = UploadQuery.partial({ file: true })

/** The query of an upload whose file may also have arrived in parts. */
export const UploadSessionQuery = FormUploadQuery.extend({ upload: finishedUpload })
