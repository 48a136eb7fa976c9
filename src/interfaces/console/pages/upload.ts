import { LIMITS } from '../../../contract/limits.ts'
import { RECORDING_FORMATS } from '../../../contract/recording.ts'
import { isArchiveName } from '../../../features/exports/manifest.ts'
import { listFolders } from '../../../features/folders/operations.ts'
import { insertPair } from '../../../features/ingest/insert-pair.ts'
import { beginLibraryImport } from '../../../features/ingest/library/whole-library.ts'
import { insertImport, stageUpload } from '../../../features/ingest/operations.ts'
import { FORM_BYTES, readForm } from '../../../features/ingest/read-form.ts'
import { openUpload } from '../../../features/ingest/upload.ts'
import { type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { FormParts } from '../form-parts.ts'
import { importedPage } from '../imported-page.ts'
import { importView } from '../library-view.ts'
import { type Console, NONE } from '../open-console.ts'
import { type OwnFields, readParts } from '../own-fields.ts'
import { field, select } from '../query-form.ts'
import { TYPE_CHOICES } from '../session-types.ts'

export const UPLOAD_PATH = '/upload'

/**
 * Imports a file, or a recording and its transcript: by a form, or, with the script, many, which wait in a queue where each gets a title, a date and a
 * folder, and are sent in parts.
 */
export function uploadPages({ services, user }: Console) {
  const { transcribes } = services

  user.page(UPLOAD_PATH, NONE, async visit => {
    const { link } = visit
    const { folders } = await listFolders(services, visit.visitor.actor, { limit: LIMITS.foldersPage.max })
    const fields = html`<div>${dropZone(link('/docs/import-formats'), transcribes)}
<noscript><p class="hint">Choose one file, or a recording and its transcript, which become one session.</p></noscript>
<div class="top"><h2 class="group" hidden>Queue <span class="quiet"></span></h2><button class="send">Upload</button></div>
<ul class="queue" aria-live="polite"></ul>
${ROW}</div>
<section class="figure"><h2>For all files</h2>
<div class="alone">${field('title', 'Title', '', { hint: 'that of the file' })}</div>
<label>Folder<input name="folder" list="folders" dir="auto" maxlength="${LIMITS.folderName}" placeholder="none"></label>
<datalist id="folders">${folders.map(({ name }) => html`<option value="${name}"></option>`)}</datalist>
${field('tag', 'Tags', '', { hint: 'sales, weekly' })}
${select('type', 'Type', 'That of the file', TYPE_CHOICES, '')}
${field('timestamp', 'Took place', '', { type: 'datetime-local' })}
<p class="hint">Title and date come from the file if it has them. If the connection breaks, choose the same file again within a day: it goes on from where it
was.</p></section>`
    const recordings = Object.keys(RECORDING_FORMATS).join(' ')
    return {
      title: 'Upload',
      part: 'upload',
      scripts: ['upload.js'],
      main: html`<h1>Upload</h1>
<div class="upload" data-uploads="${link('/uploads')}" data-progress="${link('/progress')}" data-follows="${LIMITS.followedSessions}" data-recordings="${recordings}" data-transcribes="${transcribes ? 'yes' : 'no'}">
${visit.form(UPLOAD_PATH, fields, { class: 'two', parts: true })}</div>`
    }
  })

  user.form(
    UPLOAD_PATH,
    { ...NONE, body: FormParts },
    async (visit, { body: { rest, bytes } }) => {
      const { actor } = visit.visitor
      // A recording may come before its transcript, so what it is without one is known at the end.
      const receiving = { ...services, transcribes: true }
      const announced = bytes - FORM_BYTES - LIMITS.documentBytes
      await using stack = new AsyncDisposableStack()
      const upload = stack.use(openUpload(receiving, actor, announced, { takesPair: true }))
      const own: OwnFields = { modified: undefined, isShort: false }
      const { file, beside, fields } = await readForm(readParts(rest, own), upload, { takesPair: true })
      if (beside === undefined && isArchiveName(file.name)) {
        const library = await beginLibraryImport(services, actor, file.path, fields)
        return importView(visit, library, stack.move())
      }
      await using staged = await stageUpload(services, actor, file, { ...fields, modified: own.modified }, beside)
      const insert = () =>
        beside ? insertPair(services, actor, staged, [file, beside]) : insertImport(services, staged)
      return await importedPage(visit, insert, own)
    },
    { parts: true }
  )
}

/** The place where files are dropped. Without the script, the field of the browser says what is chosen. */
function dropZone(formats: string, transcribes: boolean): Html {
  const kinds = transcribes
    ? html`Audio and video up to 4 GiB, .vtt, .srt, .docx, .txt, the .zip of an exported library, and more.`
    : html`.vtt, .srt, .docx, .txt, the .zip of an exported library, and more. This server can’t transcribe recordings: add a recording together with its transcript.`
  return html`<div class="drop">${icon('upload')}<strong>Drop recordings or transcripts here</strong>
<p class="quiet">${kinds} <a href="${formats}">All formats</a></p>
<input id="file" type="file" name="file" aria-label="Recordings or transcripts" multiple required><label class="button" for="file" hidden>Choose files</label></div>`
}

/** A row of the queue, which the script fills in for each file. The dates and folders of a row go before those for all files. */
const ROW = html`<template><li>${icon('recording')}${icon('import')}<div class="what"><p class="f"><bdi></bdi></p><p class="quiet"></p></div>
<div class="state"></div><span class="acts"></span>
<div class="fields"><label>Title<input data-own="title" dir="auto" maxlength="${LIMITS.title}" placeholder="that of the file"></label><label>Took place<input data-own="date" type="datetime-local"></label><label>Folder<input data-own="folder" list="folders" dir="auto" maxlength="${LIMITS.folderName}" placeholder="as for all files"></label></div></li></template>`
