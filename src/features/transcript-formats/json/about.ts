import type { WallTime } from '../../../platform/text/wall-time.ts'
import { parseWrittenDate } from '../../../platform/text/written-date.ts'
import type { ParsedTranscript, ToldItem } from '../transcript.ts'
import { isRecord, type JsonRecord, someObjects } from './fields.ts'
import { findKeys, plainKey } from './keys.ts'
import { readWrittenItems } from './written-items.ts'

/** The statements of a file about its conversation, beside the speech. */
export interface About extends Partial<Omit<ParsedTranscript, 'segments' | 'durationSeconds' | 'warnings'>> {
  /** The names of the keys that were read. */
  keys: ReadonlySet<string>
}

const CONTAINERS = new Set(
  (
    'structured meeting metadata meta call recording info conversation data event calendarevent googlecalendarevent transcript document ' +
    'note result results output response summary meetinginfo session items meetings'
  ).split(' ')
)
const TITLE_KEYS = 'title meetingtitle meetingname calltitle topic subject recordingname'.split(' ')
const START_KEYS = (
  'recordingstarttime recordingstart meetingstarttime meetingstart startedat started starttime startdatetime datestarted date datetime ' +
  'meetingdate recordedat createdat createtime'
).split(' ')
const LANGUAGE_KEYS = ['language', 'languagecode', 'lang', 'locale', 'transcriptlanguage']
const SUMMARY_KEYS =
  'summary defaultsummary overview summarymarkdown aisummary meetingsummary executivesummary shortsummary'.split(' ')
const SUMMARY_TEXT_KEYS =
  'markdownformatted markdown overview summary text content shortsummary shortoverview gist'.split(' ')
const ITEM_KEYS = ['actionitems', 'tasks', 'nextsteps', 'todos']
const ITEM_TEXT_KEYS = ['description', 'text', 'title', 'content', 'task', 'action', 'name', 'item']
const DONE_KEYS = ['completed', 'done', 'iscompleted', 'isdone', 'status', 'state']
const ASSIGNEE_KEYS = ['assignee', 'assigneename', 'owner', 'assignedto', 'responsible']
const TAG_KEYS = ['tags']
const MAX_DEPTH = 3

/** Reads what stands around the speech of a file: title, start, language, summary and action items. */
export function readAbout(json: unknown): About {
  const about: About & { keys: Set<string> } = { keys: new Set() }
  for (const { record, keys } of containersOf(json)) {
    const before = about.keys.size
    about.title ??= take(record, TITLE_KEYS, textIn)
    about.startedAt ??= take(record, START_KEYS, startIn)
    about.language ??= take(record, LANGUAGE_KEYS, textIn)
    about.summary ??= take(record, SUMMARY_KEYS, summaryIn)
    about.actionItems ??= take(record, ITEM_KEYS, itemsIn) ?? undefined
    about.tags ??= take(record, TAG_KEYS, textsIn) ?? undefined
    if (about.keys.size > before) for (const key of keys) about.keys.add(key)
  }
  return about

  function take<T>(record: JsonRecord, names: readonly string[], readValue: (value: unknown) => T | null): T | null {
    for (const { key, value } of findKeys(record, names)) {
      const found = readValue(value)
      if (found === null) continue
      about.keys.add(key)
      return found
    }
    return null
  }
}

/** An object, and the keys that lead to it. */
interface Container {
  record: JsonRecord
  keys: string[]
}

function containersOf(json: unknown): Container[] {
  const found: Container[] = []
  let level: { value: unknown; keys: string[] }[] = [{ value: json, keys: [] }]
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const records = level.flatMap(({ value, keys }) => {
      const record = Array.isArray(value) && value.length === 1 ? value[0] : value
      return isRecord(record) ? [{ record, keys }] : []
    })
    found.push(...records)
    level = records.flatMap(({ record, keys }) =>
      Object.entries(record).flatMap(([key, value]) =>
        CONTAINERS.has(plainKey(key)) ? [{ value, keys: [...keys, key] }] : []
      )
    )
  }
  return found
}

function textIn(value: unknown) {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

const FIRST_EPOCH_MS = 1e11
const FIRST_EPOCH_SECONDS = 1e9
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?:[.,]\d{1,9})?\s?(Z|[+-]\d{2}:?\d{2})?$/

function startIn(value: unknown): WallTime | null {
  if (typeof value === 'number') {
    if (value < FIRST_EPOCH_SECONDS || value > FIRST_EPOCH_MS * 100) return null
    return utc(value >= FIRST_EPOCH_MS ? value : value * 1000)
  }
  const text = textIn(value)
  if (text === null) return isRecord(value) ? startIn(findKeys(value, ['datetime', 'date'])[0]?.value ?? null) : null
  const [found, day, minute, second = ':00', zone] = INSTANT.exec(text) ?? []
  if (found === undefined) return parseWrittenDate(text)
  if (zone === undefined)
    return Number.isNaN(Date.parse(`${day}T${minute}${second}Z`))
      ? null
      : { text: `${day}T${minute}${second}`, utc: false }
  return utc(Date.parse(`${day}T${minute}${second}${zone}`))
}

function utc(ms: number): WallTime | null {
  return Number.isNaN(ms) ? null : { text: new Date(ms).toISOString().slice(0, 19), utc: true }
}

function summaryIn(value: unknown): string | null {
  if (!isRecord(value)) return textIn(value)
  for (const { value: inner } of findKeys(value, SUMMARY_TEXT_KEYS)) {
    const text = textIn(inner)
    if (text !== null) return text
  }
  return null
}

function textsIn(value: unknown): string[] | null {
  const texts = Array.isArray(value) ? value.flatMap(entry => textIn(entry) ?? []) : []
  return texts.length > 0 ? texts : null
}

function itemsIn(value: unknown): ToldItem[] | null {
  if (typeof value === 'string') return readWrittenItems(value)
  const texts = textsIn(value)
  if (texts !== null) return texts.map(text => ({ text, assignee: null, completed: false }))
  const items = (someObjects(value) ?? []).flatMap(toItem)
  return items.length > 0 ? items : null
}

function toItem(entry: JsonRecord): ToldItem[] {
  const text = firstText(entry, ITEM_TEXT_KEYS)
  if (text === null) return []
  const completed = findKeys(entry, DONE_KEYS).some(
    ({ value }) => value === true || /^(?:done|completed)$/i.test(String(value))
  )
  const [owner] = findKeys(entry, ASSIGNEE_KEYS)
  const assignee = isRecord(owner?.value)
    ? firstText(owner.value, ['name', 'displayname', 'fullname', 'email'])
    : textIn(owner?.value)
  return [{ text, assignee, completed }]
}

function firstText(record: JsonRecord, names: readonly string[]) {
  return (
    findKeys(record, names)
      .map(({ value }) => textIn(value))
      .find(text => text !== null) ?? null
  )
}
