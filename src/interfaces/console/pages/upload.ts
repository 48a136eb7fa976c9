import type { Multipart } from '@fastify/multipart'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { SESSION_TYPES } from '../../../contract/session.ts'
import { isArchiveName } from '../../../features/exports/manifest.ts'
import { listFolders } from '../../../features/folders/operations.ts'
import { beginLibraryImport } from '../../../features/ingest/library/whole-library.ts'
import { insertImport, stageUpload } from '../../../features/ingest/operations.ts'
import { FORM_BYTES, readForm } from '../../../features/ingest/read-form.ts'
import { openUpload } from '../../../features/ingest/upload.ts'
import { html } from '../../web/html.ts'
import { FormParts } from '../form-parts.ts'
import { importedPage } from '../imported-page.ts'
import { importView } from '../library-view.ts'
import { Modified } from '../modified.ts'
import { type Console, NONE } from '../open-console.ts'
import { field, select } from '../query-form.ts'
import { readTags } from '../tags.ts'

export const UPLOAD_PATH = '/upload'

/** Imports a file: by a form, or, with the script, by dropping several, which are sent in parts. */
export function uploadPages({ services, user }: Console) {
  user.page(UPLOAD_PATH, NONE, async visit => {
    const { folders } = await listFolders(services, visit.visitor.actor, { limit: LIMITS.foldersPage.max })
    const types = SESSION_TYPES.map(type => ({ value: type, words: type }))
    const fields = html`<details class="filters"><summary>Title, type, date, tags, folder</summary><div class="grid">
${field('title', 'Title', '', { hint: 'that of the file' })}
${select('type', 'Type', 'that of the file', types, '')}
${field('timestamp', 'Took place at', '', { type: 'datetime-local' })}
${field('tag', 'Tags', '', { hint: 'sales, weekly' })}
<label>Folder<input name="folder" list="folders" dir="auto" maxlength="${LIMITS.folderName}"></label>
<datalist id="folders">${folders.map(({ name }) => html`<option value="${name}"></option>`)}</datalist></div></details>
<label for="file">A transcript${services.transcribes ? ' or a recording' : ''}</label>
<div class="drop"><input id="file" type="file" name="file" required><p class="hint" hidden>Drop files here, or choose them. If you close the page before a file has arrived, choose it again within a day: it goes on from where it was.</p></div>
<button>Upload</button>
<ul class="transfers" aria-live="polite"></ul>`
    const kinds = services.transcribes
      ? 'Recordings up to 4 GiB; transcripts'
      : 'This server can’t transcribe recordings: add the transcript, and then its recording on the page of the session. Transcripts'
    return {
      title: 'Upload',
      part: 'upload',
      scripts: ['upload.js'],
      main: html`<h1>Upload</h1>
<p class="about">${kinds} as .vtt, .srt, .txt, .md, .docx, .tsv, .csv, .sbv, .ttml, the .json of a transcription tool, or the .zip of an exported library.
<a href="${visit.link('/docs/import-formats')}">All formats</a></p>
<div class="upload" data-uploads="${visit.link('/uploads')}" data-progress="${visit.link('/progress')}" data-follows="${LIMITS.followedSessions}">
${visit.form(UPLOAD_PATH, fields, { parts: true })}</div>`
    }
  })

  user.form(
    UPLOAD_PATH,
    { ...NONE, body: FormParts },
    async (visit, { body: { rest, bytes } }) => {
      const { actor } = visit.visitor
      await using stack = new AsyncDisposableStack()
      const upload = stack.use(openUpload(services, actor, bytes - FORM_BYTES))
      const own: OwnFields = { modified: undefined }
      const { file, fields } = await readForm(readParts(rest, own), upload, { name: undefined, externalId: undefined })
      if (isArchiveName(file.name)) {
        const library = await beginLibraryImport(services, actor, file.path, fields)
        return importView(visit, library, stack.move())
      }
      await using staged = await stageUpload(services, actor, file, { ...fields, ...own })
      return { to: await importedPage(() => insertImport(services, staged)) }
    },
    { parts: true }
  )
}

/** The fields of the form that the API doesn't have. */
interface OwnFields {
  modified: Date | undefined
}

/** Keeps the fields that the API doesn't have. The API takes a field for each tag, people write them into one. */
async function* readParts(parts: AsyncIterable<Multipart>, own: OwnFields): AsyncGenerator<Multipart> {
  for await (const part of parts) {
    if (part.type === 'field' && part.fieldname === 'modified') own.modified = Modified.parse(part.value)
    else if (part.type !== 'field' || part.fieldname !== 'tag') yield part
    else
      for (const value of readTags(String(part.value).slice(0, FIELD_LIMITS.listed * LIMITS.tags.length)))
        yield { ...part, value }
  }
}
