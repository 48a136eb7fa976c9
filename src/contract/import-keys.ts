import { importKeys, storable } from './import-document.ts'
import { oneLine } from './text.ts'

/** More are counted, not named: a list of hundreds helps nobody. */
const MAX_NAMED = 20
const MAX_KEY = 60

/**
 * Names the keys of an import document that it may not have, which are ignored: a sentence for each, and each once for all entries
 * of a list. Nothing is said of values that are not what the document holds there; those are refused.
 */
export function ignoredKeys(json: unknown): string[] {
  const ignored = new Set<string>()
  for (const [place, known] of Object.entries(importKeys)) {
    for (const entry of entriesAt(json, place)) {
      for (const key of Object.keys(entry)) if (!known.has(key)) ignored.add(pathOf(place, key))
    }
  }
  const named = [...ignored].slice(0, MAX_NAMED).map(path => `${path}: ignored, because an import document has no such key`)
  const more = ignored.size - named.length
  return more > 0 ? [...named, `${more} more keys are ignored, because an import document has none of them`] : named
}

function entriesAt(json: unknown, place: string): object[] {
  const value: unknown = place === '' ? json : Object(json)[place]
  return [value].flat().filter(isObject)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pathOf(place: string, key: string) {
  const shown = oneLine(storable(key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}…` : key))
  return place === '' ? shown : `${place}.${shown}`
}
