// Runs in the page of a session: the transcript follows the recording, a click on a line plays it, and a processed session is shown.
import { follow as followSessions, load } from './progress.js'

const STEP_SECONDS = 10

const PLAYER = '.recording :is(audio, video)'

const player = document.querySelector(PLAYER)
const talk = document.querySelector('.talk')
const lines = [...(talk?.querySelectorAll('[data-s]') ?? [])]
const starts = lines.map(line => Number(line.dataset.s))
const speed = document.querySelector('#speed')
const follow = document.querySelector('#follow')
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

talk?.addEventListener('click', event => {
  const line = event.target.closest('[data-s]')
  if (!line || !player || String(getSelection()) !== '') return
  seek(Number(line.dataset.s))
  play()
})

if (player) {
  document.querySelector('.playing').hidden = false
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
  player.addEventListener('error', renewLink)
  // It may have failed before this script ran.
  if (player.error) void renewLink()
  if (!document.querySelector('[data-keys=off]')) document.addEventListener('keydown', steer)
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
  document.querySelector('.unplayed').hidden = false
  player.hidden = true
  document.querySelector('.playing').hidden = true
}

function steer(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return
  const step = { j: -STEP_SECONDS, l: STEP_SECONDS }[event.key]
  if (event.key === 'k') player.paused ? play() : player.pause()
  else if (step !== undefined) seek(Math.max(0, player.currentTime + step))
  else if (event.key === '<' || event.key === '>') changeSpeed(event.key === '<' ? -1 : 1)
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
