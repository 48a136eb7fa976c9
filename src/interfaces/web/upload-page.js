// Runs in the page of uploads: files are sent one after another, also those that are dropped, with the progress of transfer and processing.
import { follow } from './progress.js'
import { Refused, transfer } from './transfer.js'

const page = document.querySelector('.upload')
const form = page.querySelector('form')
const input = form.querySelector('input[type=file]')
const zone = form.querySelector('.drop')
const list = form.querySelector('.transfers')

input.multiple = true
form.querySelector('.hint').hidden = false

form.addEventListener('submit', event => {
  event.preventDefault()
  void sendAll([...input.files])
})
for (const name of ['dragenter', 'dragover'])
  zone.addEventListener(name, event => {
    event.preventDefault()
    zone.classList.add('over')
  })
for (const name of ['dragleave', 'drop']) zone.addEventListener(name, () => zone.classList.remove('over'))
zone.addEventListener('drop', event => {
  event.preventDefault()
  void sendAll([...event.dataTransfer.files])
})

/** Sends files in turn. A single one leads to its session. */
async function sendAll(files) {
  let session
  for (const file of files) session = await send(file)
  if (files.length === 1 && session) location.assign(session)
}

/** Sends one file, and returns the address of its session, or undefined for a library, and if it was refused or cancelled. */
async function send(file) {
  const row = document.createElement('li')
  const name = document.createElement('bdi')
  const bar = document.createElement('progress')
  const stop = document.createElement('button')
  const why = document.createElement('span')
  const stopped = new AbortController()
  name.textContent = file.name
  bar.max = file.size
  bar.value = 0
  bar.setAttribute('aria-label', `Transfer of ${file.name}`)
  stop.type = 'button'
  stop.className = 'plain'
  stop.textContent = 'Cancel'
  stop.addEventListener('click', () => stopped.abort())
  why.className = 'why'
  row.className = 'moving'
  row.append(name, bar, stop, why)
  list.append(row)
  const outcome = await attempt(file, {
    signal: stopped.signal,
    onSent(bytes) {
      bar.value = bytes
    },
    onWait(words) {
      why.textContent = words === undefined ? '' : `${words.replace(/\.$/, '')}. It goes on by itself.`
    }
  })
  row.className = ''
  row.replaceChildren(name)
  if (outcome.imported) {
    row.append(outcome.imported)
    return undefined
  }
  if (outcome.session === undefined) {
    row.className = 'problem'
    row.append(` ${outcome.problem}`)
    return undefined
  }
  const link = document.createElement('a')
  link.href = outcome.session
  link.append(name)
  row.prepend(link)
  watch(outcome.session, row)
  return outcome.session
}

/** Sends a file with the fields as they are now. */
async function attempt(file, options) {
  if (file.size === 0) return { problem: 'is empty: choose a transcript or a recording.' }
  const { _form: token, file: _, ...fields } = Object.fromEntries(new FormData(form))
  const sent = {
    uploads: page.dataset.uploads,
    whole: form.action,
    token,
    fields: { _form: token, ...fields, modified: new Date(file.lastModified).toISOString() }
  }
  try {
    return await transfer(file, { ...sent, ...options })
  } catch (error) {
    if (options.signal.aborted) return { problem: 'was cancelled.' }
    if (error instanceof Refused) return { problem: error.message }
    throw error
  }
}

/** The rows whose sessions are being processed, by the id of the session. One stream follows them all. */
const rows = new Map()
let stopFollowing = () => {}

const WORDS = { completed: 'is ready', failed: 'has failed; its page says why', deleted: 'was deleted' }

function watch(session, row) {
  const shown = document.createElement('span')
  shown.textContent = ' is being processed'
  row.append(shown)
  rows.set(new URL(session).pathname.split('/').at(-1), { session, shown })
  stopFollowing()
  stopFollowing = follow([...rows.keys()].slice(-page.dataset.follows), {
    address: ids => `${page.dataset.progress}?${new URLSearchParams(ids.map(id => ['session', id]))}`,
    page: id => rows.get(id).session,
    onProgress({ id, progress, waiting_reason: waits }) {
      const part = progress === null ? '' : `, ${Math.round(progress * 100)} %`
      rows.get(id).shown.textContent = waits === null ? ` is being processed${part}` : ` waits${part}: ${waits}`
    },
    onSettled(id, state) {
      const { shown } = rows.get(id)
      rows.delete(id)
      shown.textContent = ` ${WORDS[state]}`
    }
  })
}
