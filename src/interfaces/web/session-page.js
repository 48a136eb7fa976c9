// Runs in the page of a session: the strip plays the recording, the transcript follows it, a click on a line plays it, and a processed session is shown.
import { follow as followSessions, load } from './progress.js'

const STEP_SECONDS = 10

const PLAYER = '.recording :is(audio, video)'

const player = document.querySelector(PLAYER)
const talk = document.querySelector('.talk')
const lines = [...(talk?.querySelectorAll('[data-s]') ?? [])]
const starts = lines.map(line => Number(line.dataset.s))
const speed = document.querySelector('#speed')
const follow = document.querySelector('#follow')
const bar = document.querySelector('.playing')
const slider = bar?.querySelector('.wave input')
const chapters = [...document.querySelectorAll('.chapters a')].map(link => Number(link.hash.slice('#t='.length)))
// Above its first use: a recording that failed before this script ran is renewed at once.
let renewedAt = 0

/** Returns the last line that begins at this time or before. */
function lineAt(seconds) {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle] <= seconds) low = middle + 1
    else high = middle
  }
  return lines[Math.max(0, low - 1)]
}

function mark(name, line) {
  if (line?.classList.contains(name)) return false
  for (const marked of talk.querySelectorAll(`.${name}`)) marked.classList.remove(name)
  line?.classList.add(name)
  return true
}

/** The moment that the address names, such as `#t=1408`. A moment within a line shows the line. */
function goToMoment() {
  const [, second] = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash) ?? []
  if (second === undefined || lines.length === 0) return
  const line = document.getElementById(`t=${second}`) ?? lineAt(Number(second))
  mark('there', line)
  line?.scrollIntoView({ block: 'center' })
  seek(line === undefined ? Number(second) : Math.max(Number(line.dataset.s), Number(second)))
}

function seek(seconds) {
  if (player) player.currentTime = seconds
}

function play() {
  // A browser may refuse to play before the first click; the position is set all the same.
  player?.play().catch(() => undefined)
}

addEventListener('hashchange', goToMoment)
goToMoment()

/** The same address again is no change of it. */
function goTo(hash) {
  if (hash === location.hash) goToMoment()
  else location.hash = hash
}

