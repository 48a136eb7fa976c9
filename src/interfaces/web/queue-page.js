// The rows of the queue of uploads: what waits with its fields, what is being sent or processed, and what came of it.

export const WORDS = {
  known: 'You uploaded the same file before; its session is unchanged.',
  trash: 'You uploaded the same file before, and its session is in the trash.',
  failed: 'Processing has failed; the page says why.',
  deleted: 'The session was deleted.'
}

/** Opens a row at the end of the queue for a file, or for a recording with the transcript beside it. */
export function openRow(form, { file, beside, isRecording }) {
  const element = form.querySelector('template').content.firstElementChild.cloneNode(true)
  const find = name => element.querySelector(name)
  const [name, about, state, acts, fields] = ['bdi', '.what .quiet', '.state', '.acts', '.fields'].map(find)
  const [title, date, folder] = ['title', 'date', 'folder'].map(one => find(`[data-own=${one}]`))
  const total = file.size + (beside?.size ?? 0)
  const guessed = localTime(new Date(file.lastModified))
  name.textContent = beside ? `${file.name} + ${shortName(beside, file)}` : file.name
  element.querySelectorAll('.i')[isRecording ? 1 : 0].remove()
  date.value = guessed
  form.querySelector('.queue').append(element)

  function show(kind, { part, note = '', buttons = [] }) {
    row.state = kind
    fields.hidden = kind !== 'waiting'
    about.replaceChildren(note)
    state.replaceChildren(...part)
    acts.replaceChildren(...buttons)
  }

  const row = {
    file,
    beside,
    element,
    state: 'waiting',
    /** What was entered for these files alone. A date that nobody has touched is a guess, which the file may know better. */
    fields: () => ({
      ...(title.value && { title: title.value }),
      ...(date.value && date.value !== guessed && { timestamp: date.value }),
      ...(folder.value && { folder: folder.value })
    }),
    wait({ onRemove, onPart }) {
      const parting = beside ? [act('As two', onPart)] : []
      const note = beside ? `${inBytes(total)}, one conversation` : inBytes(total)
      show('waiting', { part: [pill('Waiting', 'plain')], note, buttons: [...parting, act('Remove', onRemove)] })
    },
    send({ onCancel }) {
      const bar = element.ownerDocument.createElement('progress')
      const words = span('Sending', 'quiet')
      const began = performance.now()
      bar.max = total
      bar.value = 0
      bar.setAttribute('aria-label', `Transfer of ${file.name}`)
      show('sending', { part: [bar, words], note: inBytes(total), buttons: [act('Cancel', onCancel)] })
      let first
      return {
        onSent(bytes) {
          first ??= bytes
          bar.value = bytes
          about.textContent = `${inBytes(total)}, ${bytes >= total ? 'all' : inBytes(bytes)} sent`
          const rate = (bytes - first) / (performance.now() - began)
          words.textContent = `Sending${rate > 0 ? leftOf((total - bytes) / rate / 1_000) : ''}`
        },
        onWait(why) {
          words.textContent = why === undefined ? 'Sending' : `${why.replace(/\.$/, '')}. It goes on by itself.`
        }
      }
    },
    process(session) {
      show('processing', {
        part: [pill('Processing', '')],
        note: `${inBytes(total)}, all sent`,
        buttons: [open(session)]
      })
    },
    progress(part, why) {
      const bar = element.ownerDocument.createElement('progress')
      if (part !== null) bar.value = part
      bar.setAttribute('aria-label', `Processing of ${file.name}`)
      state.replaceChildren(
        bar,
        span(why ?? `Processing${part === null ? '' : `, ${Math.round(part * 100)} %`}`, 'quiet')
      )
    },
    finish(words, { open: session, note, kind = 'good' }) {
      show('done', { part: [pill(words, kind)], note, buttons: session ? [open(session)] : [] })
    },
    fail(why, { onRetry, onRemove }) {
      const buttons = [...(onRetry ? [act('Try again', onRetry)] : []), act('Remove', onRemove)]
      show('failed', { part: [pill('Not sent', 'failed')], note: why, buttons })
    }
  }

  function act(words, run) {
    const button = element.ownerDocument.createElement('button')
    button.type = 'button'
    button.className = 'ghost'
    button.append(words, span(` ${file.name}`, 'hidden'))
    button.addEventListener('click', run)
    return button
  }

  function open(session) {
    const link = element.ownerDocument.createElement('a')
    link.href = session
    link.className = 'button second'
    link.append('Open', span(` ${file.name}`, 'hidden'))
    return link
  }

  return row
}

/** The ending of a name that is otherwise the other's. */
function shortName({ name }, other) {
  const [stem, ending] = [name.replace(/\.[^.]*$/, ''), name.slice(name.lastIndexOf('.'))]
  return other.name.startsWith(`${stem}.`) ? ending : name
}

function span(words, name) {
  const element = document.createElement('span')
  element.className = name
  element.textContent = words
  return element
}

function pill(words, kind) {
  return span(words, `pill ${kind}`)
}

/** An instant as a field for date and time has it. */
function localTime(at) {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB']

function inBytes(bytes) {
  const power = bytes < 1 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toLocaleString('en-GB', { maximumFractionDigits: 1 })} ${UNITS[power]}`
}

function leftOf(seconds) {
  if (seconds < 10) return ''
  return seconds < 60 ? ', less than a minute' : `, about ${Math.round(seconds / 60)} min`
}
