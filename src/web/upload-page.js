// Runs in the page of uploads: files are sent one after another, also those that are dropped, with the progress of transfer and processing.
import { follow } from './progress.js'

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

/** Sends one file, and returns the address of its session, or undefined if it was refused. */
async function send(file) {
  const row = document.createElement('li')
  const name = document.createElement('bdi')
  const bar = document.createElement('progress')
  name.textContent = file.name
  bar.max = 1
  bar.value = 0
  bar.setAttribute('aria-label', `Transfer of ${file.name}`)
  row.append(name, bar)
  list.append(row)
  const outcome = await transfer(file, part => {
    bar.value = part
  })
  bar.remove()
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

/** The answer to the form is the session's page, or one that says what is wrong. fetch does not tell how much has been sent. */
function transfer(file, onProgress) {
  const fields = new FormData(form)
  fields.delete('file')
  fields.append('file', file)
  return new Promise(resolve => {
    const request = new XMLHttpRequest()
    request.open('POST', form.action)
    request.responseType = 'document'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('load', () => {
      const isSession = request.status === 200 && /\/s\/\w+$/.test(new URL(request.responseURL).pathname)
      if (isSession) return resolve({ session: request.responseURL })
      const words = request.responseXML?.querySelector('main p')?.textContent
      resolve({ problem: words ?? `The server answered with ${request.status}. Try again.` })
    })
    request.addEventListener('error', () => resolve({ problem: 'The connection was interrupted. Try again.' }))
    request.send(fields)
  })
}
