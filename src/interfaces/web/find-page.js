// Runs in the page of a session: the find box marks words in all lines of the transcript, and leads from one place to the next.
const MAX_PLACES = 5_000
const TYPING_MS = 150

const box = document.querySelector('.find-lines')
const talk = document.querySelector('.talk')
const input = box.querySelector('input')
const shown = box.querySelector('output')
/** Older browsers mark the line of the current place only. */
const marks = globalThis.CSS?.highlights && {
  all: Object.assign(new Highlight(), { priority: 0 }),
  current: Object.assign(new Highlight(), { priority: 1 })
}
if (marks) CSS.highlights.set('found', marks.all).set('found-now', marks.current)

let lines
let places = []
let at = -1
let timer

box.hidden = false
talk.addEventListener('corrected', () => {
  lines = undefined
  if (places.length > 0) find()
})
input.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(find, TYPING_MS)
})
box.addEventListener('submit', event => {
  event.preventDefault()
  go(event.submitter?.value === 'previous' ? -1 : 1)
})
input.addEventListener('keydown', event => {
  if (event.key === 'Escape') {
    input.value = ''
    find()
  } else if (event.key === 'Enter') {
    event.preventDefault()
    go(event.shiftKey ? -1 : 1)
  }
})
/** Letters without case and accents. `offsets` has the place of each in the text, where folding moved any. */
function fold(text) {
  const plain = letters => letters.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const folded = plain(text)
  if (folded.length === text.length) return { folded }
  const offsets = []
  let joined = ''
  let from = 0
  for (const letter of text) {
    const part = plain(letter)
    for (let index = 0; index < part.length; index++) offsets.push(from)
    joined += part
    from += letter.length
  }
  return { folded: joined, offsets: [...offsets, from] }
}

function readLines() {
  return [...talk.querySelectorAll('.turn > p:not(.speaker)')].map(line => {
    const words = (line.querySelector('span') ?? line).firstChild
    return { line, words, ...fold(words?.data ?? '') }
  })
}

function find() {
  const { folded: wanted } = fold(input.value.trim())
  places = []
  at = -1
  marks?.all.clear()
  if (wanted !== '') {
    lines ??= readLines()
    for (const { line, words, folded, offsets } of lines)
      for (let from = folded.indexOf(wanted); from >= 0; from = folded.indexOf(wanted, from + wanted.length)) {
        if (places.length === MAX_PLACES) break
        const range = new StaticRange({
          startContainer: words,
          startOffset: offsets?.[from] ?? from,
          endContainer: words,
          endOffset: offsets?.[from + wanted.length] ?? from + wanted.length
        })
        places.push({ line, range })
        marks?.all.add(range)
      }
  }
  // The first place is the next one from what is in view.
  const top = box.getBoundingClientRect().bottom
  const next = firstBelow(top)
  show(places.length === 0 ? -1 : next % places.length)
}

/** Halves the places, because the browser lays a line out to say where it is. */
function firstBelow(top) {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle].line.getBoundingClientRect().bottom > top) high = middle
    else low = middle + 1
  }
  return low
}

function go(by) {
  clearTimeout(timer)
  if (at === -1) find()
  else show((at + by + places.length) % places.length)
}

function show(index) {
  for (const line of talk.querySelectorAll('.at')) line.classList.remove('at')
  marks?.current.clear()
  at = index
  const place = places[index]
  if (place) {
    place.line.classList.add('at')
    marks?.current.add(place.range)
    bring(place.line)
  }
  const count = places.length === MAX_PLACES ? `${MAX_PLACES} or more` : places.length
  shown.textContent = place ? `${index + 1} of ${count}` : input.value.trim() === '' ? '' : 'Not found'
}

/** Turns get their height once they are near the view, which moves the line, so it is brought there again for a few frames. */
function bring(line, frames = 5) {
  if (places[at]?.line !== line) return
  line.scrollIntoView({ block: 'center' })
  if (frames > 0) requestAnimationFrame(() => bring(line, frames - 1))
}
