// Runs in the page of a session: a line is corrected where it stands. Whatever is not that simple is left to the page that corrects lines.
import { load } from './progress.js'

const talk = document.querySelector('.talk')
let open

// In the capturing phase, because a click on the line would play it.
talk.addEventListener(
  'click',
  event => {
    const link = event.target.closest('.fix')
    if (!link) return
    event.stopPropagation()
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    correct(link).catch(() => location.assign(link.href))
  },
  { capture: true }
)

/** Puts the form of the line in its place. Throws unless it is the form of this line, which may have moved. */
async function correct(link) {
  const form = (await load(link.href)).querySelector('form:has(textarea)')
  const line = link.parentElement
  const words = wordsOf(line)
  const field = form.querySelector('textarea')
  if (oneLine(field.value) !== oneLine(words.data)) throw new Error('The page has another line here')
  const hidden = ['_form', 'version', 'line'].map(name => form.querySelector(`[name=${name}]`))
  const actions = element('div', 'actions')
  const cancel = element('button', 'second', 'Cancel')
  cancel.type = 'button'
  actions.append(element('button', '', 'Save'), cancel)
  form.replaceChildren(...hidden, field.closest('label'), actions)
  form.className = 'correct'

  function close() {
    open = undefined
    form.remove()
    line.hidden = false
    link.focus({ preventScroll: true })
  }
  cancel.addEventListener('click', close)
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') close()
    if (event.key !== 'Enter' || event.isComposing) return
    // A line has no line breaks.
    event.preventDefault()
    form.requestSubmit()
  })
  form.addEventListener('submit', event => {
    event.preventDefault()
    save(form, field).then(saved => {
      // The lines after a removed one have other places.
      if (saved === '') return location.reload()
      words.data = saved
      close()
      talk.dispatchEvent(new Event('corrected'))
    }, refused)
  })

  function refused() {
    // The page that answers says why, and has what was written.
    form.submit()
  }

  open?.()
  open = close
  line.hidden = true
  line.after(form)
  field.focus()
}

/** Saves the line, and returns it as it is now, empty if it was removed. Throws if it was refused. */
async function save(form, field) {
  const reply = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  if (!reply.ok) throw new Error(`The server answered with ${reply.status}`)
  if (oneLine(field.value) === '') return ''
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  return page.querySelector('textarea').value
}

function wordsOf(line) {
  return (line.querySelector('span') ?? line).firstChild
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim()
}

function element(name, className, words = '') {
  const made = document.createElement(name)
  made.className = className
  made.textContent = words
  return made
}
