// Runs in the pages of the guides: searches them, and copies their code. The index of the search is loaded when the field is first used.
const MAX_RESULTS = 12
const EXCERPT_LENGTH = 140

const box = document.querySelector('search')
const field = box.querySelector('input')
const results = box.querySelector('ol')
box.hidden = false

let index
/** Returns the index; undefined if it cannot be loaded, and then the next letter tries again. */
function loadIndex() {
  index ??= fetchIndex().catch(() => {
    index = undefined
  })
  return index
}

async function fetchIndex() {
  const reply = await fetch(`${box.dataset.root}search.json`)
  if (!reply.ok) throw new Error(`The request of the search index was answered with ${reply.status}`)
  return await reply.json()
}

field.addEventListener('focus', () => void loadIndex())
field.addEventListener('input', async () => {
  const sections = await loadIndex()
  show(sections && find(sections, field.value))
})
field.addEventListener('keydown', event => {
  if (event.key === 'Escape') field.value = ''
  if (event.key === 'Escape') results.hidden = true
  if (event.key === 'Enter') results.querySelector('a')?.click()
})
document.addEventListener('click', event => {
  if (event.target !== field) results.hidden = true
})
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.target === field || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  field.focus()
})

/** Returns the sections that have every term, those with most of them in the title and heading first. */
function find(sections, query) {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return undefined
  return sections
    .map(section => ({ ...section, score: scoreOf(section, terms), terms }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
}

function scoreOf({ title, heading, text }, terms) {
  const [head, body] = [`${title} ${heading}`.toLowerCase(), text.toLowerCase()]
  if (!terms.every(term => head.includes(term) || body.includes(term))) return 0
  return 1 + terms.filter(term => head.includes(term)).length * 10 + (body.includes(terms.join(' ')) ? 5 : 0)
}

function show(found) {
  results.hidden = found === undefined
  results.replaceChildren(...(found?.length === 0 ? [element('p', 'Nothing found')] : (found ?? []).map(toItem)))
}

function toItem({ path, anchor, title, heading, text, terms }) {
  const link = element('a', '')
  link.href = `${box.dataset.root}${path}${anchor && `#${anchor}`}`
  const before = text.slice(0, Math.max(0, text.toLowerCase().indexOf(terms[0]) - 30))
  const at = before.lastIndexOf(' ') + 1
  const excerpt = `${at > 0 ? '… ' : ''}${text.slice(at, at + EXCERPT_LENGTH)}`
  link.append(element('strong', heading === title ? title : `${title}: ${heading}`), element('span', excerpt))
  const item = element('li', '')
  item.append(link)
  return item
}

// The examples name the public URL of the server; who reads them at another address gets that one.
const main = document.querySelector('main')
const address = new URL(`${box.dataset.root}..`, location.href).href.replace(/\/$/, '')
for (const part of main.querySelectorAll('pre:not([data-language="nginx"]) code, p > code, a')) {
  for (const text of part.childNodes)
    if (text.nodeType === Node.TEXT_NODE) text.data = text.data.replaceAll(box.dataset.url, address)
}
for (const link of main.querySelectorAll('a'))
  if (link.href.startsWith(`${box.dataset.url}/`)) link.href = `${address}${link.href.slice(box.dataset.url.length)}`

// Browsers have a clipboard on https and on the same machine only.
const blocks = navigator.clipboard ? document.querySelectorAll('pre:not([data-language="text"])') : []
for (const block of blocks) block.prepend(copyButton(block.textContent))

function copyButton(code) {
  const button = element('button', 'Copy')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code)
    button.textContent = 'Copied'
  })
  return button
}

function element(name, text) {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
