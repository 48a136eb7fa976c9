import { importKeys, storable } from './import-document.ts'
import { oneLine } from './text.ts'

/** Further keys are counted, because a list of hundreds helps nobody. */
const MAX_NAMED = 20
const MAX_KEY = 60

/**
 * Returns a sentence for each unknown key of an import document. A key in several entries of a list is named once. Values of a wrong
 * type are skipped, because validation refuses them.
 */
export function ignoredKeys(json: unknown): string[] {
  const ignored = new Set<string>()
  for (const [place, known] of Object.entries(importKeys)) {
    for (const entry of entriesAt(json, place)) {
      for (const key of Object.keys(entry)) if (!known.has(key)) ignored.add(pathOf(place, key))
    }
  }
  const named = [...ignored]
    .slice(0, MAX_NAMED)
    .map(path => `${path}: ignored, because an import document has no such key`)
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
