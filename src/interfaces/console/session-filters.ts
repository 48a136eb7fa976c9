import type { Folder } from '../../contract/folder.ts'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import type { Person } from '../../contract/person.ts'
import { instantOf } from '../../platform/text/wall-time.ts'
import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'
import { monthOf, onDay } from './dates.ts'
import { addressOf } from './query-form.ts'
import { TYPE_CHOICES, typeWords } from './session-types.ts'
import type { Visit } from './visit.ts'

interface FilterChoices {
  /** The query as it was sent. */
  sent: URLSearchParams
  folders: readonly Folder[]
  people: readonly Person[]
  /** The person and the folder that the list is filtered by. */
  person: string | undefined
  folder: string | undefined
  /** The months that have sessions. */
  months: readonly string[]
  /** The tags of the sessions shown. Undefined for a search, which has no filters of title and tags. */
  tags: readonly string[] | undefined
  timeZone: string
}

/** The names of a menu; a search in it finds the others. */
const MAX_NAMES = 20

/** The filters as chips: one that is chosen has a ×, each other opens its choices. Every choice is a link, so that the address is the filter. */
export function filterChips({ link }: Pick<Visit, 'link'>, path: string, choices: FilterChoices): Html {
  const { sent, folders, people, person, folder, months, tags, timeZone } = choices
  const kept = [...sent].filter(([name]) => name !== 'cursor' && !name.startsWith('find_'))
  const without = (...names: string[]) => kept.filter(([name]) => !names.includes(name))
  const to = (names: string[], more: [string, string][]) => link(addressOf(path, [...without(...names), ...more]))
  const chosen = (words: string, value: string, ...names: string[]) =>
    html`<a class="on" href="${to(names, [])}"><span class="hidden">Remove the filter</span> ${words} <bdi>${value}</bdi>${icon('x')}</a>`
  const hidden = (...names: string[]) =>
    without(...names).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const form = (label: string, name: string, max: number, button: string, drop = name) =>
    html`<form action="${link(path)}">${hidden(drop)}<label>${label}<input name="${name}" value="${sent.get(name) ?? ''}" maxlength="${max}" dir="auto"></label><button>${button}</button></form>`
  const value = (name: string) => sent.get(name) ?? ''

  const chips: Html[] = []
  // A search has neither filter.
  const hasTitles = tags !== undefined
  if (hasTitles && value('favorite') !== '') chips.push(chosen('Favourites', '', 'favorite'))
  else if (hasTitles)
    chips.push(html`<a href="${to(['favorite'], [['favorite', 'true']])}">${icon('star')}Favourites</a>`)
  if (hasTitles && value('title') !== '') chips.push(chosen('Title', value('title'), 'title'))
  else if (hasTitles) chips.push(chip('Title', form('Words of the title', 'title', LIMITS.query, 'Show')))
  if (value('type') !== '') chips.push(chosen('Type', typeWords(value('type')).words, 'type'))
  else
    chips.push(
      chip(
        'Type',
        html`${TYPE_CHOICES.map(({ value: type, words }) => html`<a href="${to(['type'], [['type', type]])}">${icon(typeWords(type).icon)}${words}</a>`)}`
      )
    )
  if (value('folder') !== '') chips.push(chosen('Folder', folder ?? value('folder'), 'folder'))
  else {
    const entries = folders
      .slice(0, MAX_NAMES)
      .map(({ id, name }) => html`<a href="${to(['folder'], [['folder', id]])}"><bdi>${name}</bdi></a>`)
    chips.push(
      chip(
        'Folder',
        menuOf(entries, form('Find a folder', 'find_folder', LIMITS.folderName, 'Find')),
        sent.has('find_folder')
      )
    )
  }
  if (value('person') !== '') chips.push(chosen('With', person ?? value('person'), 'person'))
  else {
    const entries = people
      .slice(0, MAX_NAMES)
      .map(({ id, name }) => html`<a href="${to(['person'], [['person', id]])}"><bdi>${name}</bdi></a>`)
    chips.push(
      chip(
        'Person',
        menuOf(entries, form('Find a person', 'find_person', FIELD_LIMITS.personName, 'Find')),
        sent.has('find_person')
      )
    )
  }
  if (tags && value('tag') !== '')
    chips.push(
      chosen(value('tag_mode') === 'all' ? 'All tags' : 'Tag', sent.getAll('tag').join(', '), 'tag', 'tag_mode')
    )
  else if (tags) {
    const entries = tags
      .slice(0, MAX_NAMES)
      .map(tag => html`<a href="${to(['tag'], [['tag', tag.replaceAll(',', '\\,')]])}">#<bdi>${tag}</bdi></a>`)
    chips.push(chip('Tag', menuOf(entries, form('Tags, separated by commas', 'tag', LIMITS.query, 'Show'))))
  }
  if (value('since') !== '' || value('until') !== '')
    chips.push(chosen('', periodOf(value('since'), value('until'), months, timeZone), 'since', 'until'))
  else {
    const entries = months.map(month => {
      const [since, until] = boundsOf(month, timeZone)
      return html`<a href="${to(
        ['since', 'until'],
        [
          ['since', since],
          ['until', until]
        ]
      )}">${monthOf(month)}</a>`
    })
    const dates = html`<form action="${link(path)}">${hidden('since', 'until')}<label>From<input type="date" name="since"></label><label>Before<input type="date" name="until"></label><button>Show</button></form>`
    chips.push(chip('Any time', html`${dates}${entries}`))
  }
  const isFiltered = kept.some(([name]) => name !== 'status' && name !== 'q')
  return html`<div class="chips filters-bar">${chips}${when(
    isFiltered,
    () =>
      html`<a href="${link(
        addressOf(
          path,
          kept.filter(([name]) => name === 'status' || name === 'q')
        )
      )}">Show all</a>`
  )}</div>`
}

function menuOf(entries: readonly Html[], form: Html): Html {
  return html`${form}${entries.length > 0 ? entries : html`<p class="quiet">Nothing has this name.</p>`}`
}

function chip(words: string, content: Html, isOpen = false): Html {
  return html`<details class="chip menu"${when(isOpen, () => html` open`)}><summary>${words}${icon('down')}</summary><div class="pop">${content}</div></details>`
}

/** The first and the last instant that a filter takes. */
const [EARLIEST, LATEST] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']

/** The first instant of a month, and that of the next one, in a time zone. */
function boundsOf(month: string, timeZone: string): [string, string] {
  const next = new Date(`${month}-01T00:00:00Z`)
  next.setUTCMonth(next.getUTCMonth() + 1)
  const start = (day: string) => instantOf({ text: `${day}T00:00:00`, utc: false }, timeZone)
  const since = start(`${month}-01`)
  const until = next.getUTCFullYear() > 9999 ? LATEST : start(next.toISOString().slice(0, 10)).toISOString()
  return [since < new Date(EARLIEST) ? EARLIEST : since.toISOString(), until]
}

function periodOf(since: string, until: string, months: readonly string[], timeZone: string) {
  const month = months.find(one => {
    const [first, end] = boundsOf(one, timeZone)
    return first === since && end === until
  })
  if (month) return monthOf(month)
  // A day is in no time zone.
  const day = (at: string) => onDay(new Date(at), at.length > 10 ? timeZone : 'UTC')
  return [since && `from ${day(since)}`, until && `before ${day(until)}`].filter(Boolean).join(' ')
}
