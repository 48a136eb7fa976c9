import { recordingExtension } from '../../../contract/recording.ts'
import { addRecording } from '../../../features/ingest/add-recording.ts'
import { FORM_BYTES, readForm } from '../../../features/ingest/read-form.ts'
import { openUpload } from '../../../features/ingest/upload.ts'
import { invalid } from '../../../platform/core/api-error.ts'
import { FormParts } from '../form-parts.ts'
import { type Console, NONE } from '../open-console.ts'
import { SessionParams } from '../session-address.ts'

/** Adds a recording to a session that has its words. It needs no speech model. */
export function sessionRecording({ services, user }: Console) {
  user.form(
    '/s/:id/recording',
    { ...NONE, params: SessionParams, body: FormParts },
    async ({ visitor: { actor } }, { params: { id }, body: { rest, bytes } }) => {
      await using upload = openUpload({ ...services, transcribes: true }, actor, bytes - FORM_BYTES)
      const { file } = await readForm(rest, upload, {})
      if (recordingExtension(file.path) === undefined)
        throw invalid({ field: 'file', problem: 'The file is no recording', expected: 'audio or video' })
      await addRecording(services, actor, id, file)
      return { to: `/s/${id}` }
    },
    { parts: true }
  )
}