document.querySelector('.session')?.addEventListener('click', event => {
  const { hash } = event.target.closest('a[href^="#t="]') ?? {}
  if (hash === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  goTo(hash)
  seek(Number(hash.slice('#t='.length)))
  play()
})

talk?.addEventListener('click', event => {
  const line = event.target.closest('[data-s]')
  if (!line || !player || event.target.closest('.fix') || String(getSelection()) !== '') return
  seek(Number(line.dataset.s))
  play()
})

if (player) {
  bar.hidden = false
  talk.classList.add('plays')
  speed.value = '1'
  speed.addEventListener('change', () => {
    player.playbackRate = Number(speed.value)
  })
  player.addEventListener('timeupdate', () => {
    if (lines.length === 0 || (player.paused && player.currentTime === 0)) return
    const line = lineAt(player.currentTime + 0.05)
    if (mark('now', line) && follow.checked && !player.paused)
      line.scrollIntoView({ block: 'center', behavior: 'smooth' })
  })
  if (slider) steerBySlider()
  player.addEventListener('error', renewLink)
  // It may have failed before this script ran.
  if (player.error) void renewLink()
}
if (!document.querySelector('[data-keys=off]')) document.addEventListener('keydown', steer)

/** The buttons and the strip take the place of the browser's own player. */
function steerBySlider() {
  player.hidden = true
  const download = document.querySelector('.recording .download')
  download.hidden = true
  const button = bar.querySelector('.play')
  button.addEventListener('click', toggle)
  for (const step of bar.querySelectorAll('[data-by]'))
    step.addEventListener('click', () => seek(Math.max(0, player.currentTime + Number(step.dataset.by))))
  for (const event of ['play', 'pause'])
    player.addEventListener(event, () => {
      button.classList.toggle('on', !player.paused)
      button.setAttribute('aria-label', player.paused ? 'Play' : 'Pause')
    })
  slider.addEventListener('input', () => seek(Number(slider.value)))
  for (const event of ['timeupdate', 'seeking', 'loadedmetadata']) player.addEventListener(event, showPosition)
  showPosition()
}

function showPosition() {
  // Without times in the transcript, the recording says how long it is.
  if (slider.max === '0' && Number.isFinite(player.duration)) slider.max = String(Math.ceil(player.duration))
  const [at, end] = [player.currentTime, Number(slider.max)]
  slider.value = String(at)
  slider.setAttribute('aria-valuetext', clockOf(at))
  slider.parentElement.style.setProperty('--at', `${end > 0 ? Math.min(100, (100 * at) / end) : 0}%`)
  bar.querySelector('.clock').textContent = `${clockOf(at)} / ${clockOf(end)}`
}

function clockOf(seconds) {
  const whole = Math.floor(seconds)
  const two = number => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

function toggle() {
  player.paused ? play() : player.pause()
}

/** The link to a recording ends after an hour, so the page is asked for a new one and playing goes on. */
async function renewLink() {
  // A new link has failed as well, so it is the format.
  if (Date.now() - renewedAt < 60_000) return showUnplayed()
  renewedAt = Date.now()
  const [at, wasPlaying] = [player.currentTime, !player.paused]
  const source = (await load(location.pathname)).querySelector(PLAYER)?.getAttribute('src')
  if (!source) return
  player.src = source
  seek(at)
  if (wasPlaying) play()
}

function showUnplayed() {
  document.querySelector('.recording .download').hidden = false
  document.querySelector('.unplayed').hidden = false
  player.hidden = true
  bar.hidden = true
}

function steer(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return
  if (event.key === '[') goToChapter(-1)
  else if (event.key === ']') goToChapter(1)
  else if (event.key === 'e') correctLine()
  else if (event.key === 's') document.querySelector('.share')?.click()
  else if (player) steerPlayer(event.key)
}

function steerPlayer(key) {
  const step = { j: -STEP_SECONDS, l: STEP_SECONDS }[key]
  if (key === 'k') toggle()
  else if (step !== undefined) seek(Math.max(0, player.currentTime + step))
  else if (key === '<' || key === '>') changeSpeed(key === '<' ? -1 : 1)
}

/** The line that is being said, that the address names, or that is the first in view. */
function currentLine() {
  const marked = talk?.querySelector('.now') ?? talk?.querySelector('.there')
  return marked ?? lines.find(line => line.getBoundingClientRect().bottom > innerHeight >> 2)
}

function goToChapter(by) {
  if (chapters.length === 0) return
  const at = player && player.currentTime > 0 ? player.currentTime : Number(currentLine()?.dataset.s ?? 0)
  // Within its first seconds, a chapter leads back to the one before.
  const before = chapters.filter(start => start < at - 2)
  const next = by > 0 ? chapters.find(start => start > Math.floor(at)) : (before.at(-1) ?? chapters[0])
  if (next !== undefined) goTo(`#t=${next}`)
}

function correctLine() {
  currentLine()?.querySelector('.fix')?.click()
}

function changeSpeed(by) {
  speed.selectedIndex = Math.min(speed.length - 1, Math.max(0, speed.selectedIndex + by))
  player.playbackRate = Number(speed.value)
}

const state = document.querySelector('[data-state=processing]')
if (state) {
  state.querySelector('.still').textContent = 'This page shows it as soon as it is ready.'
  followSessions([state.dataset.session], {
    address: () => state.dataset.progress,
    page: () => location.pathname,
    onSettled: () => location.reload(),
    onProgress({ progress, waiting_reason: waits }) {
      if (progress !== null) state.querySelector('progress').value = progress
      state.querySelector('.waits').textContent = waits ?? ''
    }
  })
}
