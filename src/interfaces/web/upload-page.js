// Runs in the page of uploads: files wait in a queue, where each gets a title, a date and a folder, and are sent one after another.
import { follow } from './progress.js'
import { openRow, WORDS } from './queue.js'
import { Refused, transfer } from './transfer.js'

const page = document.querySelector('.upload')
const form = page.querySelector('form')
const input = form.querySelector('input[type=file]')
const zone = form.querySelector('.drop')
const head = form.querySelector('.group')
const button = form.querySelector('.send')

const RECORDINGS = new Set(page.dataset.recordings.split(' '))
const isRecording = ({ name }) => RECORDINGS.has(name.split('.').at(-1).toLowerCase())

/** The rows of the queue. */
const rows = []
let sending = false

input.required = false
input.classList.add('hidden')
zone.querySelector('label').hidden = false
form.querySelector('.alone').remove()
button.hidden = true

input.addEventListener('change', () => {
  add([...input.files])
  input.value = ''
})
form.addEventListener('submit', event => {
  event.preventDefault()
  void sendAll()
})
for (const name of ['dragenter', 'dragover'])
  zone.addEventListener(name, event => {
    event.preventDefault()
    zone.classList.add('over')
  })
for (const name of ['dragleave', 'drop']) zone.addEventListener(name, () => zone.classList.remove('over'))
zone.addEventListener('drop', event => {
  event.preventDefault()
  add([...event.dataTransfer.files])
})

function add(files) {
  for (const { file, beside } of pairs(files)) {
    const row = openRow(form, { file, beside, isRecording: isRecording(file) })
    rows.push(row)
    if (isRecording(file) && !beside && page.dataset.transcribes === 'no')
      row.fail('This server can’t transcribe recordings. Choose the recording together with its transcript.', {
        onRemove: () => remove(row)
      })
    else wait(row)
  }
  count()
}

/** A recording and a transcript of the same name are one conversation, and so are two files that are chosen alone. */
function pairs(files) {
  const stem = ({ name }) => name.replace(/\.[^.]*$/, '')
  const others = new Set(files.filter(file => !isRecording(file) && !/\.zip$/i.test(file.name)))
  const found = new Map()
  for (const file of files.filter(isRecording)) {
    const beside = [...others].find(other => stem(other) === stem(file) || files.length === 2)
    if (!beside) continue
    others.delete(beside)
    found.set(file, beside)
  }
  const taken = new Set(found.values())
  return files.filter(file => !taken.has(file)).map(file => ({ file, beside: found.get(file) }))
}

function wait(row) {
  row.wait({
    onRemove: () => remove(row),
    onPart() {
      const at = rows.indexOf(row)
      const parts = [row.file, row.beside].map(file => openRow(form, { file, isRecording: isRecording(file) }))
      row.element.replaceWith(...parts.map(part => part.element))
      rows.splice(at, 1, ...parts)
      for (const part of parts) wait(part)
      count()
    }
  })
}

function remove(row) {
  row.element.remove()
  rows.splice(rows.indexOf(row), 1)
  count()
  input.focus()
}

/** Says how many files there are, and how many the button sends. */
function count() {
  const waiting = rows.filter(({ state }) => state === 'waiting').length
  const done = rows.filter(({ state }) => state === 'done').length
  head.hidden = rows.length === 0
  head.querySelector('span').textContent =
    `${rows.length === 1 ? '1 conversation' : `${rows.length} conversations`}${done > 0 ? `, ${done} done` : ''}`
  button.hidden = waiting === 0
  button.textContent = waiting === 1 ? 'Upload' : `Upload ${waiting} conversations`
}

/** Sends what waits, in turn. A single conversation leads to its session. */
async function sendAll() {
  if (sending) return
  sending = true
  let session
  for (;;) {
    const row = rows.find(({ state }) => state === 'waiting')
    if (!row) break
    session = await send(row)
    count()
  }
  sending = false
  if (rows.length === 1 && session) location.assign(session)
}

/** Sends the files of a row, and returns the address of their session, or undefined for a library, and if they were refused or cancelled. */
async function send(row) {
  const stopped = new AbortController()
  const moving = row.send({ onCancel: () => stopped.abort() })
  count()
  const outcome = await attempt(row, { signal: stopped.signal, ...moving })
  if (outcome.imported) row.finish('Done', { note: outcome.imported })
  else if (outcome.session === undefined)
    row.fail(outcome.problem, { onRemove: () => remove(row), onRetry: () => again(row) })
  else if (outcome.known)
    row.finish('Already here', { open: outcome.session, note: WORDS[outcome.known], kind: 'warn' })
  else watch(outcome.session, row)
  return outcome.session
}

function again(row) {
  wait(row)
  void sendAll()
}

/** Sends files with the fields as they are now. */
async function attempt({ file, beside, fields: own }, options) {
  const empty = [file, beside].find(one => one?.size === 0)
  if (empty) return { problem: 'The file is empty. Choose a transcript or a recording.' }
  const { _form: token, file: _, ...common } = Object.fromEntries(new FormData(form))
  const sent = {
    uploads: page.dataset.uploads,
    whole: form.action,
    token,
    beside,
    fields: {
      _form: token,
      ...common,
      ...own(),
      answer: 'short',
      modified: new Date(file.lastModified).toISOString()
    }
  }
  try {
    return await transfer(file, { ...sent, ...options })
  } catch (error) {
    if (options.signal.aborted) return { problem: 'Cancelled' }
    if (error instanceof Refused) return { problem: error.message }
    throw error
  }
}

/** The rows whose sessions are being processed, by the id of the session. One stream follows them all. */
const followed = new Map()
let stopFollowing = () => {}

function watch(session, row) {
  row.process(session)
  followed.set(new URL(session, location.href).pathname.split('/').at(-1), { session, row })
  stopFollowing()
  stopFollowing = follow([...followed.keys()].slice(-page.dataset.follows), {
    address: ids => `${page.dataset.progress}?${new URLSearchParams(ids.map(id => ['session', id]))}`,
    page: id => followed.get(id).session,
    onProgress({ id, progress, waiting_reason: why }) {
      followed.get(id).row.progress(progress, why)
    },
    onSettled(id, state) {
      const { session: open, row: settled } = followed.get(id)
      followed.delete(id)
      if (state === 'completed') settled.finish('Done', { open, kind: 'good' })
      else settled.finish('Failed', { open, note: WORDS[state], kind: 'failed' })
      count()
    }
  })
}
