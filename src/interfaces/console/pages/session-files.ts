import { TRANSCRIPT_TYPES, transcriptFormat } from '../../../contract/transcript.ts'
import { exportSessions, getSession } from '../../../features/sessions/operations.ts'
import { getTranscriptFile } from '../../../features/transcripts/operations.ts'
import { fileName } from '../../../platform/net/attachment.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { SessionParams } from '../session-address.ts'

const FileParams = pathParams({ id: pathId('ses'), format: transcriptFormat })

/** The files of a session. */
export function sessionFiles({ services, user }: Console) {
  user.page('/s/:id/transcript.:format', { ...NONE, params: FileParams }, async ({ visitor }, { params }) => {
    const { id, format } = params
    const { title, content } = await getTranscriptFile(services, visitor.actor, id, { format })
    return { file: fileName(title, format), type: `${TRANSCRIPT_TYPES[format]}; charset=utf-8`, content }
  })

  user.page('/s/:id/session.json', { ...NONE, params: SessionParams }, async ({ visitor }, { params: { id } }) => {
    const { title } = await getSession(services, visitor.actor, id)
    const request = { session_ids: [id], include_transcript: true, include_summary: true }
    const content = await exportSessions(services, visitor.actor, request)
    return { file: fileName(title, 'json'), type: 'application/json; charset=utf-8', content, held: content }
  })
}
