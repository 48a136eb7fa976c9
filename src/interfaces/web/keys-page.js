// Runs in every page with the navigation: keys lead to the search and to places, and move in lists. The settings turn them off.
const root = document.querySelector('.brand').pathname
const PLACES = { s: '', i: 'action-items', p: 'people', o: 'overview' }

const isOff = document.querySelector('[data-keys=off]') !== null
const field = document.querySelector('#seek')
const rows = [...document.querySelectorAll('.row')]
let isGoing = false
let list

function goTo(path) {
  location.assign(root + path)
}

function search() {
  // On a phone the field is hidden, and the page of the search has one.
  if (field.checkVisibility?.() === false) goTo('search')
  else field.focus()
}

/** Moves from row to row, from the first one if none has the focus. */
function move(by) {
  const at = rows.findIndex(row => row.contains(document.activeElement))
  const row = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]
  row?.querySelector('.t')?.focus()
}

function pick() {
  document.activeElement.closest('.row')?.querySelector('.pick')?.click()
}

function pickNone() {
  for (const box of document.querySelectorAll('.pick:checked')) box.click()
}

const KEYS = {
  '/': ['Search everywhere', search],
  f: ['Find in this transcript', () => document.querySelector('.find-lines input')?.focus()],
  u: ['Upload', () => goTo('upload')],
  '?': ['This list', showKeys],
  ArrowDown: ['', () => move(1)],
  ArrowUp: ['', () => move(-1)],
  x: ['', pick],
  Escape: ['', pickNone]
}

const OTHERS = [
  ['g, then s, i, p, o', 'Sessions, action items, people, overview'],
  ['↓ ↑', 'Move in a list; Enter opens'],
  ['x, Esc', 'Select the session, select none'],
  ['k', 'Play and pause'],
  ['j, l', 'Ten seconds back and on'],
  ['<, >', 'Slower and faster'],
  ['[, ]', 'Chapter before and after'],
  ['e', 'Correct the line'],
  ['s', 'Share the session']
]

function showKeys() {
  list ??= makeList()
  list.showModal()
}

function makeList() {
  const dialog = element('dialog', '')
  dialog.className = 'keys-list'
  dialog.setAttribute('aria-label', 'Keys')
  const terms = element('dl', '')
  const all = [...Object.entries(KEYS).flatMap(([key, [words]]) => (words ? [[key, words]] : [])), ...OTHERS]
  for (const [key, words] of all) terms.append(element('dt', key), element('dd', words))
  const close = element('button', 'Close')
  close.addEventListener('click', () => dialog.close())
  dialog.append(element('h2', 'Keys'), terms, close)
  document.body.append(dialog)
  return dialog
}

function element(name, text) {
  const made = document.createElement(name)
  made.textContent = text
  return made
}

document.addEventListener(
  'keydown',
  event => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'k' && !event.altKey) {
      event.preventDefault()
      search()
      return
    }
    if (
      isOff ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.closest('input:not(.pick), textarea, select, dialog')
    )
      return
    const wasGoing = isGoing
    isGoing = event.key === 'g'
    if (wasGoing && event.key in PLACES) {
      // In the page of a session, the same letter shares it.
      event.stopImmediatePropagation()
      goTo(PLACES[event.key])
      return
    }
    const act = KEYS[event.key]?.[1]
    if (!act || (event.key.startsWith('Arrow') && rows.length === 0)) return
    event.preventDefault()
    act()
  },
  true
)

// A menu closes by Esc and by a click beside it.
const menus = document.querySelectorAll('details.menu, details.more-parts')
document.addEventListener('click', event => {
  for (const menu of menus)
    if (menu.open && !menu.contains(event.target) && !event.target.closest('.rest')) menu.open = false
})
document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return
  for (const menu of menus) {
    if (menu.open && menu.contains(document.activeElement)) menu.querySelector('summary').focus()
    menu.open = false
  }
})
